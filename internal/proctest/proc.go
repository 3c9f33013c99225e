package proctest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Patience is how long a test waits for something that is sure to come.
const Patience = 60 * time.Second

// A Proc is a child as its test sees it. Its methods are for the goroutine of the test, save those that say otherwise.
type Proc struct {
	Config
	Inner int // its pid as it sees it itself

	t       testing.TB
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan string // closed when its output has ended
	exited  chan struct{}
	corpse  bool     // it is left unreaped until the test ends
	far     []string // what runs commands on its host, if that is not this one

	mu    sync.Mutex
	log   []string
	notes []string
	news  chan struct{} // closed and made anew with every note
}

// An Option changes how a child is started.
type Option func(*Proc)

// Under has the child started by another command, which gets the child's command line as its last arguments.
func Under(argv ...string) Option {
	return func(p *Proc) {
		p.cmd.Args = slices.Concat(argv, p.cmd.Args)
		p.cmd.Path = argv[0]
		if path, err := exec.LookPath(argv[0]); err == nil {
			p.cmd.Path = path
		}
	}
}

// Unreaped leaves the child a zombie after its death.
func Unreaped() Option { return func(p *Proc) { p.corpse = true } }

var started atomic.Int64

func command(argv []string) *exec.Cmd { return exec.Command(argv[0], argv[1:]...) }

// Start runs the test binary as a child. It ends with the test.
func Start(t testing.TB, cfg Config, options ...Option) *Proc {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg.ID = fmt.Sprintf("child %d", started.Add(1))
	p := &Proc{
		Config:  cfg,
		t:       t,
		cmd:     exec.Command(self),
		answers: make(chan string, 1000),
		exited:  make(chan struct{}),
		news:    make(chan struct{}),
	}
	p.cmd.Args = []string{self}
	for _, option := range options {
		option(p)
	}
	p.assign()
	text, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Env = append(os.Environ(), Variable+"="+string(text))
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	// Pipes of our own: those of exec.Cmd are closed by Wait, which must not cut off what was said last.
	out, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, errsW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = outW, errsW
	err = p.cmd.Start()
	outW.Close()
	errsW.Close()
	if err != nil {
		t.Fatal(err)
	}
	var readers sync.WaitGroup
	readers.Go(func() { p.read(out) })
	readers.Go(func() { p.readErrors(errs) })
	if !p.corpse {
		go p.reap()
	}
	t.Cleanup(func() {
		p.in.Close()
		p.Kill()
		if p.corpse {
			p.reap()
		}
		<-p.exited
		readers.Wait()
		if t.Failed() {
			t.Logf("%s (%s):\n\t%s", p.ID, strings.Join(p.cmd.Args, " "), strings.Join(p.Log(), "\n\t"))
		}
	})
	hello := p.Answer(Patience)
	if p.Inner, err = strconv.Atoi(strings.TrimPrefix(hello, "PID ")); err != nil {
		t.Fatalf("%s said %q instead of its pid", p.ID, hello)
	}
	return p
}

func (p *Proc) reap() {
	p.cmd.Wait() // how it ended is of no interest: most are killed
	close(p.exited)
}

func (p *Proc) read(out io.ReadCloser) {
	defer out.Close()
	defer close(p.answers)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := lines.Text()
		p.note("says", line)
		if strings.HasPrefix(line, "TWO") {
			p.t.Errorf("%s: two holders: %s", p.ID, line)
		}
		if note, ok := strings.CutPrefix(line, "* "); ok {
			p.mu.Lock()
			p.notes = append(p.notes, note)
			close(p.news)
			p.news = make(chan struct{})
			p.mu.Unlock()
			continue
		}
		p.answers <- line
	}
}

func (p *Proc) readErrors(errs io.ReadCloser) {
	defer errs.Close()
	for lines := bufio.NewScanner(errs); lines.Scan(); {
		p.note("stderr", lines.Text())
	}
}

func (p *Proc) note(how, line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, fmt.Sprintf("%s %s: %s", time.Now().Format("05.000"), how, line))
}

// Log returns all that was said to and by the child so far, with the second of the minute when.
func (p *Proc) Log() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.log)
}
