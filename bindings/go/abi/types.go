// Code generated from abi/litz.json by scripts/generate. DO NOT EDIT.

package abi

import "unsafe"

// Error is litz_error. An error: a code, a message and a JSON detail. Made by a failed call or by
// `litz_error_new`; release it with `litz_error_release`. Any thread may read one.
type Error struct{ _ [0]byte }

// Executable is litz_executable. A compiled program with its constants. Any number of threads may run one at once;
// runs of a program that mutates its own constants are serialised.
type Executable struct{ _ [0]byte }

// Graph is litz_graph. A tensor program that is being built or was loaded. One thread at a time.
type Graph struct{ _ [0]byte }

// Meta is litz_meta. The results of an operator whose types are being told.
type Meta struct{ _ [0]byte }

// Options is litz_options. How to compile: string keys and values; `litz_options_list` tells them all. One thread
// at a time.
type Options struct{ _ [0]byte }

// Predicate is litz_predicate. A predicate for [`litz_minify`] that the library has. One thread at a time.
type Predicate struct{ _ [0]byte }

// Registry is litz_registry. A host's passes, decompositions and backends. One thread at a time; options that it
// was set on, and programs compiled with them, keep it alive.
type Registry struct{ _ [0]byte }

// Saved is litz_saved. What a forward keeps for its backward.
type Saved struct{ _ [0]byte }

// String is litz_string. A string that the library made; release it with `litz_string_release`. Any thread may
// read one.
type String struct{ _ [0]byte }

// Training is litz_training. A program and its gradients: a forward, and a backward that is compiled when it is
// first asked for. Any number of threads may use one at the same time.
type Training struct{ _ [0]byte }

// Weights is litz_weights. Named tensors of a file of weights.
type Weights struct{ _ [0]byte }

// Status is litz_status. 0 is success; the other numbers are `LITZ_ERROR_…` and never change.
type Status int32

// Value is litz_value. A value of a graph: a tensor or a symbol. Only valid for the graph that gave it; 0 is never
// valid.
type Value uint64

// TensorSpec is litz_tensor_spec. The dtype, device and sizes of a graph's input.
type TensorSpec struct {
	// sizeof(litz_tensor_spec)
	StructSize uintptr

	// DLPack's element type; `lanes` is 1.
	Dtype DLDataType

	// Where it was made; the compiler moves every tensor to its backend's device. A zero device is the CPU. If an
	// input's is CUDA, layer and batch norms of reduced floats save their statistics in float32, as PyTorch's kernels
	// for GPUs do.
	Device DLDevice

	// How many dimensions there are.
	Ndim int32

	// 0 or 1; means nothing as long as graphs are not differentiated.
	RequiresGrad int32

	// `ndim` sizes.
	Shape *int64

	// Nullable; a nonzero entry is a symbol that replaces `shape[k]`.
	Symbols *Value

	// Nullable: contiguous. Otherwise `ndim` strides in elements.
	Strides *int64
}

// Arg is litz_arg. One argument of an operator. Zero all of it, then set `kind` and the members that belong to it;
// everything it points at is read during the call only.
type Arg struct {
	// NULL: positional.
	Name *byte

	// A `LITZ_ARG_…`.
	Kind int32

	// Must be 0.
	Reserved0 int32

	// For value and symbol.
	Value Value

	// For int, bool, dtype (`LITZ_DTYPE_…`), device (type << 32 | index), memory format, layout.
	I int64

	// For float, and the real part of complex.
	F float64

	// The imaginary part of complex.
	FImag float64

	// For ints and bools: `n` of them.
	Ints *int64

	// For values: `n` of them, 0 is None. Beside `ints`, a nonzero `values[k]` replaces `ints[k]` by a symbol; NULL
	// otherwise.
	Values *Value

	// For floats: `n` of them.
	Floats *float64

	// How many items the list has.
	N uintptr

	// For string.
	S *byte

	// For subgraph; copied by the call.
	Subgraph *Graph

	// For subgraphs: `n` of them.
	Subgraphs **Graph

	// Must be 0.
	Reserved [3]uint64
}

// Node is litz_node. A node of a graph: one operator with its arguments and results. Only valid for the graph that
// gave it; 0 is never valid, and a node is no value.
type Node uint64

// NodeInfo is litz_node_info. A node's operator, arguments and results. The graph owns the arrays and strings;
// they are valid until `litz_graph_node_info` is called for the same node again, or the graph is released.
type NodeInfo struct {
	// sizeof(litz_node_info), set by the caller.
	StructSize uintptr

	// The operator as `litz_graph_call` takes it: "aten.add.Tensor", in place "aten.add_.Tensor".
	Op *byte

	// One for each argument of the operator's schema, in its order and with its name; `litz_graph_call` takes them.
	Args *Arg

	// How many arguments there are.
	NArgs uintptr

	// The node's results.
	Results *Value

	// How many results there are.
	NResults uintptr

	// Must be 0.
	Reserved [4]uint64
}

