// Code generated from abi/litz.json by scripts/generate. DO NOT EDIT.

package abi

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// Compile is litz_compile. Compiles a graph. `o` is nullable. The graph is not changed and may be released. The
// caller owns `*out`. One thread at a time.
func Compile(g *Graph, o *Options, out **Executable, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[66], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// CompileWith is litz_compile_with. Compiles a graph with example inputs. `n` is the graph's number of inputs.
// `examples` are tensors like those of later runs: their sizes become the hints of the graph's symbols, and
// autotuning times runs on their data. The program runs once on copies of them before the call returns; neither
// they nor the constants change. NULL: no examples. As in a run, `examples[k]` may be NULL where the program does
// not use the input. `static_inputs[k]` is 1 for an input whose address stays the same between runs (CUDA graphs),
// as in the run options; NULL: none. Otherwise as `litz_compile`. One thread at a time.
func CompileWith(g *Graph, o *Options, examples **DLTensor, n uintptr, staticInputs *uint8, out **Executable, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[67], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(examples)), n, uintptr(unsafe.Pointer(staticInputs)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// CompileArtifact is litz_compile_artifact. Compiles a graph to an artifact, a `.so` that `litz_executable_open`
// and `litz/artifact.h` read. Where `path` is a folder the file is named by its content there; a log line of level
// 2 says which it is, and `litz_executable_describe` of the folder, opened, has its `path`. `o` is nullable. One
// thread at a time.
func CompileArtifact(g *Graph, o *Options, path *byte, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[68], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableSave is litz_executable_save. Writes an artifact of the compiled program, with the constants as they
// are now. A program that was opened in memory and dropped constants which its artifact holds (`freeze`, for
// several instruction sets) is `LITZ_ERROR_STATE`. Any thread.
func ExecutableSave(e *Executable, path *byte, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[69], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableOpen is litz_executable_open. Opens an artifact. Its magic, version, target and hash are checked
// before its code is loaded. Loading runs its code, so open only files that you trust. Options that act when a
// program is compiled change nothing here; the log says which they are. `o` is nullable. The caller owns `*out`.
// Any thread.
func ExecutableOpen(path *byte, o *Options, out **Executable, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[70], uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableOpenMemory is litz_executable_open_memory. Opens an artifact that lies in memory. `data` is not needed
// after the call. As `litz_executable_open` otherwise. One thread at a time.
func ExecutableOpenMemory(data unsafe.Pointer, size uintptr, o *Options, out **Executable, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[71], uintptr(data), size, uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableCancel is litz_executable_cancel. Ends the runs of this executable that are in progress on other
// threads: they give `LITZ_ERROR_CANCELLED`, and constants and inputs are as they were before them. A run that has
// begun to write to constants or inputs goes on to its end. On the CPU a kernel ends between two pieces of its
// work; a GPU's kernels that are launched finish. Later runs are as ever. Any thread.
func ExecutableCancel(e *Executable, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[72], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableClone is litz_executable_clone. Makes another instance: it shares code and constants that no run
// changes, and has its own mutable state, which begins as the original's is now. The caller owns `*out`. Any
// thread.
func ExecutableClone(e *Executable, out **Executable, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[73], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableDescribe is litz_executable_describe. Describes the executable as JSON: `backend`, `target`, `inputs`,
// `outputs`, `constants`, `symbols`, `kernels`, `arena_bytes`, `compile_seconds`, `artifact`, `needs`,
// `fallbacks`. The caller owns `*json`. Any thread.
func ExecutableDescribe(e *Executable, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[74], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableRetain is litz_executable_retain. Takes one more reference and gives the same handle; NULL for NULL.
// Any thread.
func ExecutableRetain(e *Executable) *Executable {
	got, _, _ := purego.SyscallN(addresses[75], uintptr(unsafe.Pointer(e)))
	return (*Executable)(pointer(got))
}

// ExecutableNumInputs is litz_executable_num_inputs. How many inputs a run takes; 0 for NULL. Any thread.
func ExecutableNumInputs(e *Executable) uintptr {
	got, _, _ := purego.SyscallN(addresses[76], uintptr(unsafe.Pointer(e)))
	return uintptr(got)
}

// ExecutableNumOutputs is litz_executable_num_outputs. How many outputs a run gives; 0 for NULL. Any thread.
func ExecutableNumOutputs(e *Executable) uintptr {
	got, _, _ := purego.SyscallN(addresses[77], uintptr(unsafe.Pointer(e)))
	return uintptr(got)
}

// ExecutableNumConstants is litz_executable_num_constants. How many parameters, buffers and constants the program
// has; 0 for NULL. Any thread.
func ExecutableNumConstants(e *Executable) uintptr {
	got, _, _ := purego.SyscallN(addresses[78], uintptr(unsafe.Pointer(e)))
	return uintptr(got)
}

// ExecutableInfo is litz_executable_info. Describes input, output or constant number `k` (`what`:
// `LITZ_INFO_…`). Set `out->struct_size` first: members behind that size are not written. The pointers written
// belong to the executable. Any thread.
func ExecutableInfo(e *Executable, what int32, k uintptr, out *TensorInfo, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[79], uintptr(unsafe.Pointer(e)), uintptr(what), k, uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableInferOutputs is litz_executable_infer_outputs. Infers the outputs of a run on these inputs: writes
// dtype, ndim and device of each output, and the sizes and strides into the caller's `shape` and `strides` arrays,
// which have room for the ndim that `litz_executable_info` tells. A size that depends on data gets its bound, -1
// where there is none. Any thread.
func ExecutableInferOutputs(e *Executable, inputs **DLTensor, nInputs uintptr, outputs *DLTensor, nOutputs uintptr, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[80], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(inputs)), nInputs, uintptr(unsafe.Pointer(outputs)), nOutputs, uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableRun is litz_executable_run. Runs once; an input that describe calls `optional` may be NULL. Litz
// allocates the outputs, and each `outputs[k]` is the caller's to free with litz_tensor_release or its own
// deleter. Outputs may outlive the executable. A mutated input is mutated in the caller's memory; other inputs of
// its dtype may share it, and then see the writes, as in PyTorch: such runs go through copies, and the first one
// compiles the program for them. An artifact for the CPU holds it. `ro` is nullable. Any number of threads at
// once.
func ExecutableRun(e *Executable, inputs **DLTensor, nInputs uintptr, outputs **DLManagedTensorVersioned, nOutputs uintptr, ro *RunOptions, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[81], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(inputs)), nInputs, uintptr(unsafe.Pointer(outputs)), nOutputs, uintptr(unsafe.Pointer(ro)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableRunInto is litz_executable_run_into. Runs once into outputs that the caller allocated, of the sizes
// that `litz_executable_infer_outputs` tells and with any strides; they must not overlap inputs, unless they are
// the same mutated input. `ro` is nullable. Any number of threads at once.
func ExecutableRunInto(e *Executable, inputs **DLTensor, nInputs uintptr, outputs **DLTensor, nOutputs uintptr, ro *RunOptions, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[82], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(inputs)), nInputs, uintptr(unsafe.Pointer(outputs)), nOutputs, uintptr(unsafe.Pointer(ro)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableConstant is litz_executable_constant. Copies a constant's value as it is now, by its name or an alias.
// `*out` is the caller's to free with litz_tensor_release or its deleter. Any thread; waits for runs that change
// it.
func ExecutableConstant(e *Executable, name *byte, out **DLManagedTensorVersioned, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[84], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableUpdateConstants is litz_executable_update_constants. Replaces `n` constants by name, all or none.
// Waits for runs in flight; later runs see all of them. One that the program does not use is checked and not kept;
// one that was frozen (option `freeze`) is `LITZ_ERROR_STATE`. Any thread.
func ExecutableUpdateConstants(e *Executable, names **byte, data **DLTensor, n uintptr, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[85], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(names)), uintptr(unsafe.Pointer(data)), n, uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableSaveConstants is litz_executable_save_constants. Writes every parameter and buffer as they are now to
// a safetensors file, beside it first and then renamed. Any thread.
func ExecutableSaveConstants(e *Executable, path *byte, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[86], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableLoadConstants is litz_executable_load_constants. Replaces parameters and buffers by those of a
// safetensors file, all or nothing. Any thread.
func ExecutableLoadConstants(e *Executable, path *byte, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[87], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableSaveCheckpoint is litz_executable_save_checkpoint. Writes a checkpoint: a safetensors file of every
// parameter and buffer as they are now, an optimizer's state and its count of steps among them, under PyTorch's
// names, with the seed and the offset that the next run is given. It is written beside `path` and renamed, so a
// process that is killed meanwhile leaves the checkpoint before. Any thread.
func ExecutableSaveCheckpoint(e *Executable, path *byte, seed uint64, offset uint64, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[88], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(path)), uintptr(seed), uintptr(offset), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableLoadCheckpoint is litz_executable_load_checkpoint. Replaces parameters and buffers by those of a
// checkpoint, all or nothing, and writes the seed and the offset that it holds. The file and the program must have
// the same parameters and buffers, by name, dtype and shape; the error names the first that differs. Any thread.
func ExecutableLoadCheckpoint(e *Executable, path *byte, seed *uint64, offset *uint64, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[89], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(seed)), uintptr(unsafe.Pointer(offset)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableSynchronize is litz_executable_synchronize. Waits for asynchronous runs, and gives the first failure
// of one that nobody was told of. Any thread.
func ExecutableSynchronize(e *Executable, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[90], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableRelease is litz_executable_release. Gives a reference back; with the last one the executable is freed.
// NULL is accepted. Outputs live on.
func ExecutableRelease(e *Executable) {
	purego.SyscallN(addresses[91], uintptr(unsafe.Pointer(e)))
}

// CompileTraining is litz_compile_training. Compiles a graph for training. The forward gives the outputs and keeps
// what the gradients need. The backward gives a gradient for every floating input and parameter, in the order of
// `gradients` in `litz_graph_describe`. Both share one copy of parameters and buffers. `o` is nullable. An
// operator without a derivative is `LITZ_ERROR_UNSUPPORTED` by name. The graph is not changed and may be released.
// The caller owns `*out`. One thread at a time.
func CompileTraining(g *Graph, o *Options, out **Training, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[96], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// TrainingDescribe is litz_training_describe. Describes a training program as a JSON object. `forward` and
// `backward` describe the two programs as `litz_executable_describe` does; `backward` is null until it is
// compiled. `saved` lists the values that a forward keeps. `partition` says how they were chosen: `saved_bytes`,
// `computed_again` (how many operators run in both programs) and, with a budget, `budget` (`bytes`, `met`,
// `peak_bytes`). `gradients` lists the names of the gradients in order. The caller owns `*json`. Any thread.
func TrainingDescribe(t *Training, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[97], uintptr(unsafe.Pointer(t)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// TrainingInfo is litz_training_info. Describes input, output, constant or gradient number `k` (`what`:
// `LITZ_INFO_…`), as `litz_executable_info`. A gradient has the strides of its input or parameter if that is
// dense, and is contiguous otherwise. `strides` is NULL if there is no such gradient. Any thread.
func TrainingInfo(t *Training, what int32, k uintptr, out *TensorInfo, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[98], uintptr(unsafe.Pointer(t)), uintptr(what), k, uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// TrainingConstant is litz_training_constant. A copy of a parameter or buffer as it is now, in host memory. The
// caller owns `*out`. Any thread.
func TrainingConstant(t *Training, name *byte, out **DLManagedTensorVersioned, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[99], uintptr(unsafe.Pointer(t)), uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// TrainingUpdateConstants is litz_training_update_constants. Replaces the data of `n` parameters and buffers by
// copies of `data`, all or none. `LITZ_ERROR_STATE` while the backward of a forward is still to read one of them:
// until it has run, or its `litz_saved` is released. Any thread.
func TrainingUpdateConstants(t *Training, names **byte, data **DLTensor, n uintptr, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[100], uintptr(unsafe.Pointer(t)), uintptr(unsafe.Pointer(names)), uintptr(unsafe.Pointer(data)), n, uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// TrainingForward is litz_training_forward. Runs the forward into outputs that Litz allocates, and keeps in
// `*saved` what its backward needs. The caller owns the outputs and `*saved`. Inputs of more than 1 MiB are not
// copied, where sizes that a run decides count as typical: their memory stays alive and unchanged until the
// backward has run or `*saved` is released. Inputs that the program writes to are copied, and need not stay. The
// `DLTensor`s may go after the call. Inputs may share memory that the program writes to. A write to one is then
// seen in the others. An element that several inputs show has its gradient in that of the last of them. The first
// such call compiles a program for it. `ro` is nullable; the call waits for the run, whatever its flags say. Any
// number of threads at once.
func TrainingForward(t *Training, inputs **DLTensor, nInputs uintptr, outputs **DLManagedTensorVersioned, nOutputs uintptr, saved **Saved, ro *RunOptions, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[101], uintptr(unsafe.Pointer(t)), uintptr(unsafe.Pointer(inputs)), nInputs, uintptr(unsafe.Pointer(outputs)), nOutputs, uintptr(unsafe.Pointer(saved)), uintptr(unsafe.Pointer(ro)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// TrainingBackward is litz_training_backward. Runs the backward of a forward, once: then `saved` is spent, and
// another backward is `LITZ_ERROR_STATE`. `cotangents` has one for each output, of its sizes and of any strides; a
// float of another dtype than its output's is converted to it; NULL is zero. Where all are NULL, the program's
// only floating output has one element, and its cotangent is 1. `grads` has room for one of each name of
// `gradients`; a gradient that does not exist is NULL. The caller owns the gradients, and `saved` still. The
// backward may write over what is saved: one that fails after its first kernel has begun may leave `saved` spent,
// too, which another backward's message says. One that is refused before, for its arguments or for want of memory,
// does not. `ro` is nullable, as for the forward. Any number of threads at once.
func TrainingBackward(t *Training, saved *Saved, cotangents **DLTensor, nCotangents uintptr, grads **DLManagedTensorVersioned, nGrads uintptr, ro *RunOptions, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[102], uintptr(unsafe.Pointer(t)), uintptr(unsafe.Pointer(saved)), uintptr(unsafe.Pointer(cotangents)), nCotangents, uintptr(unsafe.Pointer(grads)), nGrads, uintptr(unsafe.Pointer(ro)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// TrainingCancel is litz_training_cancel. Ends the forwards and backwards of this program that are in progress on
// other threads, and the compilation of a first backward: they give `LITZ_ERROR_CANCELLED`, and parameters,
// buffers and inputs are as they were. A cancelled forward keeps nothing. A forward that has begun to write to
// buffers or inputs goes on to its end. A cancelled backward leaves `saved` to be used again or, where it had
// written over what is saved, spent, as one that fails; its message says which. Later calls are as ever. Any
// thread.
func TrainingCancel(t *Training, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[103], uintptr(unsafe.Pointer(t)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// TrainingRelease is litz_training_release. Frees a training program. NULL is accepted. Outputs, gradients and
// what was kept live on.
func TrainingRelease(t *Training) {
	purego.SyscallN(addresses[105], uintptr(unsafe.Pointer(t)))
}

// ExecutableDraw is litz_executable_draw. A picture of the graph that a program was compiled from, with a box
// around the nodes of each kernel. Formats are those of `litz_graph_draw`. An artifact holds the graph where it
// was written with `artifact.graph=true`; of others this is `LITZ_ERROR_UNSUPPORTED`. The caller owns `*out`. Any
// thread.
func ExecutableDraw(e *Executable, format *byte, out **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[107], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(format)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableReport is litz_executable_report. A page of HTML about a program: its picture with the source of each
// kernel beside it, its kernels with their bytes, operations and, where runs were profiled, times, the machine's
// limits, and its memory over the steps of a run. The page is complete in itself. The caller owns `*html`. Any
// thread.
func ExecutableReport(e *Executable, html **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[108], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(html)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableSpec is litz_executable_spec. The signature of the graph that was compiled, as `litz_graph_spec` gives
// it. The caller owns `*json`. Any thread.
func ExecutableSpec(e *Executable, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[112], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ExecutableCheckSpec is litz_executable_check_spec. Compares a caller's view of the signature with the program's:
// the trees, the leaves, fixed values, and whatever else the JSON (as `litz_graph_spec` gives it, parts may be
// missing) states. A size that the program takes from its inputs fits every number. The error names the first path
// that differs, in its detail (`path`) too. Any thread.
func ExecutableCheckSpec(e *Executable, json *byte, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[113], uintptr(unsafe.Pointer(e)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}
