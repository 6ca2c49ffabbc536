package stats_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/sondehq/sonde/internal/stats"
)

// What SciPy says is written by testdata/figures.py.
func TestFiguresOfSciPy(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/figures.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Differences  []float64
		Low, High, P float64
		Up, Down     uint64
		Sign         float64
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != 100 {
		t.Fatalf("%d cases, want 100", len(cases))
	}
	for i, c := range cases {
		d := differences(c.Differences)
		interval, p, ok := d.TTest()
		if !ok {
			t.Errorf("case %d: no test of %d pairs", i, d.Count)
		}
		for what, pair := range map[string][2]float64{
			"low": {interval.Low, c.Low}, "high": {interval.High, c.High}, "p": {p, c.P}, "sign": {stats.SignTest(c.Up, c.Down), c.Sign},
		} {
			if got, want := pair[0], pair[1]; !close(got, want) {
				t.Errorf("case %d, %d pairs, %d up and %d down: %s is %v, SciPy has %v", i, d.Count, c.Up, c.Down, what, got, want)
			}
		}
	}
}

// close holds within 1e-6, of the value where that is larger than 1, and for small ones within 1e-6 of themselves.
func close(got, want float64) bool { return math.Abs(got-want) <= 1e-6*math.Abs(want)+1e-15 }

func differences(values []float64) stats.Differences {
	d := stats.Differences{Count: uint64(len(values))}
	for _, v := range values {
		d.Mean += v / float64(len(values))
	}
	for _, v := range values {
		d.Deviation += (v - d.Mean) * (v - d.Mean)
	}
	d.Deviation = math.Sqrt(d.Deviation / float64(len(values)-1))
	return d
}

func TestNothingToTest(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]stats.Differences{
		"no pair": {}, "one pair": {Count: 1, Mean: 1}, "all alike": {Count: 5, Mean: 1}, "not a number": {Count: 5, Mean: math.NaN(), Deviation: 1},
		"no deviation": {Count: 5, Mean: 1, Deviation: math.NaN()}, "endless": {Count: 5, Mean: 1, Deviation: math.Inf(1)},
	} {
		if _, _, ok := d.TTest(); ok {
			t.Errorf("%s: tested", name)
		}
	}
}

func TestSignTestIsSymmetric(t *testing.T) {
	t.Parallel()
	for up := range uint64(40) {
		for down := range uint64(40) {
			p := stats.SignTest(up, down)
			if p != stats.SignTest(down, up) || p <= 0 || p > 1 {
				t.Fatalf("%d up, %d down: %v", up, down, p)
			}
		}
	}
	if p := stats.SignTest(5, 0); !close(p, 1.0/16) {
		t.Errorf("five of five: %v, want 1/16", p)
	}
}
