package proctest

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Witness returns a witness for one lock: what a [Config] of the same name has.
func Witness(t testing.TB) string {
	t.Helper()
	if !Away() || elsewhere.Judge == "" {
		return filepath.Join(Disk(t), "witness")
	}
	l, err := net.Listen("tcp", elsewhere.Judge)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go judgeAt(l)
	return judgeScheme + l.Addr().String()
}

// judgeScheme begins the name of a witness that is a judge.
const judgeScheme = "tcp:"

// A judge is told by processes on any host when they enter and leave, and says no when somebody else is inside. Whoever does not
// leave is inside until its process ends, and with it the connection.
type judge struct {
	mu     sync.Mutex
	inside net.Conn
	who    string
}

// judgeAt judges until nobody listens any more.
func judgeAt(l net.Listener) {
	j := &judge{}
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go j.hear(conn)
	}
}

func (j *judge) hear(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	if !lines.Scan() {
		return
	}
	if other, ok := j.enter(conn, lines.Text()); !ok {
		fmt.Fprintln(conn, other)
		return
	}
	fmt.Fprintln(conn, "IN")
	lines.Scan() // what it says, or that it ends
	j.leave(conn)
	fmt.Fprintln(conn, "OUT")
}

func (j *judge) enter(conn net.Conn, who string) (other string, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.inside != nil {
		return j.who, false
	}
	j.inside, j.who = conn, who
	return "", true
}

func (j *judge) leave(conn net.Conn) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.inside == conn {
		j.inside = nil
	}
}

// tell enters with a judge.
func tell(address, id string) (*witness, error) {
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		return nil, err
	}
	answer, err := say(conn, id)
	if err == nil && answer != "IN" {
		err = fmt.Errorf("%s is inside", answer)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &witness{conn: conn}, nil
}

func say(conn net.Conn, words string) (answer string, err error) {
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return "", err
	}
	if _, err := fmt.Fprintln(conn, words); err != nil {
		return "", err
	}
	answer, err = bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(answer, "\n"), conn.SetDeadline(time.Time{})
}
