// Code generated from abi/litz.json by scripts/generate. DO NOT EDIT.

package abi

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// GraphNew is litz_graph_new. Makes an empty graph. `o` is nullable. The caller owns `*out`. One thread at a time.
func GraphNew(name *byte, o *Options, out **Graph, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[27], uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphClone is litz_graph_clone. Copies a graph; constants' data is shared. Values of the original are not values
// of the copy: find them by name. A failed graph gives its failure. The caller owns `*out`. One thread at a time.
func GraphClone(g *Graph, out **Graph, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[28], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphSymbol is litz_graph_symbol. Declares a size that is known at run time only, from `min` to `max` (below 0:
// no bound). `hint` is a typical value (below 0: none). Give the value as `symbols` of an input's spec, or
// wherever an operator takes an integer. One thread at a time.
func GraphSymbol(g *Graph, name *byte, min int64, max int64, hint int64, out *Value, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[29], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(name)), uintptr(min), uintptr(max), uintptr(hint), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphScalarInput is litz_graph_scalar_input. Adds an input that is a number given at run time as a 0-d host
// tensor: int64, bool or float64. Integers and bools may stand wherever a symbol may; `min` and `max` bound
// integers (`max` below 0: no bound). One thread at a time.
func GraphScalarInput(g *Graph, name *byte, dtype int32, min int64, max int64, out *Value, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[30], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(name)), uintptr(dtype), uintptr(min), uintptr(max), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphInput is litz_graph_input. Adds a tensor input. Inputs are given to a run in the order they were added. One
// thread at a time.
func GraphInput(g *Graph, name *byte, spec *TensorSpec, out *Value, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[31], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(spec)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphConstant is litz_graph_constant. Adds a parameter, buffer or constant (`kind`: `LITZ_CONSTANT_…`) with
// its data, which lies in host memory. The data is copied, unless `flags` has `LITZ_CONSTANT_BORROW`: then it must
// be contiguous, and stay alive and unchanged until the graph and every executable made from it are released. The
// strides of `data` decide how results are laid out, as in PyTorch. One thread at a time.
func GraphConstant(g *Graph, name *byte, kind int32, flags int32, data *DLTensor, out *Value, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[32], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(name)), uintptr(kind), uintptr(flags), uintptr(unsafe.Pointer(data)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphOutput is litz_graph_output. Adds an output; outputs are given by a run in the order they were added. A
// symbol becomes a 0-d int64 tensor. One thread at a time.
func GraphOutput(g *Graph, name *byte, v Value, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[33], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(name)), uintptr(v), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphStatus is litz_graph_status. The first failure of a call that was made with `err` NULL; such a failure
// makes every later call on the graph fail with it. `LITZ_OK` when there was none. One thread at a time.
func GraphStatus(g *Graph, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[34], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphFind is litz_graph_find. Finds an input, a parameter, a buffer, an output or a symbol by its name, looked
// for in this order. One thread at a time.
func GraphFind(g *Graph, name *byte, out *Value, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[35], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphValueDescribe is litz_graph_value_describe. Describes a value as JSON: for a tensor `dtype`, `shape`,
// `strides` and `producer`; for a symbol `symbol`, `min`, `max`. Sizes are numbers where known, otherwise
// expressions as strings. The caller owns `*json`. One thread at a time.
func GraphValueDescribe(g *Graph, v Value, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[36], uintptr(unsafe.Pointer(g)), uintptr(v), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphDescribe is litz_graph_describe. Describes a graph as a JSON object: `name`; `inputs`, `outputs` and
// `constants`, each with name, dtype and shape; `symbols` with their ranges; `operators`, the count of each by
// name; `gradients`, the tensors that a backward graph gives; `writes`, the inputs and constants that a run
// changes; and `signature`, an object of `inputs` and `outputs`, each a list with the path, name, kind and value
// of every argument or result. Sizes are numbers, or strings where they depend on symbols. The caller owns
// `*json`. One thread at a time.
func GraphDescribe(g *Graph, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[37], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphRelease is litz_graph_release. Frees a graph; NULL is accepted. Executables made from it live on. One
// thread at a time.
func GraphRelease(g *Graph) {
	purego.SyscallN(addresses[38], uintptr(unsafe.Pointer(g)))
}

// GraphCall is litz_graph_call. Adds an operator: "aten.add.Tensor" (".default" may be left out; "aten.add_.Tensor"
// writes to its first argument), or "sym.mul" and the like on symbols (add, sub, mul, floordiv, mod, min, max,
// neg, eq, lt, …, with one symbol as result). Positional arguments come first; arguments that are left out have
// the schema's default. The results are written to `outs`; where they are more than `outs_capacity` nothing is
// added, `*n_outs` is the count needed and the call gives `LITZ_ERROR_CAPACITY`, which never leaves the graph
// failed. `outs` may be NULL when `outs_capacity` is 0. An operator that is not known is `LITZ_ERROR_UNSUPPORTED`
// and the message names the nearest ones. "aten.chunk" of a size that only a run knows gives as many parts as it
// is asked for; a run whose size makes another number of them is `LITZ_ERROR_SHAPE`. One thread at a time.
func GraphCall(g *Graph, op *byte, args *Arg, nArgs uintptr, outs *Value, outsCapacity uintptr, nOuts *uintptr, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[39], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(op)), uintptr(unsafe.Pointer(args)), nArgs, uintptr(unsafe.Pointer(outs)), outsCapacity, uintptr(unsafe.Pointer(nOuts)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphNodes is litz_graph_nodes. The graph's nodes, in the order in which they run. Where they are more than
// `capacity`, `*n_nodes` is the count needed and the call gives `LITZ_ERROR_CAPACITY`. `nodes` may be NULL when
// `capacity` is 0. One thread at a time.
func GraphNodes(g *Graph, nodes *Node, capacity uintptr, nNodes *uintptr, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[40], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(nodes)), capacity, uintptr(unsafe.Pointer(nNodes)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphValues is litz_graph_values. The tensors that the graph takes, gives or writes, in order; `what` is
// `LITZ_INFO_INPUT`, `…_OUTPUT` (0 for an output that is a number), `…_CONSTANT`, or `…_WRITE`: the new
// contents of inputs and constants, in the order of `writes` in `litz_graph_describe`. Where they are more than
// `capacity`, `*n_values` is the count needed and the call gives `LITZ_ERROR_CAPACITY`. `values` may be NULL when
// `capacity` is 0. One thread at a time.
func GraphValues(g *Graph, what int32, values *Value, capacity uintptr, nValues *uintptr, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[41], uintptr(unsafe.Pointer(g)), uintptr(what), uintptr(unsafe.Pointer(values)), capacity, uintptr(unsafe.Pointer(nValues)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphNodeInfo is litz_graph_node_info. Describes a node: its operator, arguments and results. Set
// `out->struct_size` first. The pointers written belong to the graph: see `litz_node_info`. Graphs among the
// arguments are those that the node runs; `litz_graph_clone` copies one to edit it. One thread at a time.
func GraphNodeInfo(g *Graph, n Node, out *NodeInfo, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[42], uintptr(unsafe.Pointer(g)), uintptr(n), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphNodeDescribe is litz_graph_node_describe. Describes a node as JSON: `operator`, `arguments` (`name`,
// `value` as in the graph's text), `results` (`value`, `dtype`, `shape`, `strides`, and `users`: the nodes, and
// the outputs by name, that use it). The caller owns `*json`. One thread at a time.
func GraphNodeDescribe(g *Graph, n Node, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[43], uintptr(unsafe.Pointer(g)), uintptr(n), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphProducer is litz_graph_producer. The node that makes a tensor, and which of its results that is; `*out` is
// 0, and `*result` the place among inputs or constants, where no node does. One thread at a time.
func GraphProducer(g *Graph, v Value, out *Node, result *uintptr, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[44], uintptr(unsafe.Pointer(g)), uintptr(v), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(result)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphUsers is litz_graph_users. The nodes that use a tensor, each once and in the order in which they run. Where
// they are more than `capacity`, `*n_nodes` is the count needed and the call gives `LITZ_ERROR_CAPACITY`. `nodes`
// may be NULL when `capacity` is 0. One thread at a time.
func GraphUsers(g *Graph, v Value, nodes *Node, capacity uintptr, nNodes *uintptr, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[45], uintptr(unsafe.Pointer(g)), uintptr(v), uintptr(unsafe.Pointer(nodes)), capacity, uintptr(unsafe.Pointer(nNodes)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphInsertBefore is litz_graph_insert_before. Calls from now on put their nodes in front of node `n`, in the
// order of the calls; `n` 0: at the end of the graph, as it is at first. A call that uses a value made behind that
// place fails. One thread at a time.
func GraphInsertBefore(g *Graph, n Node, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[46], uintptr(unsafe.Pointer(g)), uintptr(n), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphInsertAfter is litz_graph_insert_after. Calls from now on put their nodes behind node `n`, in the order of
// the calls; `n` 0: at the start of the graph. One thread at a time.
func GraphInsertAfter(g *Graph, n Node, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[47], uintptr(unsafe.Pointer(g)), uintptr(n), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphReplace is litz_graph_replace. Replaces every use of the tensor `old_value` by `new_value`: in nodes,
// outputs and write-backs. Nodes that `new_value` itself is computed from keep `old_value`. Where dtype or sizes
// differ, the results that depend on them are inferred again; if an operator does not take the new ones, the call
// fails and changes nothing. `new_value` must be defined before the first node that uses `old_value`: see
// `litz_graph_insert_after`. One thread at a time.
func GraphReplace(g *Graph, oldValue Value, newValue Value, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[48], uintptr(unsafe.Pointer(g)), uintptr(oldValue), uintptr(newValue), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphErase is litz_graph_erase. Takes a node out of the graph. Its results must have no users. The handles of
// the node and its results are invalid afterwards. If it was the place of insertion, the next node takes its
// place. One thread at a time.
func GraphErase(g *Graph, n Node, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[49], uintptr(unsafe.Pointer(g)), uintptr(n), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphDisableFusion is litz_graph_disable_fusion. Marks nodes to run unfused, one operator at a time: no kernel
// computes a marked node together with another node. Results may differ from those of the fused program by
// rounding. The mark extends to the nodes of graphs that a marked node runs, to its decomposition and to its
// gradient. Views have no kernel. The graph's text keeps the mark. Nothing is marked where one of the nodes is
// wrong; `nodes` may be NULL when `n_nodes` is 0. One thread at a time.
func GraphDisableFusion(g *Graph, nodes *Node, nNodes uintptr, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[50], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(nodes)), nNodes, uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphLint is litz_graph_lint. Checks a graph: every value is made before it is used, arguments fit their
// operators' schemas, and dtypes and sizes are those that the operators give. The message names the first node
// that is wrong. One thread at a time.
func GraphLint(g *Graph, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[51], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphFromPt2 is litz_graph_from_pt2. Loads an exported program (`.pt2`) from a file, which is mapped and must
// not change until the graph and every executable made from it are released. `o` is nullable. The caller owns
// `*out`. One thread at a time.
func GraphFromPt2(path *byte, o *Options, out **Graph, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[52], uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphFromPt2Memory is litz_graph_from_pt2_memory. [`litz_graph_from_pt2`] from memory, which is not needed any
// more after the call. One thread at a time.
func GraphFromPt2Memory(data unsafe.Pointer, size uintptr, o *Options, out **Graph, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[53], uintptr(data), size, uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphFromOnnx is litz_graph_from_onnx. Loads an ONNX model from a file: opsets 13 to 28 of ONNX's operators,
// operators of `com.microsoft` that exporters write, and functions. The file and those that it names for its
// weights are mapped and must not change until the graph and every executable made from it are released; a name
// that leads out of the model's folder is `LITZ_ERROR_PARSE`. Inputs and outputs have the model's names, named
// sizes are symbols, and initializers that operators use are constants: those of floats are parameters. Elements
// of 2 and 4 bits, and floats of 8 and 4 bits, take a byte each, int8 or uint8. An operator that is not supported
// is `LITZ_ERROR_UNSUPPORTED`, and the message has its name, opset and node. `o` is nullable. The caller owns
// `*out`. One thread at a time.
func GraphFromOnnx(path *byte, o *Options, out **Graph, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[54], uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphFromOnnxMemory is litz_graph_from_onnx_memory. [`litz_graph_from_onnx`] from memory, which is not needed
// any more after the call. Files that the model names for its weights are looked for in `folder`; with NULL, a
// model that names any is `LITZ_ERROR_UNSUPPORTED`. One thread at a time.
func GraphFromOnnxMemory(data unsafe.Pointer, size uintptr, folder *byte, o *Options, out **Graph, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[55], uintptr(data), size, uintptr(unsafe.Pointer(folder)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphFromExportJSON is litz_graph_from_export_json. Reads an ExportedProgram's JSON, or its graph_module part
// alone, of `size` bytes, without weights: parameters, buffers and constants become inputs. `o` is nullable. The
// caller owns `*out`. One thread at a time.
func GraphFromExportJSON(json *byte, size uintptr, o *Options, out **Graph, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[56], uintptr(unsafe.Pointer(json)), size, uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphToExportJSON is litz_graph_to_export_json. Writes the graph as the JSON of an ExportedProgram, weights left
// out: PyTorch's export schema, which `litz_graph_from_export_json` reads and PyTorch's `torch._export.serde` too.
// Graphs that the schema cannot hold are `LITZ_ERROR_UNSUPPORTED`: functions of floats such as `exp` in sizes,
// storages that are used apart from their views, numbers as operands of graphs that nodes run, operators that
// data-dependent ones became. The caller owns `*json`. One thread at a time.
func GraphToExportJSON(g *Graph, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[57], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphFromText is litz_graph_from_text. Reads Litz text, as `litz_graph_to_text` writes it, of `size` bytes.
// `LITZ_ERROR_PARSE` names line and column. `o` is nullable. The caller owns `*out`. One thread at a time.
func GraphFromText(text *byte, size uintptr, o *Options, out **Graph, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[58], uintptr(unsafe.Pointer(text)), size, uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphToText is litz_graph_to_text. Writes the graph as Litz text, constants with their data. The caller owns
// `*out`. One thread at a time.
func GraphToText(g *Graph, out **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[59], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphWeight is litz_graph_weight. Adds a tensor of a file of weights as a parameter, buffer or constant (`kind`:
// `LITZ_CONSTANT_…`) called `name`; with NULL it has the tensor's name. The data stay in the file. `*out` is the
// tensor, of the file's dtype. Of GGUF's block formats the constant is the blocks, uint8 of shape `[…, blocks,
// bytes of a block]`, and `*out` is what unpacks them, float32 of the tensor's shape. One thread at a time.
func GraphWeight(g *Graph, w *Weights, tensor *byte, name *byte, kind int32, out *Value, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[64], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(w)), uintptr(unsafe.Pointer(tensor)), uintptr(unsafe.Pointer(name)), uintptr(kind), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphFromExportJSONWithWeights is litz_graph_from_export_json_with_weights. [`litz_graph_from_export_json`] with
// weights: parameters, buffers and constants are tensors of `w` by their exported names, and floats are converted
// to the program's dtype. Parameters and persistent buffers that `w` lacks are an error that names them all; other
// buffers and constants that it lacks are inputs. `o` is nullable. The caller owns `*out`. One thread at a time.
func GraphFromExportJSONWithWeights(json *byte, size uintptr, w *Weights, o *Options, out **Graph, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[65], uintptr(unsafe.Pointer(json)), size, uintptr(unsafe.Pointer(w)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphDifferentiate is litz_graph_differentiate. Appends the gradients of `outputs` with respect to the tensors
// `wrt`, and writes them to `grads` (`n_wrt` of them), each with the dtype and sizes of its tensor; 0 where no
// output depends on the tensor. `cotangents` weigh the outputs: each has the dtype and sizes of its output, and 0
// leaves an output out; they are values of this graph. NULL as `cotangents` asks for one output of one element,
// weighted by 1. What is appended are operators like others: calling this again gives second derivatives. A graph
// with in-place operators is made functional first: its values stay valid and mean what they show in the end, its
// nodes (`litz_node`) do not. An operator without a derivative is `LITZ_ERROR_UNSUPPORTED` by name, and the graph
// stays as it was. One thread at a time.
func GraphDifferentiate(g *Graph, outputs *Value, cotangents *Value, nOutputs uintptr, wrt *Value, nWrt uintptr, grads *Value, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[92], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(outputs)), uintptr(unsafe.Pointer(cotangents)), nOutputs, uintptr(unsafe.Pointer(wrt)), nWrt, uintptr(unsafe.Pointer(grads)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphDifferentiateForward is litz_graph_differentiate_forward. Appends the derivatives of `outputs` along a
// direction (forward mode, a Jacobian-vector product): the tensors `wrt` move along `tangents`. Writes `n_outputs`
// values to `derivatives`, each with the dtype and sizes of its output, or 0 where the output does not depend on a
// tensor that moves. A tangent is a value of this graph with the dtype and sizes of its tensor; 0 is a tangent of
// zeros. The rules are those of `litz_graph_differentiate`, and the operators that they append can be
// differentiated again: a Hessian-vector product is the derivative of a gradient. A graph with in-place operators
// is made functional first, as there. An operator whose gradient has no derivative is `LITZ_ERROR_UNSUPPORTED` by
// name, and the graph stays as it was. One thread at a time.
func GraphDifferentiateForward(g *Graph, outputs *Value, nOutputs uintptr, wrt *Value, tangents *Value, nWrt uintptr, derivatives *Value, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[93], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(outputs)), nOutputs, uintptr(unsafe.Pointer(wrt)), uintptr(unsafe.Pointer(tangents)), nWrt, uintptr(unsafe.Pointer(derivatives)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphOptimizerStep is litz_graph_optimizer_step. Appends one step of an optimizer: `n` parameters are updated in
// place by their gradients when the graph runs. `kind` is "sgd", "adam", "adamw", "adagrad", "rmsprop", "adafactor", "muon"
// or "lion". `hyper` names hyper-parameters as PyTorch does (lr, beta1, beta2, eps, weight_decay, momentum, …),
// each a number, a bool, or a 0-d float of this graph, so that a schedule needs no other program; the others have
// PyTorch's usual values. State becomes buffers of the graph, named "<parameter>.exp_avg" and the like, and one
// int64 "optimizer.step". With `master_weights`, a parameter of 16 bits has a float32 copy "<parameter>.master". A
// parameter whose gradient is 0 is skipped. Before the updates all gradients are, in this order: divided by
// `loss_scale`; added up over `accumulate` runs, the last of which updates ("<parameter>.grad"); clipped as by
// `clip_grad_norm_` to the norm `clip_grad_norm`; clipped to +-`clip_grad_value`. With `loss_scale` or
// `skip_nonfinite`, a step with a gradient that is NaN or infinite changes no parameter and no optimizer state but
// the int64 "optimizer.skipped". With `ema_decay`, "<parameter>.ema" is the exponential moving average of the
// parameter, which begins as its value after the first step. Each of these is off by default. `accumulate` and the
// flags are numbers, not graph values. On failure the graph stays as it was. One thread at a time.
func GraphOptimizerStep(g *Graph, kind *byte, params *Value, grads *Value, n uintptr, hyper *Arg, nHyper uintptr, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[94], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(kind)), uintptr(unsafe.Pointer(params)), uintptr(unsafe.Pointer(grads)), n, uintptr(unsafe.Pointer(hyper)), nHyper, uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphExportJoint is litz_graph_export_joint. The joint graph of a program: its outputs and, from cotangents, the
// gradients of its floating inputs and parameters, as a graph that can be changed and compiled like any other. The
// last inputs are cotangents, one for each floating output, and the last outputs gradients. The metadata `joint`
// of its signature is JSON: `inputs` and `outputs`, how many are the program's own; `cotangents`; `gradients`,
// each with what it is `of` and its `output`, null where nothing depends on it; `mutations`, what running the
// program writes to; `aliases`, outputs that share memory. `o` is nullable. An operator without a derivative is
// `LITZ_ERROR_UNSUPPORTED` by name. `g` is not changed. The caller owns `*out`. One thread at a time.
func GraphExportJoint(g *Graph, o *Options, out **Graph, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[95], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphDraw is litz_graph_draw. Draws a graph: its nodes, a box around the nodes of each module, and the size of
// each edge's tensor. `format` is "svg" (self-contained, for light and dark pages) or "dot" (Graphviz). The caller
// owns `*out`. One thread at a time.
func GraphDraw(g *Graph, format *byte, out **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[106], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(format)), uintptr(unsafe.Pointer(out)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphSpec is litz_graph_spec. The graph's signature, as JSON. `inputs` and `outputs` are lists of leaves in
// order, each with `path` (`args[0]["mask"]`, `kwargs.scale`, `output[1]`) and `kind`: `tensor` or `scalar`, which
// is the next input or output, with `name`, `dtype`, `shape`, `strides`, and `mutated` for inputs and `alias_of`
// for outputs; `none`; or `fixed`, with `type` and `value`. `in_tree` and `out_tree` are PyTorch's serialised
// trees, null where there are none; `metadata` is text by name. The caller owns `*json`. One thread at a time.
func GraphSpec(g *Graph, json **String, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[109], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphSetSpec is litz_graph_set_spec. Sets the signature of a graph that has all its inputs and outputs. The JSON
// is that of `litz_graph_spec`; a part that is missing stays as it is. A tree alone is enough where each of its
// leaves is an input, or output; otherwise the list of leaves says which are None or fixed. The dtypes and sizes
// of leaves must match the graph. The error names the first path that does not. One thread at a time.
func GraphSetSpec(g *Graph, json *byte, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[110], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(json)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphSetMetadata is litz_graph_set_metadata. Adds text to the graph under a name, or replaces it; NULL as
// `value` removes it. It comes back in the `metadata` of the signature, of executables and artifacts too. One
// thread at a time.
func GraphSetMetadata(g *Graph, key *byte, value *byte, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[111], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(key)), uintptr(unsafe.Pointer(value)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphSaveRepro is litz_graph_save_repro. Writes a folder with the graph, its constants, the options that were
// set and the inputs, and a C program that replays them: `sh replay.sh` there compiles and runs it. The folder is
// made where it is missing, and an earlier repro in it is replaced. `n` is 0, or as many inputs as the graph has,
// in host memory or a GPU's: they keep their strides and the memory that they share. With the option
// `debug.repro_constants` larger constants are made of seeds. `o` is nullable. One thread at a time.
func GraphSaveRepro(g *Graph, o *Options, inputs **DLTensor, n uintptr, folder *byte, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[118], uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(inputs)), n, uintptr(unsafe.Pointer(folder)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphFromRepro is litz_graph_from_repro. The graph and the options of a folder that `litz_graph_save_repro`
// wrote. The caller owns both. A program that was saved with operators, a backend, passes or decompositions of its
// host is `LITZ_ERROR_UNSUPPORTED`, and the message names them: `litz_graph_from_repro_with` reads it.
func GraphFromRepro(folder *byte, g **Graph, o **Options, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[119], uintptr(unsafe.Pointer(folder)), uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}

// GraphFromReproWith is litz_graph_from_repro_with. Reads a folder as [`litz_graph_from_repro`] does, for a
// program that uses what its host registers. The registry must have the operators that the graph calls, with the
// same schemas, the backend, as many passes at each point and a decomposition of each operator that the saved
// options' registry decomposes. A registry that lacks any of them is `LITZ_ERROR_UNSUPPORTED`; the message names
// each one that is missing. The folder's `replay.c` lists them. The options have the registry. `r` is nullable.
// One thread at a time.
func GraphFromReproWith(folder *byte, r *Registry, g **Graph, o **Options, err **Error) Status {
	got, _, _ := purego.SyscallN(addresses[120], uintptr(unsafe.Pointer(folder)), uintptr(unsafe.Pointer(r)), uintptr(unsafe.Pointer(g)), uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(err)))
	return Status(got)
}
