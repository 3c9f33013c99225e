'use strict';
// proper-lockfile. Its own default is to fail at once, so a waiter must pass retries.
// Default: retries for ever, the rest as its retry package has it (1 s, doubled each time, no jitter), stale after 10 s.
// Fast: 10 ms steady; stale after 2 s, beats of 1 s: the least that the code takes (its README says 5 s).
const fs = require('fs');
const kit = require('./kit.js');
const lockfile = require('proper-lockfile');
const { version } = require('proper-lockfile/package.json');

const onCompromised = (e) => kit.say('COMPROMISED', e.message);
const opts = kit.FAST
  ? { stale: 2000, update: 1000, onCompromised, retries: { forever: true, minTimeout: 10, maxTimeout: 10, factor: 1 } }
  : { onCompromised, retries: { forever: true } };
const made = new Set();
kit.main(`proper-lockfile ${version}, node ${process.version}`, (path) => {
  if (!made.has(path)) fs.closeSync(fs.openSync(path, 'a')); // it wants the file; the lock is PATH.lock
  made.add(path);
  return lockfile.lock(path, opts);
});
