package litz

import "math"

// Half is a number of IEEE half precision, as its bits.
type Half uint16

// Brain is a bfloat16, the upper half of a float32, as its bits.
type Brain uint16

// Float32 is the number, exactly.
func (b Brain) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// ToBrain rounds to the nearest number, and to the even one of two.
func ToBrain(x float32) Brain {
	bits := math.Float32bits(x)
	if x != x {
		return Brain(bits>>16 | 0x40)
	}
	return Brain((bits + 0x7fff + bits>>16&1) >> 16)
}

// Float32 is the number, exactly.
func (h Half) Float32() float32 {
	sign, exponent, fraction := uint32(h)>>15<<31, uint32(h)>>10&31, uint32(h)&0x3ff
	switch exponent {
	case 0:
		// A subnormal number is a whole multiple of 2^-24.
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	default:
		return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
	}
}

// ToHalf rounds to the nearest number, and to the even one of two. What is 65520 or larger becomes infinity.
func ToHalf(x float32) Half {
	bits := math.Float32bits(x)
	sign, magnitude := Half(bits>>31<<15), bits&0x7fffffff
	switch {
	case magnitude > 0xff<<23:
		return sign | 0x7e00 | Half(magnitude>>13&0x1ff)
	case magnitude >= math.Float32bits(65520):
		return sign | 0x7c00
	case magnitude < 113<<23:
		// Below 2^-14 it is a whole multiple of 2^-24.
		return sign | Half(math.RoundToEven(float64(math.Float32frombits(magnitude))*0x1p24))
	default:
		magnitude -= 112 << 23
		return sign | Half((magnitude+0xfff+magnitude>>13&1)>>13)
	}
}
