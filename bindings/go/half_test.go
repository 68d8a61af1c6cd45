package litz_test

import (
	"math"
	"testing"

	"litz"
)

// checkRounding compares round with the numbers around each number, and halfway between two.
func checkRounding(t *testing.T, name string, infinity int, number func(int) float64, round func(float32) int) {
	t.Helper()
	for k := 0; k < infinity; k++ {
		low, high := number(k), number(k+1)
		if k+1 == infinity {
			// Where the next number would be.
			high = 2*low - number(k-1)
		}
		middle := float32((low + high) / 2)
		even := k + k%2
		cases := []struct {
			x    float32
			want int
		}{
			{float32(low), k},
			{math.Nextafter32(middle, float32(low)), k},
			{middle, even},
			{math.Nextafter32(middle, float32(math.Inf(1))), k + 1},
		}
		for _, one := range cases {
			for _, sign := range []int{0, 0x8000} {
				x := one.x
				if sign != 0 {
					x = -x
				}
				if got := round(x); got != one.want|sign {
					t.Fatalf("%s of %v is %#x, not %#x", name, x, got, one.want|sign)
				}
			}
		}
	}
	if got := number(round(float32(math.NaN()))); got == got {
		t.Errorf("%s of NaN is %v", name, got)
	}
	if got := number(round(float32(math.Inf(-1)))); got != math.Inf(-1) {
		t.Errorf("%s of -inf is %v", name, got)
	}
}

func TestHalvesAreRounded(t *testing.T) {
	half := func(k int) float64 { return float64(litz.Half(k).Float32()) }
	checkRounding(t, "ToHalf", 0x7c00, half, func(x float32) int { return int(litz.ToHalf(x)) })
	if half(1) != 0x1p-24 || half(0x3c00) != 1 || half(0xc000) != -2 || half(0x7bff) != 65504 || half(0x7c00) != math.Inf(1) {
		t.Error("numbers of half precision")
	}
	brain := func(k int) float64 { return float64(litz.Brain(k).Float32()) }
	checkRounding(t, "ToBrain", 0x7f7f, brain, func(x float32) int { return int(litz.ToBrain(x)) })
	if brain(0x3f80) != 1 || brain(0x7f80) != math.Inf(1) || litz.ToBrain(math.MaxFloat32) != 0x7f80 {
		t.Error("numbers of bfloat16")
	}
}
