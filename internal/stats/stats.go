// Package stats tells whether a difference is more than chance: distribution functions for sums that somebody else
// has made, nothing else.
package stats

import "math"

// Differences sums up paired differences.
type Differences struct {
	Count           uint64
	Mean, Deviation float64 // the standard deviation of a sample: divided by Count - 1
}

// Interval is a range that the true mean difference lies in with a probability of 95 %.
type Interval struct{ Low, High float64 }

// confidence is how much of the distribution an Interval holds.
const confidence = 0.95

// TTest is the paired test of Student: the interval of the mean difference, and how probable a mean at least as far
// from zero is if nothing changed. It is not ok for fewer than two pairs, and when all of them differ alike: then there
// is nothing to judge chance by.
func (d Differences) TTest() (interval Interval, p float64, ok bool) {
	if d.Count < 2 || !(d.Deviation > 0) || math.IsInf(d.Deviation, 0) || math.IsNaN(d.Mean) || math.IsInf(d.Mean, 0) {
		return Interval{}, 0, false
	}
	freedom, stderr := float64(d.Count-1), d.Deviation/math.Sqrt(float64(d.Count))
	reach := tQuantile(1-(1-confidence)/2, freedom) * stderr
	return Interval{d.Mean - reach, d.Mean + reach}, tTails(d.Mean/stderr, freedom), true
}

// SignTest is how probable it is that pairs which changed are divided at least as unevenly if up and down are equally
// likely: the exact binomial test, both sides. For values that are true or false it is the exact test of McNemar. Without
// a change it is 1.
func SignTest(up, down uint64) float64 {
	few, all := float64(min(up, down)), float64(up+down)
	if up == down {
		return 1
	}
	return math.Min(1, 2*incompleteBeta(all-few, few+1, 0.5))
}

// tTails is the probability of a value of Student's distribution at least as far from zero as t.
func tTails(t, freedom float64) float64 {
	return incompleteBeta(freedom/2, 0.5, freedom/(freedom+t*t))
}

// tQuantile is the t below which a share of more than one half of Student's distribution lies. Tails only shrink, so the
// range that holds it is halved until it cannot be.
func tQuantile(share, freedom float64) float64 {
	low, high := 0.0, 1.0
	beyond := func(t float64) bool { return tTails(t, freedom) > 2*(1-share) }
	for beyond(high) {
		low, high = high, 2*high
	}
	for {
		middle := low + (high-low)/2
		if middle == low || middle == high {
			return middle
		}
		if beyond(middle) {
			low = middle
		} else {
			high = middle
		}
	}
}

// incompleteBeta is the regularized incomplete beta function, the probability that a value of the beta distribution of a
// and b is at most x.
func incompleteBeta(a, b, x float64) float64 {
	if x <= 0 || x >= 1 {
		return math.Max(0, math.Min(1, x))
	}
	// The fraction converges fast below this point; above, the other tail is the one to count.
	if x > (a+1)/(a+b+2) {
		return 1 - incompleteBeta(b, a, 1-x)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab - la - lb + a*math.Log(x) + b*math.Log1p(-x))
	return front / (a * betaFraction(a, b, x))
}

// betaFraction is the continued fraction of the incomplete beta function (NIST DLMF 8.17.22) by Lentz's method as
// Thompson and Barnett changed it.
func betaFraction(a, b, x float64) float64 {
	const (
		tiny    = 1e-300
		precise = 1e-15
		most    = 10_000 // about the square root of the larger parameter are needed
	)
	away := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	result, c, d := 1.0, 1.0, 0.0
	for step := 1; step <= most; step++ {
		m := float64(step / 2)
		coefficient := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		if step%2 == 1 {
			coefficient = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		d = 1 / away(1+coefficient*d)
		c = away(1 + coefficient/c)
		result *= c * d
		if math.Abs(c*d-1) < precise {
			break
		}
	}
	return result
}
