package litz

import (
	"encoding/json"
	"runtime"
	"sort"
	"unsafe"

	"litz/abi"
)

// Info describes an input, an output or a constant of a program.
type Info struct {
	Name  string
	DType DType
	// MinShape and MaxShape are the smallest and the largest size of each dimension; -1 is no bound.
	MinShape, MaxShape []int
	// Mutated says that a run writes to it.
	Mutated bool
}

// Executable is a compiled program with its constants.
type Executable struct {
	life    lifetime
	handle  *abi.Executable
	heard   *listener
	inputs  []Info
	outputs []Info
	// Counts of cancellations: by Cancel, and by contexts of single runs.
	cancels, ended int64
}

// Open opens an artifact. Loading runs its code, so open only files that you trust.
func Open(path string, with ...Option) (*Executable, error) {
	place, err := cString("the path", path)
	if err != nil {
		return nil, err
	}
	given, err := options(with)
	if err != nil {
		return nil, err
	}
	defer given.release()
	var program *abi.Executable
	err = call(func(err **abi.Error) abi.Status { return abi.ExecutableOpen(place, given.handle, &program, err) })
	if err != nil {
		return nil, err
	}
	return executable(program, given.heard)
}

// executable takes a handle, and frees it where it fails.
func executable(handle *abi.Executable, heard *listener) (*Executable, error) {
	made := &Executable{life: begun(), handle: handle, heard: heard.retain()}
	runtime.SetFinalizer(made, (*Executable).Close)
	var err error
	made.inputs, err = made.infos(abi.InfoInput, abi.ExecutableNumInputs(handle))
	if err == nil {
		made.outputs, err = made.infos(abi.InfoOutput, abi.ExecutableNumOutputs(handle))
	}
	if err != nil {
		made.Close()
		return nil, err
	}
	return made, nil
}

func (e *Executable) infos(what int32, n uintptr) ([]Info, error) {
	made := make([]Info, n)
	for k := range made {
		var raw abi.TensorInfo
		raw.StructSize = unsafe.Sizeof(raw)
		err := call(func(err **abi.Error) abi.Status {
			return abi.ExecutableInfo(e.handle, what, uintptr(k), &raw, err)
		})
		if err != nil {
			return nil, err
		}
		made[k] = Info{
			Name:     abi.GoString(raw.Name),
			DType:    DType{raw.Dtype.Code, raw.Dtype.Bits},
			MinShape: ints(raw.MinShape, raw.Ndim),
			MaxShape: ints(raw.MaxShape, raw.Ndim),
			Mutated:  raw.Mutated != 0,
		}
	}
	return made, nil
}

// with calls f with the program, which lives until f has returned.
func (e *Executable) with(f func(handle *abi.Executable) error) error {
	if !e.life.acquire() {
		return failure(ErrState, "the program was closed")
	}
	defer func() {
		if e.life.release() {
			e.free()
		}
	}()
	return f(e.handle)
}

// Inputs describes what a run takes. The slice is the program's.
func (e *Executable) Inputs() []Info { return e.inputs }

// Outputs describes what a run gives. The slice is the program's.
func (e *Executable) Outputs() []Info { return e.outputs }

// Constants describes the program's parameters, buffers and constants.
func (e *Executable) Constants() ([]Info, error) {
	var made []Info
	err := e.with(func(handle *abi.Executable) (err error) {
		made, err = e.infos(abi.InfoConstant, abi.ExecutableNumConstants(handle))
		return err
	})
	return made, err
}

// Describe is the program as a JSON object: kernels, symbols, options.
func (e *Executable) Describe() (json.RawMessage, error) {
	return e.object(abi.ExecutableDescribe)
}

// Spec is the program's signature as a JSON object.
func (e *Executable) Spec() (json.RawMessage, error) {
	return e.object(abi.ExecutableSpec)
}

func (e *Executable) object(
	f func(*abi.Executable, **abi.String, **abi.Error) abi.Status,
) (json.RawMessage, error) {
	var made json.RawMessage
	err := e.with(func(handle *abi.Executable) (err error) {
		made, err = object(func(out **abi.String, err **abi.Error) abi.Status { return f(handle, out, err) })
		return err
	})
	return made, err
}

// Save writes an artifact of the program, with the constants as they are now.
func (e *Executable) Save(path string) error {
	return e.filed(path, func(e *abi.Executable, path *byte, err **abi.Error) abi.Status {
		return abi.ExecutableSave(e, path, err)
	})
}

// SaveConstants writes parameters and buffers to a safetensors file.
func (e *Executable) SaveConstants(path string) error {
	return e.filed(path, abi.ExecutableSaveConstants)
}

// LoadConstants replaces parameters and buffers by those of a safetensors file, all or none.
func (e *Executable) LoadConstants(path string) error {
	return e.filed(path, abi.ExecutableLoadConstants)
}

func (e *Executable) filed(path string, f func(*abi.Executable, *byte, **abi.Error) abi.Status) error {
	place, err := cString("the path", path)
	if err != nil {
		return err
	}
	return e.with(func(handle *abi.Executable) error {
		return call(func(err **abi.Error) abi.Status { return f(handle, place, err) })
	})
}

// Constant is a copy of a constant as it is now.
func (e *Executable) Constant(name string) (*Tensor, error) {
	called, err := cString("the name", name)
	if err != nil {
		return nil, err
	}
	var made *abi.DLManagedTensorVersioned
	err = e.with(func(handle *abi.Executable) error {
		return call(func(err **abi.Error) abi.Status { return abi.ExecutableConstant(handle, called, &made, err) })
	})
	if err != nil {
		return nil, err
	}
	return given(made), nil
}

// UpdateConstants replaces constants by their names, all or none. It waits for runs in progress, and later runs see all of them.
func (e *Executable) UpdateConstants(values map[string]*Tensor) error {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	called, tensors := make([]*byte, len(names)+1), make([]*Tensor, len(names))
	for k, name := range names {
		var err error
		if called[k], err = cString("the name", name); err != nil {
			return err
		}
		if tensors[k] = values[name]; tensors[k] == nil {
			return failure(ErrInvalidArgument, "there is no tensor for `%s`", name)
		}
	}
	lent, err := lend(tensors)
	if err != nil {
		return err
	}
	defer lent.end()
	return e.with(func(handle *abi.Executable) error {
		return call(func(err **abi.Error) abi.Status {
			return abi.ExecutableUpdateConstants(handle, &called[0], lent.first(), lent.count(), err)
		})
	})
}

// Clone is another instance of the program. It shares code and what no run changes, and begins with the original's state.
func (e *Executable) Clone() (*Executable, error) {
	var made *abi.Executable
	err := e.with(func(handle *abi.Executable) error {
		return call(func(err **abi.Error) abi.Status { return abi.ExecutableClone(handle, &made, err) })
	})
	if err != nil {
		return nil, err
	}
	return executable(made, e.heard)
}

// Close frees the program once the runs in progress have ended. Results stay.
func (e *Executable) Close() error {
	if e.life.close() {
		e.free()
	}
	return nil
}

func (e *Executable) free() {
	runtime.SetFinalizer(e, nil)
	abi.ExecutableRelease(e.handle)
	e.heard.release()
}
