// Code generated from abi/litz.json by scripts/generate. DO NOT EDIT.

package abi

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// ABIVersion is litz_abi_version. The ABI version of this library: major << 16 | minor. Any thread.
func ABIVersion() uint32 {
	got, _, _ := purego.SyscallN(addresses[0])
	return uint32(got)
}

// Version is litz_version. The version of this library as text, such as "0.1.0"; borrowed for ever. Any thread.
func Version() *byte {
	got, _, _ := purego.SyscallN(addresses[1])
	return (*byte)(pointer(got))
}

// CheckABI is litz_check_abi. Whether a program that was compiled with header version `header_version` (pass
// `LITZ_ABI_VERSION`) can use this library. `LITZ_ERROR_ABI` says why it cannot. Any thread.
func CheckABI(headerVersion uint32, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[2], uintptr(headerVersion), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ErrorNew is litz_error_new. Makes an error, for callbacks that report one. `code` is a `LITZ_ERROR_…`; a
// `message` that is NULL or no UTF-8 becomes an empty one. The caller owns the result. Any thread.
func ErrorNew(code Status, message *byte) *Error {
	got, _, _ := purego.SyscallN(addresses[3], uintptr(code), uintptr(unsafe.Pointer(message)))
	return (*Error)(pointer(got))
}

// ErrorCode is litz_error_code. The error's `LITZ_ERROR_…`; `LITZ_OK` for NULL. Any thread.
func ErrorCode(e *Error) Status {
	got, _, _ := purego.SyscallN(addresses[4], uintptr(unsafe.Pointer(e)))
	return Status(got)
}

// ErrorMessage is litz_error_message. The message says what failed, where, and how to mend it; borrowed from the
// error, "" for NULL. Any thread.
func ErrorMessage(e *Error) *byte {
	got, _, _ := purego.SyscallN(addresses[5], uintptr(unsafe.Pointer(e)))
	return (*byte)(pointer(got))
}

// ErrorDetail is litz_error_detail. The same for programs: a JSON object with `code`, `message` and further facts;
// borrowed from the error, "{}" for NULL. Any thread.
func ErrorDetail(e *Error) *byte {
	got, _, _ := purego.SyscallN(addresses[6], uintptr(unsafe.Pointer(e)))
	return (*byte)(pointer(got))
}

// ErrorRelease is litz_error_release. Frees an error; NULL is accepted.
func ErrorRelease(e *Error) {
	purego.SyscallN(addresses[7], uintptr(unsafe.Pointer(e)))
}

// StringData is litz_string_data. The text, UTF-8 and NUL-terminated; borrowed from the string, "" for NULL. Any
// thread.
func StringData(s *String) *byte {
	got, _, _ := purego.SyscallN(addresses[8], uintptr(unsafe.Pointer(s)))
	return (*byte)(pointer(got))
}

// StringSize is litz_string_size. Bytes of the text, without the NUL; 0 for NULL. Any thread.
func StringSize(s *String) uintptr {
	got, _, _ := purego.SyscallN(addresses[9], uintptr(unsafe.Pointer(s)))
	return uintptr(got)
}

// StringRelease is litz_string_release. Frees a string; NULL is accepted.
func StringRelease(s *String) {
	purego.SyscallN(addresses[10], uintptr(unsafe.Pointer(s)))
}

// OptionsNew is litz_options_new. Makes options that hold the defaults. The caller owns `*out`.
func OptionsNew(out **Options, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[11], uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// OptionsSet is litz_options_set. Sets one option. A key that does not exist or a value that does not suit it is
// `LITZ_ERROR_INVALID_ARGUMENT` and changes nothing. One thread at a time.
func OptionsSet(o *Options, key *byte, value *byte, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[12], uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(key)), uintptr(unsafe.Pointer(value)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// OptionsPatch is litz_options_patch. Sets several options at once, or none: `json` is an object of keys and
// values (strings, numbers, bools); null unsets a key. One thread at a time.
func OptionsPatch(o *Options, json *byte, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[13], uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// OptionsGet is litz_options_get. The effective value of an option: the value that was set, otherwise its mode's,
// the environment's, or the default. NULL options are the defaults. The caller owns `*value`. One thread at a
// time.
func OptionsGet(o *Options, key *byte, value **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[14], uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(key)), uintptr(unsafe.Pointer(value)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// OptionsJSON is litz_options_json. Every option as a JSON object: key to `value`, the effective one, and `from`,
// where it comes from: `set`, `mode`, `environment` or `default`. NULL options are the defaults. The caller owns
// `*json`. One thread at a time.
func OptionsJSON(o *Options, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[15], uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// MachineDescribe is litz_machine_describe. The machine as a compilation with these options finds it, as JSON:
// `cpu` (`isa`, `cores`, caches) and `parts`, a list of the C++ compiler, the GPU with its driver, NVRTC,
// cuBLASLt, cuDNN and the cache's folder, each with `name`, `needed_for`, `path` (for the GPU its name), `version`
// and `why_not`, null where it was found. Takes up to a second. NULL options are the defaults. The caller owns
// `*json`. Any thread.
func MachineDescribe(o *Options, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[16], uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// CacheDescribe is litz_cache_describe. The cache on disk that these options name, as JSON: `folder`, `max_bytes`,
// `bytes`, and `entries`, the least recently used first, each with `key`, `bytes` and `used`, in seconds since 1970.
// NULL options are the defaults. The caller owns `*json`. Any thread.
func CacheDescribe(o *Options, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[17], uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// CachePrune is litz_cache_prune. Removes the least recently used entries of the cache on disk that these options
// name until the others take `max_bytes` at most; 0 removes all. `*json` says which were removed: `folder`,
// `bytes`, and `removed`, a list as the entries of `litz_cache_describe`. NULL options are the defaults. The
// caller owns `*json`. Any thread, also while other processes use the cache.
func CachePrune(o *Options, maxBytes uint64, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[18], uintptr(unsafe.Pointer(o)), uintptr(maxBytes), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// OptionsClone is litz_options_clone. Copies options: values, log and trace callbacks, registry. Cancelling the
// compilations of one does nothing to those of the other. The caller owns `*out`. One thread at a time.
func OptionsClone(o *Options, out **Options, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[19], uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// ModeOptions is litz_mode_options. The values that a mode gives other keys, as a JSON object. A key that is set
// itself keeps its value. `dynamic` is 1 for programs whose sizes change between runs and 0 for others; the values
// are the same for both. The caller owns `*json`. Any thread.
func ModeOptions(mode *byte, dynamic int32, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[20], uintptr(unsafe.Pointer(mode)), uintptr(dynamic), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// Backends is litz_backends. The backends without any of the `n` tags, as a JSON list of `name`, `tags`,
// `available` and `why_not` (null where it is available). Looks for compilers, drivers and libraries, which takes
// up to a second. `exclude_tags` may be NULL where `n` is 0. The caller owns `*json`. Any thread.
func Backends(excludeTags **byte, n uintptr, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[21], uintptr(unsafe.Pointer(excludeTags)), n, uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// OptionsCancel is litz_options_cancel. Ends the compilations that were begun with these options and are in
// progress: they give `LITZ_ERROR_CANCELLED`, and the compilers that they started are stopped. Later ones are as
// ever. Any thread, also while others compile with the options.
func OptionsCancel(o *Options, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[22], uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// OptionsSetLog is litz_options_set_log. Sends log messages up to `level` (0 errors, 1 warnings, 2 information, 3
// debugging) to `fn`, with `context`. Both must stay valid until the options, and graphs and executables made with
// them, are released; `fn` may be called on any thread and must not unwind. A NULL `fn` takes the callback away.
// One thread at a time.
func OptionsSetLog(o *Options, level int32, fn uintptr, context unsafe.Pointer, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[23], uintptr(unsafe.Pointer(o)), uintptr(level), fn, uintptr(context), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// OptionsSetTrace is litz_options_set_trace. Sets a trace callback. Every event of a compilation with these
// options, and of the runs of the resulting executable, is passed to `fn` with `context`, as one line of JSON with
// the ids of the compilation, graph and kernel. `fn` and `context` must stay valid until the options and all
// executables compiled with them are released. `fn` may be called on any thread and must not unwind. A NULL `fn`
// removes the callback. One thread at a time.
func OptionsSetTrace(o *Options, fn uintptr, context unsafe.Pointer, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[24], uintptr(unsafe.Pointer(o)), fn, uintptr(context), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// OptionsList is litz_options_list. Every option as a JSON list of `key`, `type`, `default` and `meaning`. The
// caller owns `*json`. Any thread.
func OptionsList(json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[25], uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// OptionsRelease is litz_options_release. Frees options; NULL is accepted. Graphs and executables made with them
// live on. One thread at a time.
func OptionsRelease(o *Options) {
	purego.SyscallN(addresses[26], uintptr(unsafe.Pointer(o)))
}

// WeightsOpen is litz_weights_open. Opens a file of weights: safetensors, the index of several such files
// (`….safetensors.index.json`), or GGUF of versions 2 and 3. Files are mapped, and must not change until `*out`,
// every graph that has weights of it and every executable made from those are released. The caller owns `*out`.
func WeightsOpen(path *byte, out **Weights, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[60], uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// WeightsDescribe is litz_weights_describe. What a file of weights holds, as JSON: `metadata`, the file's own keys
// and values, and `tensors`, a list with `name`, `format` (a dtype, or the name of GGUF's block format), `dtype`
// (that of the value in a graph; null for formats that are not read), `shape` and `bytes`. The caller owns
// `*json`. Any thread, unless another one adds aliases.
func WeightsDescribe(w *Weights, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[61], uintptr(unsafe.Pointer(w)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// WeightsAlias is litz_weights_alias. Gives a tensor another name, too: that of a program's parameter, where the
// file names it otherwise, or where the file holds a shared one once. One thread at a time.
func WeightsAlias(w *Weights, tensor *byte, name *byte, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[62], uintptr(unsafe.Pointer(w)), uintptr(unsafe.Pointer(tensor)), uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// WeightsRelease is litz_weights_release. Releases a file of weights; NULL is accepted. Graphs and executables
// keep the tensors that they use.
func WeightsRelease(w *Weights) {
	purego.SyscallN(addresses[63], uintptr(unsafe.Pointer(w)))
}

// TensorRelease is litz_tensor_release. Frees a tensor that a run or [`litz_executable_constant`] gave, or any
// other tensor of DLPack's, by its own deleter: for bindings that would rather call a function than a member of a
// struct. NULL is accepted, and a tensor without a deleter has nothing to free. Any thread.
func TensorRelease(t *DLManagedTensorVersioned) {
	purego.SyscallN(addresses[83], uintptr(unsafe.Pointer(t)))
}

// SavedRelease is litz_saved_release. Frees what a forward kept. NULL is accepted.
func SavedRelease(s *Saved) {
	purego.SyscallN(addresses[104], uintptr(unsafe.Pointer(s)))
}

// Minify is litz_minify. Reduces a graph to a small part for which a predicate still holds, such as "fails to
// compile" or "differs from the interpreter". Nodes are removed first, and their results become inputs; then
// outputs, inputs and constants are removed. The predicate is called for the whole graph first, where it must
// hold, and then some tens of times. `context` is passed to it and may be NULL. The caller owns `*out`. One thread
// at a time.
func Minify(g *Graph, stillFails uintptr, context unsafe.Pointer, out **Graph, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[114], uintptr(unsafe.Pointer(g)), stillFails, uintptr(context), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// PredicateNew is litz_predicate_new. Makes a predicate of one of three kinds. "compile_fails": the part fails to
// compile with the same status and message as the whole graph. "crashes": compiling or running the part ends its
// process by a signal, or takes more than two minutes; each part is tried in a process of its own, which needs a
// C++ compiler. "differs": a run differs from the interpreter, compared kernel by kernel as by `debug.compare`.
// Parts are compiled with the options; `o` is nullable. `inputs` are the `n` inputs of the whole graph, or none,
// and then inputs are made up. Where a part has an input instead of a removed node, the input gets the value that
// the node computes from `inputs`. Pass `litz_predicate_holds` and the predicate to `litz_minify`, once. The
// caller owns `*out`. One thread at a time.
func PredicateNew(kind *byte, o *Options, inputs **DLTensor, n uintptr, out **Predicate, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[115], uintptr(unsafe.Pointer(kind)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(inputs)), n, uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// PredicateHolds is litz_predicate_holds. A `litz_predicate_fn` whose context is a `litz_predicate`. The first
// graph that it is asked about is the whole one. One thread at a time.
func PredicateHolds(context unsafe.Pointer, g *Graph, stillFails *int32, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[116], uintptr(context), uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(stillFails)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// PredicateRelease is litz_predicate_release. Frees a predicate; NULL is accepted. One thread at a time.
func PredicateRelease(p *Predicate) {
	purego.SyscallN(addresses[117], uintptr(unsafe.Pointer(p)))
}

// ReproInputs is litz_repro_inputs. The inputs of such a folder, on the device that the options run programs on;
// each is the caller's to free with litz_tensor_release. There is room for `capacity` of them in `inputs`, which
// may be NULL where that is 0; `*n` is how many there are, and with too little room the call gives
// `LITZ_ERROR_CAPACITY`. `o` is nullable. One thread at a time.
func ReproInputs(folder *byte, o *Options, inputs **DLManagedTensorVersioned, capacity uintptr, n *uintptr, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[121], uintptr(unsafe.Pointer(folder)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(inputs)), capacity, uintptr(unsafe.Pointer(n)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// RegistryNew is litz_registry_new. Makes an empty registry. The caller owns `*out`.
func RegistryNew(out **Registry, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[122], uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// OptionsSetRegistry is litz_options_set_registry. Sets the registry of these options. A compilation uses the
// passes, decompositions and backends that the registry holds when the compilation begins. The options, and every
// executable compiled with them, keep the registry alive. A NULL `r` removes it. One thread at a time.
func OptionsSetRegistry(o *Options, r *Registry, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[123], uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(r)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// RegistryAddPass is litz_registry_add_pass. Adds a pass, which runs behind those that were added before it at the
// same point: `pre_grad`, on the graph as it was given; `joint`, on the functional graph whose composite operators
// are decomposed; `post_grad`, behind Litz's own passes. In a training program the first is the graph before it is
// differentiated, the second has the gradients, and the third is each half by itself. It is called for the graph,
// and before that for each graph that a node of it runs, on the thread that compiles; a program may be compiled
// again by a run whose inputs share memory. It may add nodes (those of `post_grad` and `joint` are made functional
// and decomposed again) and constants, replace and erase; inputs, outputs and their types stay. The graph is
// checked afterwards, and an error names the pass by its point and number. The graph is lent for the call;
// `litz_is_compiling` is 1 in it. `context` must stay valid until the registry and all that was made with it are
// released: see `litz_registry_add_cleanup`. `fn` must not unwind. One thread at a time.
func RegistryAddPass(r *Registry, point *byte, fn uintptr, context unsafe.Pointer, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[124], uintptr(unsafe.Pointer(r)), uintptr(unsafe.Pointer(point)), fn, uintptr(context), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// RegistryAddDecomposition is litz_registry_add_decomposition. Replaces every node of operator `op`
// ("aten.softplus"; a functional one, or one of the registry's own, which then needs nothing else that computes
// it) by the nodes that `rule` builds. The rule gets one argument for each of the schema's, in its order and with
// its name. The rule adds nodes to `g`, which is lent for the call, and writes its `n_outs` results; all of them 0
// keep the node. Results must have the dtypes and sizes of the operator's. An operator that already has a
// decomposition in this registry is refused; one of Litz's own gives way. Threads, `context` and unwinding as for
// litz_registry_add_pass. One thread at a time.
func RegistryAddDecomposition(r *Registry, op *byte, rule uintptr, context unsafe.Pointer, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[125], uintptr(unsafe.Pointer(r)), uintptr(unsafe.Pointer(op)), rule, uintptr(context), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// RegistryAddBackend is litz_registry_add_backend. Adds a backend, which option `backend` then names on options
// that have the registry. `tags` are for `litz_registry_describe` to tell. `b` is copied. One thread at a time.
func RegistryAddBackend(r *Registry, name *byte, tags **byte, nTags uintptr, b *Backend, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[126], uintptr(unsafe.Pointer(r)), uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(tags)), nTags, uintptr(unsafe.Pointer(b)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// RegistryAddCleanup is litz_registry_add_cleanup. Registers a function that frees the callbacks' data. `fn` is
// called with `context` once the registry, its options and all programs compiled with them are released, on the
// thread that releases the last of them. `fn` must not unwind. One thread at a time.
func RegistryAddCleanup(r *Registry, fn uintptr, context unsafe.Pointer, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[127], uintptr(unsafe.Pointer(r)), fn, uintptr(context), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// RegistryDescribe is litz_registry_describe. Describes a registry as JSON: `passes` (how many at each point),
// `decompositions` (operators), `own_decompositions` (operators that Litz decomposes by its own rules with this
// registry), `backends` (`name` and `tags`). The caller owns `*json`. One thread at a time.
func RegistryDescribe(r *Registry, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[128], uintptr(unsafe.Pointer(r)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// RegistryRelease is litz_registry_release. Gives the registry back; NULL is accepted. Options that it was set on
// keep it. One thread at a time.
func RegistryRelease(r *Registry) {
	purego.SyscallN(addresses[129], uintptr(unsafe.Pointer(r)))
}

// MetaOutput is litz_meta_output. Tells the type of the `k`-th result, counted among those that no argument is.
// `spec` is read as that of `litz_graph_input`, but strides are not: results are contiguous. Only for use within a
// `meta` function, once for each result.
func MetaOutput(outs *Meta, k uintptr, spec *TensorSpec, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[130], uintptr(unsafe.Pointer(outs)), k, uintptr(unsafe.Pointer(spec)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// RegistryAddOperator is litz_registry_add_operator. Adds an operator by its schema as PyTorch writes it,
// `mylib::scale(Tensor x, float by=2.0) -> Tensor`: graphs made with options that have the registry may call it
// ("mylib.scale", "mylib.scale.default"), and exported programs that call it are read. `Tensor(a!)` marks what it
// writes; a result of the same mark is that argument. Results are tensors, or one list of them (`-> Tensor[]`), as
// long as `meta` says. `op` is copied. A schema that is not understood, and a name that the registry has, are
// `LITZ_ERROR_INVALID_ARGUMENT`. One thread at a time.
func RegistryAddOperator(r *Registry, schema *byte, op *Operator, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[131], uintptr(unsafe.Pointer(r)), uintptr(unsafe.Pointer(schema)), uintptr(unsafe.Pointer(op)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// RegistryAddOperatorSource is litz_registry_add_operator_source. Adds source text to an operator of the registry
// ("mylib.scale"), for `backend` "cpu" (C++; what of C is C++, too) or "cuda" (CUDA C++, whose function is
// `__device__`). It is compiled with the kernels of programs that call the operator, and is part of their
// artifacts, which then need no registry; functions of the operator are not called. `function` in it returns
// nothing and takes the arguments by the schema, each tensor as a `litz_tensor`, an int or dtype as `int64_t`, a
// bool as `bool`, a float as `double`; then each result as a `litz_tensor` to fill; then `int64_t task` and
// `int64_t tasks`: it is called for each task from 0 to below `tasks`, by any thread, and does its share (`for (i =
// task; i < n; i += tasks)`). `litz_tensor` is declared for it: `void *data` (contiguous), `int64_t count` of
// elements, `int dtype`, `int ndim`, `int64_t sizes[8]`; a tensor that is not given has `data` NULL. Operators
// that write to arguments, or take lists or strings, take no source. Each backend's is added once. One thread at a
// time.
func RegistryAddOperatorSource(r *Registry, op *byte, backend *byte, source *byte, function *byte, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[132], uintptr(unsafe.Pointer(r)), uintptr(unsafe.Pointer(op)), uintptr(unsafe.Pointer(backend)), uintptr(unsafe.Pointer(source)), uintptr(unsafe.Pointer(function)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// Reset is litz_reset. Drops memory that only makes later calls faster: caches, idle pools and recorded CUDA
// graphs, and sets the numbers of [`litz_counters`] to zero. Executables, graphs and outputs stay. Any thread.
func Reset(err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[133], uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// Counters is litz_counters. Counts of the library's work in this process so far, as a JSON object of groups of
// numbers: `compiles` (`begun`, `failed`), `kernels` (`compiled`, `from_cache`), `cache` (`hits`, `misses`,
// `damaged`), `autotune` (`candidates`), `artifacts` (`written`, `opened`), `fallbacks` (`interpreter`) and
// `cuda_graphs` (`recorded`, `replayed`, `patched` among them, and runs `step_by_step`). The caller owns `*json`.
// Any thread.
func Counters(json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[134], uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// IsCompiling is litz_is_compiling. 1 on a thread that works for a compilation, as in the callbacks of one; 0
// elsewhere. Any thread.
func IsCompiling() int32 {
	got, _, _ := purego.SyscallN(addresses[135])
	return int32(got)
}

// CudagraphMarkStepBegin is litz_cudagraph_mark_step_begin. A step of the host's begins: in modes with CUDA graphs
// each run of a program between two marks has a graph of its own, with its addresses. Outputs of earlier steps
// stay as they are: no replay overwrites them. Any thread.
func CudagraphMarkStepBegin() {
	purego.SyscallN(addresses[136])
}

// SetThreads is litz_set_threads. How many threads the process's pool has for the runs of programs that have no
// `cpu.threads` of their own, compiled and opened ones alike: 1 to 256, or 0 for one for each CPU that the process
// may use, which is the default. Waits for a kernel that the pool is busy with. Any thread.
func SetThreads(n int32, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[137], uintptr(n), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// MemoryStats is litz_memory_stats. How much memory the library holds on a device (DLPack's type and index; the
// CPU is 1, 0), as JSON: `tensors` (those that runs gave out and nobody has freed); and of programs, compiled and
// opened ones alike, `weights` (constants as they were given, but for those in the host's own memory and those in
// files that runs never read), `packed_weights` (buffers derived from constants), `arenas` (intermediate results)
// and `frames` (other memory of runs, and that of freed outputs which the next one takes), each with `bytes`,
// `peak_bytes` and `blocks`. Memory that programs share counts once. For a CUDA device (2, its index), in bytes:
// `allocated`, `cached` and `reserved` (both together), the most that `peak_allocated` and `peak_reserved` ever
// were, and the device's `available` and `total`, 0 as long as the library has not used it; and `pinned`, the
// host's memory that tensors are copied through (option `run.host_tensors`). The caller owns `*json`. Any thread.
func MemoryStats(deviceType int32, deviceIndex int32, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[138], uintptr(deviceType), uintptr(deviceIndex), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// MemoryRelease is litz_memory_release. Gives unused memory that the library holds on a device back to the system;
// on the CPU also the memory that programs keep for their next runs. Runs in progress keep theirs. Any thread.
func MemoryRelease(deviceType int32, deviceIndex int32, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[139], uintptr(deviceType), uintptr(deviceIndex), uintptr(unsafe.Pointer(err)))
	return Status(got)
}
