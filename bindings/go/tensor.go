package litz

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"litz/abi"
)

// Tensor is a shape and elements, row by row: those of a slice of Go, or of a result, which lie in the library's memory.
type Tensor struct {
	life lifetime
	// What C reads. Its pointers keep Go memory alive.
	raw     abi.DLTensor
	dtype   DType
	shape   []int
	managed *abi.DLManagedTensorVersioned
}

// NewTensor is a tensor of these elements, which are not copied: the slice must not be written to while a run reads it. Without a
// shape it holds one number. The error is ErrShape where the shape has another number of elements.
func NewTensor[T Element](elements []T, shape ...int) (*Tensor, error) {
	count, err := countOf(shape)
	if err != nil {
		return nil, err
	}
	if count != len(elements) {
		return nil, failure(ErrShape, "a tensor of shape %v has %d elements, and %d are given", shape, count, len(elements))
	}
	var data unsafe.Pointer
	if count > 0 {
		data = unsafe.Pointer(&elements[0])
	}
	return tensorAt(DTypeOf[T](), shape, data), nil
}

// Zeros is a tensor with memory of its own, to be written by [Executable.RunInto].
func Zeros(dtype DType, shape ...int) (*Tensor, error) {
	if _, ok := elementTypes[dtype]; !ok {
		return nil, failure(ErrDType, "Go has no elements of %v", dtype)
	}
	count, err := countOf(shape)
	if err != nil {
		return nil, err
	}
	if count > math.MaxInt/dtype.Size() {
		return nil, failure(ErrShape, "a tensor of shape %v is too large", shape)
	}
	var data unsafe.Pointer
	if count > 0 {
		// Whole words, so that any element is aligned.
		words := make([]complex128, (count*dtype.Size()+15)/16)
		data = unsafe.Pointer(&words[0])
	}
	return tensorAt(dtype, shape, data), nil
}

func tensorAt(dtype DType, shape []int, data unsafe.Pointer) *Tensor {
	n := len(shape)
	// Sizes, then strides, and one more so that there is an address.
	sizes := make([]int64, 2*n+1)
	stride := 1
	for k := n - 1; k >= 0; k-- {
		sizes[k], sizes[n+k] = int64(shape[k]), int64(stride)
		if shape[k] > 0 {
			stride *= shape[k]
		}
	}
	return &Tensor{
		life:  begun(),
		dtype: dtype,
		shape: append([]int(nil), shape...),
		raw: abi.DLTensor{
			Data:    data,
			Device:  abi.DLDevice{DeviceType: abi.DLCPU},
			Ndim:    int32(n),
			Dtype:   abi.DLDataType{Code: dtype.code, Bits: dtype.bits, Lanes: 1},
			Shape:   &sizes[0],
			Strides: &sizes[n],
		},
	}
}

// given is a tensor that the library made, and which is the caller's.
func given(managed *abi.DLManagedTensorVersioned) *Tensor {
	raw := managed.DlTensor
	made := &Tensor{
		life:    begun(),
		raw:     raw,
		dtype:   DType{raw.Dtype.Code, raw.Dtype.Bits},
		shape:   ints(raw.Shape, raw.Ndim),
		managed: managed,
	}
	runtime.SetFinalizer(made, (*Tensor).Close)
	return made
}

// ints are n numbers of C's.
func ints(at *int64, n int32) []int {
	made := make([]int, n)
	if n > 0 {
		for k, size := range unsafe.Slice(at, int(n)) {
			made[k] = int(size)
		}
	}
	return made
}

// countOf is how many elements a shape has.
func countOf(shape []int) (int, error) {
	count := 1
	for _, size := range shape {
		if size < 0 {
			return 0, failure(ErrShape, "a shape has a negative size: %v", shape)
		}
		if size > 0 && count > math.MaxInt/size {
			return 0, failure(ErrShape, "a tensor of shape %v is too large", shape)
		}
		count *= size
	}
	return count, nil
}

