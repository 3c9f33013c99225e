package proctest

import (
	"testing"
	"time"
)

// Until asks again and again until the condition holds, and fails the test if it does not within the bound.
func Until(t testing.TB, bound time.Duration, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(bound); !condition(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", bound, what)
		}
	}
}

// Never asks for the time given and fails the test if the condition holds once.
func Never(t testing.TB, span time.Duration, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(span); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if condition() {
			t.Fatalf("it must never come to this: %s", what)
		}
	}
}
