package record

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// What is appended in two runs is read back as it was, and each run has its own rows.
func TestLogIsReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	one := Record{Test: "handoff", Peer: "p", Profile: "fast", FS: "ext4", Variant: "30s", Samples: []int64{3, Never}, N: map[string]float64{"secs": 2.5}}
	two := Record{Test: "idle", Peer: "p", Failed: "it broke"}
	for i, r := range []Record{one, two} {
		log, err := Create(path, string(rune('a'+i)))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []Record{{Test: Run}, r} {
			if err := log.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	one.Run, two.Run = "a", "b"
	if got, ok := Of(all, "a").Get(one.Key()); !ok || !reflect.DeepEqual(got, one) {
		t.Errorf("run a: %+v, want %+v", got, one)
	}
	if got, ok := Of(all, "b").Get(two.Key()); !ok || !reflect.DeepEqual(got, two) {
		t.Errorf("run b: %+v, want %+v", got, two)
	}
	if len(Of(all, "a")) != 2 || len(Of(all, "c")) != 0 {
		t.Errorf("runs are mixed up: %v, %v", Of(all, "a"), Of(all, "c"))
	}
}

func TestReadNamesTheLineThatIsNoRecord(t *testing.T) {
	const good = `{"Run":"a","Test":"run"}` + "\n"
	for _, bad := range []string{"{", `{"Run":"a"}`, `{"Test":"run"}`, "", `{"Run":1,"Test":"x"}`} {
		if _, err := Read(strings.NewReader(good + bad + "\n" + good)); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v, want an error that names line 2", bad, err)
		}
	}
}

func TestLastRun(t *testing.T) {
	all := []Record{{Run: "a", Test: Run}, {Run: "b", Test: Run}, {Run: "b", Test: "idle"}, {Run: "a", Test: "idle"}, {Run: "a", Test: "crash"}}
	if rows := Last(all); len(rows) != 2 || rows[0].Run != "b" {
		t.Errorf("%v, want the two of b, which began last", rows)
	}
	if rows := Last(nil); rows != nil {
		t.Errorf("%v out of nothing", rows)
	}
}

func TestOfTwoRowsWithOneKeyTheLastCounts(t *testing.T) {
	rows := Of([]Record{{Run: "a", Test: "idle", Load: 1}, {Run: "a", Test: "crash"}, {Run: "a", Test: "idle", Load: 2}}, "a")
	if len(rows) != 2 || rows[0].Load != 2 {
		t.Errorf("%v", rows)
	}
}

func TestQuantile(t *testing.T) {
	hundred := make([]int64, 100)
	for i := range hundred {
		hundred[i] = int64(100 - i)
	}
	for _, c := range []struct {
		samples []int64
		q, want float64
	}{
		{hundred, 0.5, 50}, {hundred, 0.99, 99}, {hundred, 1, 100}, {hundred, 0, 1},
		{[]int64{7}, 0.5, 7}, {[]int64{7}, 0.99, 7},
		{[]int64{1, 2, 3}, 0.5, 2}, {[]int64{1, 2, 3}, 0.99, 3},
		{[]int64{Never, 1, 2}, 0.5, 2}, {[]int64{Never, 1, 2}, 0.99, Never}, {[]int64{Never, 1, 2}, 0.1, 1},
	} {
		if got := Quantile(c.samples, c.q); got != c.want {
			t.Errorf("%v of %v: %v, want %v", c.q, c.samples, got, c.want)
		}
	}
	if got := Quantile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("of nothing: %v", got)
	}
}

func TestMedianRatiosShares(t *testing.T) {
	if got := Median([]float64{4, 1, 2, 3}); got != 2.5 {
		t.Errorf("median %v", got)
	}
	r := Record{Samples: []int64{30, 10, 20, 5}, Floor: []int64{10, 10, 0}}
	if got := r.Ratios(); !reflect.DeepEqual(got, []float64{3, 1}) {
		t.Errorf("ratios %v: only pairs that were both measured count", got)
	}
	if least, largest := (Record{Samples: []int64{1, 6, 3}}).Shares(); least != 10 || largest != 60 {
		t.Errorf("shares %v to %v", least, largest)
	}
	if least, _ := (Record{Samples: []int64{0, 0}}).Shares(); !math.IsNaN(least) {
		t.Errorf("a share of nothing: %v", least)
	}
}

func TestFileSystemsAndVariants(t *testing.T) {
	rows := Rows{{FS: "tmpfs", Variant: "8"}, {FS: "ext4", Variant: "32"}, {FS: "tmpfs"}, {}}
	if got := rows.FSs(); !reflect.DeepEqual(got, []string{"ext4", "tmpfs"}) {
		t.Errorf("%v", got)
	}
	if got := rows.Variants(); !reflect.DeepEqual(got, []string{"8", "32"}) {
		t.Errorf("%v", got)
	}
}
