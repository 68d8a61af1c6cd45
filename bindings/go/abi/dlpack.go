package abi

import "unsafe"

// Kinds of devices, element types and flags of DLPack.
const (
	DLCPU = 1

	DLInt     = 0
	DLUInt    = 1
	DLFloat   = 2
	DLBfloat  = 4
	DLComplex = 5
	DLBool    = 6

	DLFlagReadOnly = 1
)

// DLDevice is where a tensor lies.
type DLDevice struct {
	DeviceType int32
	DeviceId   int32
}

// DLDataType is the type of an element.
type DLDataType struct {
	Code  uint8
	Bits  uint8
	Lanes uint16
}

// DLTensor describes a tensor that somebody else owns.
type DLTensor struct {
	Data       unsafe.Pointer
	Device     DLDevice
	Ndim       int32
	Dtype      DLDataType
	Shape      *int64
	Strides    *int64
	ByteOffset uint64
}

// DLPackVersion is the version that a tensor was described by.
type DLPackVersion struct {
	Major uint32
	Minor uint32
}

// DLManagedTensorVersioned is a tensor with its deleter. TensorRelease frees it.
type DLManagedTensorVersioned struct {
	Version    DLPackVersion
	ManagerCtx unsafe.Pointer
	Deleter    uintptr
	Flags      uint64
	DlTensor   DLTensor
}