// DType is the type of the elements.
func (t *Tensor) DType() DType { return t.dtype }

// Shape is the size of each dimension.
func (t *Tensor) Shape() []int { return append([]int(nil), t.shape...) }

// Len is the number of elements.
func (t *Tensor) Len() int {
	count, _ := countOf(t.shape)
	return count
}

// String is the type and the shape.
func (t *Tensor) String() string { return fmt.Sprintf("%v%v", t.dtype, t.shape) }

// Close frees a result's memory, once runs that read it have ended. Slices that [Data] gave must not be used afterwards.
func (t *Tensor) Close() error {
	if t.life.close() {
		t.free()
	}
	return nil
}

func (t *Tensor) free() {
	runtime.SetFinalizer(t, nil)
	if t.managed != nil {
		abi.TensorRelease(t.managed)
	}
	t.raw.Data = nil
}

func (t *Tensor) acquire() error {
	if !t.life.acquire() {
		return failure(ErrState, "the tensor was closed")
	}
	return nil
}

func (t *Tensor) release() {
	if t.life.release() {
		t.free()
	}
}

// Data is the elements, row by row, where they lie: a tensor's slice, or a view of the library's memory, which stays until Close
// and is freed by nothing else once it was asked for. Elements of a result that lie apart are copied.
//
// The error is ErrDType for another type of elements than the tensor's, ErrDevice for a tensor that lies elsewhere, and ErrState
// after Close.
func Data[T Element](t *Tensor) ([]T, error) {
	return elements[T](t, false)
}

// Copy is a copy of the elements, row by row. Its errors are those of [Data].
func Copy[T Element](t *Tensor) ([]T, error) {
	return elements[T](t, true)
}

func elements[T Element](t *Tensor, copies bool) ([]T, error) {
	if err := t.acquire(); err != nil {
		return nil, err
	}
	defer t.release()
	if want := DTypeOf[T](); want != t.dtype || t.raw.Dtype.Lanes != 1 {
		return nil, failure(ErrDType, "the tensor has elements of %v, not %v", t.dtype, want)
	}
	if kind := t.raw.Device.DeviceType; kind != abi.DLCPU {
		return nil, failure(ErrDevice, "the tensor lies on DLPack's device %d; compile with run.host_tensors=copy", kind)
	}
	count := t.Len()
	if count == 0 {
		return []T{}, nil
	}
	start := unsafe.Add(t.raw.Data, uintptr(t.raw.ByteOffset))
	strides, plain := t.strides()
	if plain && !copies && t.managed == nil {
		return unsafe.Slice((*T)(start), count), nil
	}
	if plain && !copies && t.managed.Flags&abi.DLFlagReadOnly == 0 {
		// The garbage collector does not see who holds the slice.
		runtime.SetFinalizer(t, nil)
		return unsafe.Slice((*T)(start), count), nil
	}
	made := make([]T, count)
	if plain {
		copy(made, unsafe.Slice((*T)(start), count))
		return made, nil
	}
	index := make([]int, len(t.shape))
	at := 0
	for k := range made {
		made[k] = *(*T)(unsafe.Add(start, at*t.dtype.Size()))
		for d := len(index) - 1; d >= 0; d-- {
			at += strides[d]
			if index[d]++; index[d] < t.shape[d] {
				break
			}
			at -= index[d] * strides[d]
			index[d] = 0
		}
	}
	return made, nil
}

// strides are in elements; plain says that the elements lie row by row without gaps.
func (t *Tensor) strides() (strides []int, plain bool) {
	if t.raw.Strides == nil {
		return nil, true
	}
	strides = ints(t.raw.Strides, t.raw.Ndim)
	expected := 1
	for k := len(strides) - 1; k >= 0; k-- {
		if t.shape[k] > 1 && strides[k] != expected {
			return strides, false
		}
		expected *= t.shape[k]
	}
	return strides, true
}
