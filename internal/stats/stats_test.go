package stats_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
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
			if got, want := pair[0], pair[1]; !near(got, want) {
				t.Errorf("case %d, %d pairs, %d up and %d down: %s is %v, SciPy has %v", i, d.Count, c.Up, c.Down, what, got, want)
			}
		}
	}
}

// near holds within 1e-6, of the value where that is larger than 1, and for small ones within 1e-6 of themselves.
func near(got, want float64) bool { return math.Abs(got-want) <= 1e-6*math.Abs(want)+1e-15 }

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
	if p := stats.SignTest(5, 0); !near(p, 1.0/16) {
		t.Errorf("five of five: %v, want 1/16", p)
	}
}

// What must hold of any differences, whatever their size.
func TestPropertiesOfTheTTest(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(59, 60))
	for range 2000 {
		scale := math.Pow(10, draw.Float64()*8-4)
		d := stats.Differences{Count: 2 + draw.Uint64N(3000), Mean: draw.NormFloat64() * scale, Deviation: (0.01 + 3*draw.Float64()) * scale}
		interval, p, ok := d.TTest()
		if !ok || p < 0 || p > 1 || interval.Low > d.Mean || interval.High < d.Mean {
			t.Fatalf("%+v: %v, p %v, ok %v", d, interval, p, ok)
		}
		if excludes := interval.Low > 0 || interval.High < 0; excludes != (p < 0.05) && math.Abs(p-0.05) > 1e-9 {
			t.Fatalf("%+v: zero is outside of %v: %v, but p is %v", d, interval, excludes, p)
		}
		mirrored, q, _ := stats.Differences{Count: d.Count, Mean: -d.Mean, Deviation: d.Deviation}.TTest()
		if mirrored.Low != -interval.High || mirrored.High != -interval.Low || q != p {
			t.Fatalf("%+v: %v and p %v, mirrored %v and p %v", d, interval, p, mirrored, q)
		}
		larger, r, _ := stats.Differences{Count: d.Count, Mean: 8 * d.Mean, Deviation: 8 * d.Deviation}.TTest()
		if larger.Low != 8*interval.Low || larger.High != 8*interval.High || r != p {
			t.Fatalf("%+v: %v and p %v, in another unit %v and p %v", d, interval, p, larger, r)
		}
		more, s, _ := stats.Differences{Count: 2 * d.Count, Mean: d.Mean, Deviation: d.Deviation}.TTest()
		if more.High-more.Low >= interval.High-interval.Low || s > p {
			t.Fatalf("%+v: %v and p %v, of twice as many %v and p %v", d, interval, p, more, s)
		}
	}
}

// The more uneven, the less it is chance.
func TestSignTestFallsWithUnevenness(t *testing.T) {
	t.Parallel()
	for _, all := range []uint64{1, 2, 7, 40, 1001, 2000} {
		before := 0.0
		for down := range all/2 + 1 {
			p := stats.SignTest(all-down, down)
			if p < before {
				t.Fatalf("%d of %d down: %v, after %v for one less", down, all, p, before)
			}
			before = p
		}
		if before > 1 || all%2 == 0 && before != 1 {
			t.Errorf("half of %d: %v", all, before)
		}
	}
}
