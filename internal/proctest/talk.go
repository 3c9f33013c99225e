package proctest

import (
	"fmt"
	"strings"
	"time"
)

// Send says words to the child and does not wait for the answer. It may be called from any goroutine.
func (p *Proc) Send(words ...string) {
	line := strings.Join(words, " ")
	p.note("hears", line)
	fmt.Fprintln(p.in, line) // a child that is gone is noticed by its missing answer
}

// Get waits for the next answer; an error means that there was none within the bound. It may be called from any
// goroutine, but not from two at once.
func (p *Proc) Get(bound time.Duration) (string, error) {
	select {
	case answer, ok := <-p.answers:
		if !ok {
			return "", fmt.Errorf("%s is gone", p.ID)
		}
		return answer, nil
	case <-time.After(bound):
		return "", fmt.Errorf("%s: no answer within %v", p.ID, bound)
	}
}

// Answer waits for the next answer and fails the test if there is none within the bound.
func (p *Proc) Answer(bound time.Duration) string {
	p.t.Helper()
	answer, err := p.Get(bound)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer
}

// Say says words and returns the answer.
func (p *Proc) Say(words ...string) string {
	p.t.Helper()
	p.Send(words...)
	return p.Answer(Patience)
}

// Want says words, fails the test unless the answer begins with the given word, and returns the rest of the answer.
func (p *Proc) Want(answer string, words ...string) string {
	p.t.Helper()
	p.Send(words...)
	return p.Expect(answer, Patience)
}

// Expect waits for the answer to words sent before, and fails the test unless it begins with the given word.
func (p *Proc) Expect(answer string, bound time.Duration) string {
	p.t.Helper()
	got := p.Answer(bound)
	word, rest, _ := strings.Cut(got, " ")
	if word != answer {
		p.t.Fatalf("%s answered %q, not %s", p.ID, got, answer)
	}
	return rest
}

// Quiet fails the test if the child answers within d.
func (p *Proc) Quiet(d time.Duration) {
	p.t.Helper()
	if answer, err := p.Get(d); err == nil {
		p.t.Fatalf("%s answered %q, but nothing was due", p.ID, answer)
	}
}

// Lost waits for the note that the child's lock was lost, and returns what it says.
func (p *Proc) Lost(bound time.Duration) string {
	p.t.Helper()
	deadline := time.After(bound)
	for {
		p.mu.Lock()
		notes, news := p.notes, p.news
		p.mu.Unlock()
		for _, note := range notes {
			if rest, ok := strings.CutPrefix(note, "LOST "); ok {
				return rest
			}
		}
		select {
		case <-news:
		case <-p.exited:
			p.t.Fatalf("%s is gone, and spoke of no loss", p.ID)
		case <-deadline:
			p.t.Fatalf("%s: no loss within %v", p.ID, bound)
		}
	}
}

// Losses returns the notes of loss so far.
func (p *Proc) Losses() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var losses []string
	for _, note := range p.notes {
		if rest, ok := strings.CutPrefix(note, "LOST "); ok {
			losses = append(losses, rest)
		}
	}
	return losses
}
