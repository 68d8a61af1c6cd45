package litz

import (
	"context"
	"sync/atomic"
	"unsafe"

	"litz/abi"
)

// Random is the state of the random numbers of a run: docs/random.md.
type Random struct{ Seed, Offset uint64 }

// Run runs the program once. An input that is optional may be nil; one that the program writes to is written to.
//
// When ctx is done the run ends: the error is ErrCancelled and the context's, and inputs and constants are as they were before. A
// run that has begun to write to them goes on to its end. Runs of other contexts are not ended, but may begin anew.
func (e *Executable) Run(ctx context.Context, inputs ...*Tensor) ([]*Tensor, error) {
	return e.run(ctx, nil, inputs)
}

// RunRandom is [Executable.Run] from a state of the random numbers. It also gives the state for the next run.
func (e *Executable) RunRandom(ctx context.Context, random Random, inputs ...*Tensor) ([]*Tensor, Random, error) {
	next := random
	how := abi.RunOptions{
		Flags:      abi.RunHasSeed,
		Seed:       random.Seed,
		Offset:     random.Offset,
		NextOffset: &next.Offset,
	}
	how.StructSize = unsafe.Sizeof(how)
	results, err := e.run(ctx, &how, inputs)
	return results, next, err
}

func (e *Executable) run(ctx context.Context, how *abi.RunOptions, inputs []*Tensor) ([]*Tensor, error) {
	lent, err := lend(inputs)
	if err != nil {
		return nil, err
	}
	defer lent.end()
	// One more than there are, so that there is an address.
	made := make([]*abi.DLManagedTensorVersioned, len(e.outputs)+1)
	err = e.running(ctx, func(handle *abi.Executable, err **abi.Error) abi.Status {
		return abi.ExecutableRun(handle, lent.first(), lent.count(), &made[0], uintptr(len(e.outputs)), how, err)
	})
	if err != nil {
		return nil, err
	}
	results := make([]*Tensor, len(e.outputs))
	for k := range results {
		results[k] = given(made[k])
	}
	return results, nil
}

// RunInto runs the program once and writes the results to outputs, of the types and sizes that [Executable.InferOutputs] tells.
// It is cancelled as [Executable.Run] is; what the outputs hold then is not defined.
func (e *Executable) RunInto(ctx context.Context, inputs, outputs []*Tensor) error {
	from, err := lend(inputs)
	if err != nil {
		return err
	}
	defer from.end()
	into, err := lend(outputs)
	if err != nil {
		return err
	}
	defer into.end()
	return e.running(ctx, func(handle *abi.Executable, err **abi.Error) abi.Status {
		return abi.ExecutableRunInto(handle, from.first(), from.count(), into.first(), into.count(), nil, err)
	})
}

// running makes a run that ctx ends. The C ABI ends all runs of a program at once: one that ended for another run's context
// has changed nothing, and begins anew.
func (e *Executable) running(ctx context.Context, f func(*abi.Executable, **abi.Error) abi.Status) error {
	return e.with(func(handle *abi.Executable) error {
		cancel := func() {
			atomic.AddInt64(&e.ended, 1)
			cancelRuns(handle)
		}
		cancels := atomic.LoadInt64(&e.cancels)
		for {
			ended := atomic.LoadInt64(&e.ended)
			err := watched(ctx, cancel, func() error {
				return call(func(err **abi.Error) abi.Status { return f(handle, err) })
			})
			forOther := isCancelled(err) && ctx.Err() == nil && atomic.LoadInt64(&e.ended) != ended
			if !forOther || atomic.LoadInt64(&e.cancels) != cancels {
				return err
			}
		}
	})
}

func cancelRuns(handle *abi.Executable) error {
	return call(func(err **abi.Error) abi.Status { return abi.ExecutableCancel(handle, err) })
}

// Cancel ends the runs that are in progress on other goroutines: they give ErrCancelled. Later runs are as ever.
func (e *Executable) Cancel() error {
	return e.with(func(handle *abi.Executable) error {
		atomic.AddInt64(&e.cancels, 1)
		return cancelRuns(handle)
	})
}

// Type is the type and the shape of a result.
type Type struct {
	DType DType
	Shape []int
}

// InferOutputs tells what a run on these inputs gives. A size that depends on data gets its bound, -1 where there is none.
func (e *Executable) InferOutputs(inputs ...*Tensor) ([]Type, error) {
	lent, err := lend(inputs)
	if err != nil {
		return nil, err
	}
	defer lent.end()
	raw := make([]abi.DLTensor, len(e.outputs)+1)
	for k, output := range e.outputs {
		n := len(output.MinShape)
		sizes := make([]int64, 2*n+1)
		raw[k].Shape, raw[k].Strides = &sizes[0], &sizes[n]
	}
	err = e.with(func(handle *abi.Executable) error {
		return call(func(err **abi.Error) abi.Status {
			return abi.ExecutableInferOutputs(
				handle, lent.first(), lent.count(), &raw[0], uintptr(len(e.outputs)), err,
			)
		})
	})
	if err != nil {
		return nil, err
	}
	types := make([]Type, len(e.outputs))
	for k := range types {
		types[k] = Type{DType{raw[k].Dtype.Code, raw[k].Dtype.Bits}, ints(raw[k].Shape, raw[k].Ndim)}
	}
	return types, nil
}

// lending is tensors as C takes them. They stay open until its end.
type lending struct {
	tensors  []*Tensor
	pointers []*abi.DLTensor
}

func lend(tensors []*Tensor) (lending, error) {
	// One more than there are, so that there is an address.
	made := lending{pointers: make([]*abi.DLTensor, len(tensors)+1)}
	for k, tensor := range tensors {
		if tensor == nil {
			continue
		}
		if err := tensor.acquire(); err != nil {
			made.end()
			return lending{}, err
		}
		made.tensors = append(made.tensors, tensor)
		made.pointers[k] = &tensor.raw
	}
	return made, nil
}

func (l lending) first() **abi.DLTensor { return &l.pointers[0] }

func (l lending) count() uintptr { return uintptr(len(l.pointers) - 1) }

func (l lending) end() {
	for _, tensor := range l.tensors {
		tensor.release()
	}
}
