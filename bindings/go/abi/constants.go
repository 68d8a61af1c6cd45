// Code generated from abi/litz.json by scripts/generate. DO NOT EDIT.

package abi

const (
	// HeaderVersion is LITZ_ABI_VERSION. major << 16 | minor of the header; pass it to `litz_check_abi`.
	HeaderVersion = 1

	// OK is LITZ_OK. Success.
	OK Status = 0

	// ErrorInvalidArgument is LITZ_ERROR_INVALID_ARGUMENT. An argument cannot be: NULL where something must be, a
	// value of another graph, an argument that an operator does not take.
	ErrorInvalidArgument Status = 1

	// ErrorUnsupported is LITZ_ERROR_UNSUPPORTED. Refused as not supported; the message names what, and nothing was
	// attempted.
	ErrorUnsupported Status = 2

	// ErrorShape is LITZ_ERROR_SHAPE. Sizes that do not fit together, or do not fit the compiled program.
	ErrorShape Status = 3

	// ErrorDtype is LITZ_ERROR_DTYPE. An element type that does not fit.
	ErrorDtype Status = 4

	// ErrorDevice is LITZ_ERROR_DEVICE. A device that is not there, or a tensor on another than asked for.
	ErrorDevice Status = 5

	// ErrorParse is LITZ_ERROR_PARSE. A malformed file, archive or text; the message says where.
	ErrorParse Status = 6

	// ErrorIO is LITZ_ERROR_IO. The system refused to read or write.
	ErrorIO Status = 7

	// ErrorToolchain is LITZ_ERROR_TOOLCHAIN. A C++ compiler is missing or failed; its output is in the error's
	// detail.
	ErrorToolchain Status = 8

	// ErrorCUDA is LITZ_ERROR_CUDA. A CUDA driver or library is missing, or reported a failure.
	ErrorCUDA Status = 9

	// ErrorOutOfMemory is LITZ_ERROR_OUT_OF_MEMORY. Memory was refused.
	ErrorOutOfMemory Status = 10

	// ErrorABI is LITZ_ERROR_ABI. A header, library or artifact of another version than is understood.
	ErrorABI Status = 11

	// ErrorState is LITZ_ERROR_STATE. Not possible in the state that the object is in.
	ErrorState Status = 12

	// ErrorCapacity is LITZ_ERROR_CAPACITY. An array was too small; the count needed was written.
	ErrorCapacity Status = 13

	// ErrorCancelled is LITZ_ERROR_CANCELLED. A callback of the host's asked to stop.
	ErrorCancelled Status = 14

	// ErrorAssertion is LITZ_ERROR_ASSERTION. The graph's own run-time assertion failed.
	ErrorAssertion Status = 15

	// ErrorInternal is LITZ_ERROR_INTERNAL. A mistake inside Litz.
	ErrorInternal Status = 99

	// DtypeUint8 is LITZ_DTYPE_UINT8. Element type: unsigned 8-bit integer. Element types are numbered as in PyTorch's
	// export schema.
	DtypeUint8 = 1

	// DtypeInt8 is LITZ_DTYPE_INT8. Element type: signed 8-bit integer.
	DtypeInt8 = 2

	// DtypeInt16 is LITZ_DTYPE_INT16. Element type: signed 16-bit integer.
	DtypeInt16 = 3

	// DtypeInt32 is LITZ_DTYPE_INT32. Element type: signed 32-bit integer.
	DtypeInt32 = 4

	// DtypeInt64 is LITZ_DTYPE_INT64. Element type: signed 64-bit integer.
	DtypeInt64 = 5

	// DtypeFloat16 is LITZ_DTYPE_FLOAT16. Element type: IEEE half precision.
	DtypeFloat16 = 6

	// DtypeFloat32 is LITZ_DTYPE_FLOAT32. Element type: IEEE single precision.
	DtypeFloat32 = 7

	// DtypeFloat64 is LITZ_DTYPE_FLOAT64. Element type: IEEE double precision.
	DtypeFloat64 = 8

	// DtypeComplex32 is LITZ_DTYPE_COMPLEX32. Element type: complex of two half-precision numbers; not computed with.
	DtypeComplex32 = 9

	// DtypeComplex64 is LITZ_DTYPE_COMPLEX64. Element type: complex of two single-precision numbers, the real one
	// first.
	DtypeComplex64 = 10

	// DtypeComplex128 is LITZ_DTYPE_COMPLEX128. Element type: complex of two double-precision numbers, the real one
	// first.
	DtypeComplex128 = 11

	// DtypeBool is LITZ_DTYPE_BOOL. Element type: a byte, 0 or 1.
	DtypeBool = 12

	// DtypeBfloat16 is LITZ_DTYPE_BFLOAT16. Element type: the upper half of a single-precision number.
	DtypeBfloat16 = 13

	// DtypeUint16 is LITZ_DTYPE_UINT16. Element type: unsigned 16-bit integer.
	DtypeUint16 = 28

	// DtypeFloat8E4m3fn is LITZ_DTYPE_FLOAT8_E4M3FN. Element type: 8-bit float with 4 exponent bits and no infinities;
	// not computed with.
	DtypeFloat8E4m3fn = 29

	// DtypeFloat8E5m2 is LITZ_DTYPE_FLOAT8_E5M2. Element type: 8-bit float with 5 exponent bits; not computed with.
	DtypeFloat8E5m2 = 30

	// DtypeFloat8E4m3fnuz is LITZ_DTYPE_FLOAT8_E4M3FNUZ. Element type: as E4M3FN, without a negative zero; not
	// computed with.
	DtypeFloat8E4m3fnuz = 31

	// DtypeFloat8E5m2fnuz is LITZ_DTYPE_FLOAT8_E5M2FNUZ. Element type: as E5M2, without infinities and negative zero;
	// not computed with.
	DtypeFloat8E5m2fnuz = 32

	// DtypeUint32 is LITZ_DTYPE_UINT32. Element type: unsigned 32-bit integer.
	DtypeUint32 = 36

	// DtypeUint64 is LITZ_DTYPE_UINT64. Element type: unsigned 64-bit integer.
	DtypeUint64 = 37

	// LayoutStrided is LITZ_LAYOUT_STRIDED. Layout: strides. The only layout that is computed with.
	LayoutStrided = 7

	// MemoryFormatContiguous is LITZ_MEMORY_FORMAT_CONTIGUOUS. Memory format: row-major.
	MemoryFormatContiguous = 1

	// MemoryFormatChannelsLast is LITZ_MEMORY_FORMAT_CHANNELS_LAST. Memory format: of four dimensions, the second is
	// the innermost in memory.
	MemoryFormatChannelsLast = 2

	// MemoryFormatChannelsLast3d is LITZ_MEMORY_FORMAT_CHANNELS_LAST_3D. Memory format: of five dimensions, the second
	// is the innermost in memory.
	MemoryFormatChannelsLast3d = 3

	// MemoryFormatPreserve is LITZ_MEMORY_FORMAT_PRESERVE. Memory format: as the operand's.
	MemoryFormatPreserve = 4

	// ConstantParameter is LITZ_CONSTANT_PARAMETER. Kind of a constant: a parameter, which training would change.
	ConstantParameter = 0

	// ConstantBuffer is LITZ_CONSTANT_BUFFER. Kind of a constant: a buffer, which runs may change.
	ConstantBuffer = 1

	// ConstantConstant is LITZ_CONSTANT_CONSTANT. Kind of a constant: neither.
	ConstantConstant = 2

	// ConstantBorrow is LITZ_CONSTANT_BORROW. Flag of `litz_graph_constant`: the data is not copied and stays alive
	// and unchanged until the graph and every executable made from it are released.
	ConstantBorrow = 1

	// InfoInput is LITZ_INFO_INPUT. Selects inputs: `litz_executable_info`, `litz_graph_values`.
	InfoInput = 0

	// InfoOutput is LITZ_INFO_OUTPUT. Selects outputs.
	InfoOutput = 1

	// InfoConstant is LITZ_INFO_CONSTANT. Selects parameters, buffers and constants.
	InfoConstant = 2

	// InfoGradient is LITZ_INFO_GRADIENT. `what` of `litz_training_info`: what a backward gives.
	InfoGradient = 3

	// InfoWrite is LITZ_INFO_WRITE. Selects the new contents of inputs and constants, for `litz_graph_values` alone.
	InfoWrite = 3

	// ArgNone is LITZ_ARG_NONE. Kind of a `litz_arg`: None; no member is read.
	ArgNone = 0

	// ArgValue is LITZ_ARG_VALUE. Kind of a `litz_arg`: a tensor, or a symbol where a number is asked; `value`.
	ArgValue = 1

	// ArgInt is LITZ_ARG_INT. Kind of a `litz_arg`: an integer; `i`.
	ArgInt = 2

	// ArgFloat is LITZ_ARG_FLOAT. Kind of a `litz_arg`: a float; `f`.
	ArgFloat = 3

	// ArgBool is LITZ_ARG_BOOL. Kind of a `litz_arg`: a bool; `i`, 0 is false.
	ArgBool = 4

	// ArgInts is LITZ_ARG_INTS. Kind of a `litz_arg`: a list of integers, symbols among them; `ints`, `values`, `n`.
	ArgInts = 5

	// ArgValues is LITZ_ARG_VALUES. Kind of a `litz_arg`: a list of tensors, None among them; `values`, `n`.
	ArgValues = 6

	// ArgFloats is LITZ_ARG_FLOATS. Kind of a `litz_arg`: a list of floats; `floats`, `n`.
	ArgFloats = 7

	// ArgString is LITZ_ARG_STRING. Kind of a `litz_arg`: a string; `s`.
	ArgString = 8

	// ArgDtype is LITZ_ARG_DTYPE. Kind of a `litz_arg`: an element type; `i` is a `LITZ_DTYPE_…`.
	ArgDtype = 9

	// ArgSymbol is LITZ_ARG_SYMBOL. Kind of a `litz_arg`: a symbol or a number given at run time; `value`.
	ArgSymbol = 10

	// ArgSubgraph is LITZ_ARG_SUBGRAPH. Kind of a `litz_arg`: a graph for an operator to run; `subgraph`.
	ArgSubgraph = 11

	// ArgBools is LITZ_ARG_BOOLS. Kind of a `litz_arg`: a list of bools; `ints`, `n`.
	ArgBools = 12

	// ArgDevice is LITZ_ARG_DEVICE. Kind of a `litz_arg`: a device; `i` is DLPack's type << 32 | index.
	ArgDevice = 13

	// ArgMemoryFormat is LITZ_ARG_MEMORY_FORMAT. Kind of a `litz_arg`: a memory format; `i` is a
	// `LITZ_MEMORY_FORMAT_…`.
	ArgMemoryFormat = 14

	// ArgLayout is LITZ_ARG_LAYOUT. Kind of a `litz_arg`: a layout; `i` is a `LITZ_LAYOUT_…`.
	ArgLayout = 15

	// ArgComplex is LITZ_ARG_COMPLEX. Kind of a `litz_arg`: a complex number; `f`, `f_imag`.
	ArgComplex = 16

	// ArgSubgraphs is LITZ_ARG_SUBGRAPHS. Kind of a `litz_arg`: a list of graphs; `subgraphs`, `n`.
	ArgSubgraphs = 17

	// RunHasStream is LITZ_RUN_HAS_STREAM. Flag of `litz_run_options`: use `stream`, which may be the NULL (default)
	// stream; means nothing on a CPU.
	RunHasStream = 1

	// RunAsync is LITZ_RUN_ASYNC. Flag of `litz_run_options`: return once the work is enqueued; on a CPU the call
	// still waits.
	RunAsync = 2

	// RunHasSeed is LITZ_RUN_HAS_SEED. Flag of `litz_run_options`: use `seed` and `offset` as the random state.
	RunHasSeed = 4

	// BackendDecomposed is LITZ_BACKEND_DECOMPOSED. Flag of `litz_backend`: its graphs have no composite operators.
	// Without it they have those of the user's graph, except operators that the registry decomposes.
	BackendDecomposed = 1

	// BackendDeterministic is LITZ_BACKEND_DETERMINISTIC. Flag of `litz_backend`: its callables give the same bits at
	// every run, for the same inputs. Compilations with option `deterministic` refuse a backend without it.
	BackendDeterministic = 2

	// OperatorEffect is LITZ_OPERATOR_EFFECT. `flags` of a `litz_operator`: it is called for what it does besides its
	// results: once in each run, in the program's order, and never left out. An operator without results that writes
	// to nothing always is.
	OperatorEffect = 1

	// OperatorDeterministic is LITZ_OPERATOR_DETERMINISTIC. `flags` of a `litz_operator`: its functions and sources
	// give the same bits at every run and number of threads, for the same arguments. Compilations with option
	// `deterministic` refuse an operator without it that has results or writes. One with `pointwise_source` needs no
	// such flag.
	OperatorDeterministic = 2

	// AliasNone is LITZ_ALIAS_NONE. `alias_kind` of a `litz_tensor_info`: its memory is its own.
	AliasNone = 0

	// AliasInput is LITZ_ALIAS_INPUT. `alias_kind` of a `litz_tensor_info`: the graph returns a view of an input. A
	// run gives a copy.
	AliasInput = 1

	// AliasConstant is LITZ_ALIAS_CONSTANT. `alias_kind` of a `litz_tensor_info`: as `LITZ_ALIAS_INPUT`, of a
	// parameter, buffer or constant.
	AliasConstant = 2

	// AliasOutput is LITZ_ALIAS_OUTPUT. `alias_kind` of a `litz_tensor_info`: it shares memory with an earlier output.
	AliasOutput = 3
)
