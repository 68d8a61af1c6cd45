package litz

import (
	"fmt"

	"litz/abi"
)

// DType is the type of a tensor's elements.
type DType struct{ code, bits uint8 }

// The element types that this package has.
var (
	Bool         = DType{abi.DLBool, 8}
	Int8         = DType{abi.DLInt, 8}
	Int16        = DType{abi.DLInt, 16}
	Int32        = DType{abi.DLInt, 32}
	Int64        = DType{abi.DLInt, 64}
	Uint8        = DType{abi.DLUInt, 8}
	Uint16       = DType{abi.DLUInt, 16}
	Uint32       = DType{abi.DLUInt, 32}
	Uint64       = DType{abi.DLUInt, 64}
	Float16      = DType{abi.DLFloat, 16}
	BFloat16     = DType{abi.DLBfloat, 16}
	Float32      = DType{abi.DLFloat, 32}
	Float64      = DType{abi.DLFloat, 64}
	Complex64    = DType{abi.DLComplex, 64}
	Complex128   = DType{abi.DLComplex, 128}
	elementTypes = map[DType]string{
		Bool: "bool", Int8: "int8", Int16: "int16", Int32: "int32", Int64: "int64",
		Uint8: "uint8", Uint16: "uint16", Uint32: "uint32", Uint64: "uint64",
		Float16: "float16", BFloat16: "bfloat16", Float32: "float32", Float64: "float64",
		Complex64: "complex64", Complex128: "complex128",
	}
)

// String is the name that PyTorch has for the type.
func (d DType) String() string {
	if name, ok := elementTypes[d]; ok {
		return name
	}
	return fmt.Sprintf("DLPack's type %d of %d bits", d.code, d.bits)
}

// Size is the size of an element in bytes.
func (d DType) Size() int { return (int(d.bits) + 7) / 8 }

// Element is what a tensor's elements may be in Go. [Half] and [Brain] are float16 and bfloat16 as their bits.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		Half | Brain | float32 | float64 | complex64 | complex128
}

// DTypeOf is the element type of T.
func DTypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case Half:
		return Float16
	case Brain:
		return BFloat16
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	default:
		return Complex128
	}
}
