package record

import (
	"cmp"
	"math"
	"slices"
)

// Quantile is the least sample that at least the share q of all does not exceed; Never is longer than anything. NaN of none.
func Quantile(samples []int64, q float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	sorted := slices.SortedFunc(slices.Values(samples), func(a, b int64) int {
		if (a == Never) != (b == Never) {
			return cmp.Compare(b, a) // a negative one is the longest
		}
		return cmp.Compare(a, b)
	})
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return float64(sorted[min(max(i, 0), len(sorted)-1)])
}

// Median is the middle one, or the mean of the two in the middle. NaN of none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// Ratios are the samples in multiples of the floor that was measured beside each.
func (r Record) Ratios() []float64 {
	var all []float64
	for i := range min(len(r.Samples), len(r.Floor)) {
		if r.Samples[i] > 0 && r.Floor[i] > 0 {
			all = append(all, float64(r.Samples[i])/float64(r.Floor[i]))
		}
	}
	return all
}

// Shares are the least and the largest sample in percent of all.
func (r Record) Shares() (least, largest float64) {
	var sum int64
	for _, s := range r.Samples {
		sum += s
	}
	if sum == 0 {
		return math.NaN(), math.NaN()
	}
	percent := func(s int64) float64 { return 100 * float64(s) / float64(sum) }
	return percent(slices.Min(r.Samples)), percent(slices.Max(r.Samples))
}