// TensorInfo is litz_tensor_info. Facts about an executable's input, output or constant. Members behind the
// caller's `struct_size` are not written.
type TensorInfo struct {
	// sizeof(litz_tensor_info), set by the caller.
	StructSize uintptr

	// Borrowed from the executable, as the shapes are.
	Name *byte

	// DLPack's element type.
	Dtype DLDataType

	// Where a tensor must be, or will be.
	Device DLDevice

	// How many dimensions there are.
	Ndim int32

	// For constants: a `LITZ_CONSTANT_…` kind.
	Kind int32

	// `ndim` sizes; equal to `max_shape` where static.
	MinShape *int64

	// -1: no bound.
	MaxShape *int64

	// `ndim` strides in elements; NULL where they depend on a size.
	Strides *int64

	// 1: runs write to it.
	Mutated int32

	// `LITZ_ALIAS_…`, for outputs.
	AliasKind int32

	// The number of the input, constant or output that `alias_kind` speaks of.
	AliasOf int64
}

// RunOptions is litz_run_options. How to run once. Zero everything, then set struct_size and the members you need.
type RunOptions struct {
	// sizeof(litz_run_options)
	StructSize uintptr

	// `LITZ_RUN_…`
	Flags uint32

	// Another device of the same kind than the one compiled for; on a CPU there is only 0.
	DeviceIndex int32

	// A `cudaStream_t`, with `LITZ_RUN_HAS_STREAM`.
	Stream unsafe.Pointer

	// The random state's seed, with `LITZ_RUN_HAS_SEED`.
	Seed uint64

	// Where the random state begins: the number of the first block of random words. See docs/random.md.
	Offset uint64

	// Nullable: the runtime's own threads.
	ParallelFor uintptr

	// Handed to `parallel_for`.
	ParallelForContext unsafe.Pointer

	// Nullable: n flags each; 1 = the address stays the same between runs.
	StaticInputs *uint8

	// As `static_inputs`, for the outputs.
	StaticOutputs *uint8

	// Nullable: where the random offset stands after this run.
	NextOffset *uint64

	// Must be 0.
	Reserved [2]uint64
}

// BackendCall is litz_backend_call. One run. Tensors are contiguous and on the CPU, borrowed for the call. Sizes
// and guards were checked already.
type BackendCall struct {
	// sizeof(litz_backend_call), set by the library.
	StructSize uintptr

	// As `LITZ_INFO_INPUT` of `litz_graph_values` has them; they are read.
	Inputs **DLTensor

	// How many inputs there are.
	NInputs uintptr

	// As `LITZ_INFO_CONSTANT` has them, with what they hold now; they are read.
	Constants **DLTensor

	// How many constants there are.
	NConstants uintptr

	// As `LITZ_INFO_OUTPUT` has them, then as `LITZ_INFO_WRITE` has them: to be filled. Outputs that are numbers are
	// filled already, except those that depend on data. Outputs whose sizes depend on data have -1 for these and no
	// data: call `resize` for each of them.
	Outputs **DLTensor

	// How many outputs and write-backs there are.
	NOutputs uintptr

	// Must be 0.
	Reserved [4]uint64

	// Gives an output of this call its sizes and memory.
	Resize uintptr

	// The first argument of `resize`.
	Results unsafe.Pointer
}

// Callable is litz_callable. A graph that a host's backend has compiled.
type Callable struct {
	// sizeof(litz_callable), set by the library.
	StructSize uintptr

	// Handed to `run`.
	Context unsafe.Pointer

	// Runs once. It must not unwind.
	Run uintptr

	// Nullable: called with `context` once no executable has it any more.
	Release uintptr

	// Must be 0.
	Reserved [4]uint64
}

// Backend is litz_backend. A host's backend. Zero all of it, then set struct_size and the members you need.
type Backend struct {
	// sizeof(litz_backend)
	StructSize uintptr

	// `LITZ_BACKEND_…`
	Flags uint32

	// Must be 0.
	Reserved0 uint32

	// Handed to `compile`.
	Context unsafe.Pointer

	// Compiles a graph, on the thread that calls `litz_compile` and its like; `litz_is_compiling` is 1 in it.
	Compile uintptr

	// Nullable: called with `context` once the registry and all that was made with it are released; not where
	// `litz_registry_add_backend` fails.
	Release uintptr

	// Must be 0.
	Reserved [4]uint64
}

// Operator is litz_operator. An operator of a host's. Zero all of it, then set struct_size and the members you
// need: `meta` unless the results are the broadcast of the tensors by `pointwise_source` or arguments that are
// written; and something that computes, a function here or source by `litz_registry_add_operator_source`.
type Operator struct {
	// sizeof(litz_operator)
	StructSize uintptr

	// Handed to the functions.
	Context unsafe.Pointer

	// Nullable: called with `context` once the registry and all that was made with it are released; not where
	// `litz_registry_add_operator` fails.
	Release uintptr

	// Tells the types of the results.
	Meta uintptr

	// Nullable: computes on a CPU, also for the interpreter.
	RunCPU uintptr

	// Nullable: computes on a GPU.
	RunCUDA uintptr

	// Nullable: builds the gradients.
	Derivative uintptr

	// Nullable: one C expression of the arguments' names, for each element of the one result. It fuses with what is
	// around it, runs on every backend, is in artifacts, and has a derivative. With it `run_cpu` and `run_cuda` are
	// not called.
	PointwiseSource *byte

	// `LITZ_OPERATOR_…`
	Flags uint64

	// Must be 0.
	Reserved [7]uint64
}
