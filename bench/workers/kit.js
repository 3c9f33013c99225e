'use strict';
// Turns one lock into a worker of the benchmarks, as package kit does for Go; README.md has the protocol.
const fs = require('fs');
const E = process.env;
const PATH = E.LOCK_PATH, FAST = E.LOCK_PROFILE === 'fast', WITNESS = E.LOCK_WITNESS, GATED = !!E.LOCK_GATE;
const SECTION = Number(E.LOCK_SECTION_US || 0) / 1000;
const now = () => process.hrtime.bigint(); // CLOCK_MONOTONIC
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const say = (...a) => fs.writeSync(1, a.join(' ') + '\n');
const cause = (e) => e.code || e.message;

const lines = [], askers = [];
let eof = false;
function listen() {
  const rl = require('readline').createInterface({ input: process.stdin });
  rl.on('line', (l) => (askers.length ? askers.shift()(l) : lines.push(l)));
  rl.on('close', () => { eof = true; askers.forEach((f) => f(null)); });
}
const line = () => new Promise((r) => (lines.length ? r(lines.shift()) : eof ? r(null) : askers.push(r)));

async function gate() {
  if (!GATED) return true;
  say('READY');
  const l = await line();
  if (l === null) return false;
  const left = BigInt(l) - now();
  if (left > 0n) await sleep(Number(left) / 1e6);
  return true;
}

// inside is the guarded section: false if another holder is inside too.
async function inside() {
  try { fs.closeSync(fs.openSync(WITNESS, 'wx')); } catch (e) {
    if (e.code === 'EEXIST') return false;
    throw e;
  }
  if (SECTION) await sleep(SECTION);
  fs.rmSync(WITNESS, { force: true }); // gone if there were two holders, and a third one came and went
  return true;
}

const roles = {
  async uncontended(acquire, ms) {
    let took, n;
    for (const long of [BigInt(ms) * 100000n, BigInt(ms) * 1000000n]) {
      const began = now();
      for (took = n = 0n; took < long; n++, took = now() - began) await (await acquire(PATH))();
    }
    say('NSOP', took / n);
  },
  async hold(acquire) {
    const release = await acquire(PATH);
    say('ACQ', now());
    await line();
    const t = now();
    await release();
    say('REL', t);
  },
  async wait(acquire) {
    while (await gate()) {
      say('WAIT', now());
      try {
        const release = await acquire(PATH);
        const t = now();
        say('ACQ', t);
        if (WITNESS && !(await inside())) say('VIOL', t);
        try { await release(); } catch (e) { say('RELERR', cause(e)); }
      } catch (e) { say('ERR', cause(e)); }
      say('DONE', now());
      if (!GATED) break;
    }
  },
  async contend(acquire, seconds) {
    if (!(await gate())) return;
    let sections = 0, violations = 0, errors = 0;
    const end = now() + BigInt(seconds) * 1000000000n;
    while (now() < end) {
      let release;
      try { release = await acquire(PATH); } catch (e) { errors++; continue; }
      sections++;
      if (!(await inside())) violations++;
      try { await release(); } catch (e) { errors++; }
    }
    say('COUNT', sections, violations, errors);
  },
  async held(acquire, n) {
    const releases = [];
    for (let i = 0; i < n; i++) releases.push(await acquire(`${PATH}-${i}`));
    say('ACQ', now());
    await line();
    for (const release of releases) await release();
    say('REL', now());
  },
};

// main does what the arguments ask for. acquire(path) resolves to a release function that returns a promise.
async function main(version, acquire) {
  const [role, arg] = process.argv.slice(2);
  if (role === 'version') {
    say('VERSION', version);
    process.exit(0);
  }
  if (!roles[role]) {
    console.error('usage: version|hold|wait|uncontended MS|contend SECONDS|held N');
    process.exit(2);
  }
  if (role === 'hold' || role === 'held' || GATED) listen();
  try { await roles[role](acquire, Number(arg || 0)); } catch (e) {
    say('ERR', cause(e));
    process.exit(1);
  }
  process.exit(0);
}
module.exports = { main, FAST, say };
