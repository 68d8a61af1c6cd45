// `Graph`: building, reading and describing graphs.
#include "litz_python.h"

#include <algorithm>
#include <deque>

namespace litz_python {

PyTypeObject *graph_type;

Graph::~Graph() {
    api.graph_release(handle);
    Py_XDECREF(keep);
}

InUse::InUse(PyObject *object) {
    if (!is_a(object, graph_type, "graph")) return;
    Graph &graph = state_of<Graph>(object);
    if (graph.busy) {
        PyErr_SetString(PyExc_RuntimeError, "the graph is in use: it is for one thread at a time");
        return;
    }
    graph.busy = true;
    graph_ = &graph;
}

bool Sizes::read(PyObject *tuple, litz_tensor_spec *spec) {
    const auto n = static_cast<size_t>(PyTuple_Size(tuple));
    sizes_.resize(n);
    symbols_.resize(n);
    for (size_t k = 0; k < n; ++k) {
        PyObject *item = PyTuple_GetItem(tuple, static_cast<Py_ssize_t>(k));
        if (PyObject_TypeCheck(item, value_type)) symbols_[k] = state_of<Value>(item).id;
        else sizes_[k] = PyLong_AsLongLong(item);
        if (PyErr_Occurred()) return false;
    }
    spec->struct_size = sizeof *spec;
    spec->ndim = static_cast<int32_t>(n);
    spec->shape = sizes_.data();
    spec->symbols = symbols_.data();
    return true;
}

namespace {

bool ids_of(PyObject *list, std::vector<litz_value> *out) {
    Ref all(PySequence_Tuple(list));
    for (Py_ssize_t k = 0; all && k < PyTuple_Size(all.get()); ++k) {
        out->push_back(0);
        if (!id_of(PyTuple_GetItem(all.get(), k), &out->back())) return false;
    }
    return static_cast<bool>(all);
}

PyObject *give_ids(PyObject *graph, const litz_value *ids, size_t n, bool numbers) {
    Ref all(PyTuple_New(static_cast<Py_ssize_t>(n)));
    for (size_t k = 0; all && k < n; ++k) {
        PyObject *one = new_value(graph, ids[k], numbers);
        if (!one) return nullptr;
        PyTuple_SetItem(all.get(), static_cast<Py_ssize_t>(k), one);
    }
    return all.release();
}

// The arguments of a call, and the memory that they point at.
class Arguments {
    std::deque<std::vector<int64_t>> ints_;
    std::deque<std::vector<litz_value>> values_;
    std::deque<std::vector<double>> floats_;
    std::deque<std::vector<const litz_graph *>> graphs_;

    bool list(PyObject *object, bool of_operands, litz_arg *out) {
        Ref all(PySequence_Tuple(object));
        if (!all) return false;
        const Py_ssize_t n = PyTuple_Size(all.get());
        out->n = static_cast<size_t>(n);
        bool tensors = false, numbers = false, floats = false, bools = n > 0, graphs = false;
        for (Py_ssize_t k = 0; k < n; ++k) {
            PyObject *item = PyTuple_GetItem(all.get(), k);
            const bool value = PyObject_TypeCheck(item, value_type);
            tensors |= item == Py_None || (value && !state_of<Value>(item).number);
            numbers |= value && state_of<Value>(item).number;
            floats |= PyFloat_Check(item) != 0;
            bools &= PyBool_Check(item) != 0;
            graphs |= PyObject_TypeCheck(item, graph_type) != 0;
        }
        if (graphs) {
            auto &data = graphs_.emplace_back();
            for (Py_ssize_t k = 0; k < n; ++k) {
                PyObject *item = PyTuple_GetItem(all.get(), k);
                if (!is_a(item, graph_type, "an item of a list of graphs")) return false;
                data.push_back(state_of<Graph>(item).handle);
            }
            out->kind = LITZ_ARG_SUBGRAPHS;
            out->subgraphs = data.data();
        } else if (tensors || (of_operands && (numbers || n == 0))) {
            auto &data = values_.emplace_back(static_cast<size_t>(n));
            for (Py_ssize_t k = 0; k < n; ++k)
                if (!id_of(PyTuple_GetItem(all.get(), k), &data[static_cast<size_t>(k)])) return false;
            out->kind = LITZ_ARG_VALUES;
            out->values = data.data();
        } else if (floats) {
            auto &data = floats_.emplace_back();
            for (Py_ssize_t k = 0; k < n; ++k) {
                data.push_back(PyFloat_AsDouble(PyTuple_GetItem(all.get(), k)));
                if (PyErr_Occurred()) return false;
            }
            out->kind = LITZ_ARG_FLOATS;
            out->floats = data.data();
        } else {
            auto &data = ints_.emplace_back(static_cast<size_t>(n));
            auto &symbols = values_.emplace_back(static_cast<size_t>(n));
            for (Py_ssize_t k = 0; k < n; ++k) {
                PyObject *item = PyTuple_GetItem(all.get(), k);
                const auto place = static_cast<size_t>(k);
                if (PyObject_TypeCheck(item, value_type)) symbols[place] = state_of<Value>(item).id;
                else data[place] = PyLong_AsLongLong(item);
                if (PyErr_Occurred()) return false;
            }
            out->kind = bools ? LITZ_ARG_BOOLS : LITZ_ARG_INTS;
            out->ints = data.data();
            if (numbers) out->values = symbols.data();
        }
        return true;
    }

  public:
    std::vector<litz_arg> list_of;

    bool add(PyObject *object, const char *name, bool of_operands) {
        litz_arg arg{};
        arg.name = name;
        if (object == Py_None) {
            arg.kind = LITZ_ARG_NONE;
        } else if (PyObject_TypeCheck(object, value_type)) {
            // A number given at run time is a tensor as well; where it is an argument the number is meant.
            arg.kind = state_of<Value>(object).number ? LITZ_ARG_SYMBOL : LITZ_ARG_VALUE;
            arg.value = state_of<Value>(object).id;
        } else if (PyBool_Check(object)) {
            arg.kind = LITZ_ARG_BOOL;
            arg.i = object == Py_True;
        } else if (PyLong_Check(object)) {
            arg.kind = LITZ_ARG_INT;
            arg.i = PyLong_AsLongLong(object);
        } else if (PyFloat_Check(object)) {
            arg.kind = LITZ_ARG_FLOAT;
            arg.f = PyFloat_AsDouble(object);
        } else if (PyComplex_Check(object)) {
            arg.kind = LITZ_ARG_COMPLEX;
            arg.f = PyComplex_RealAsDouble(object);
            arg.f_imag = PyComplex_ImagAsDouble(object);
        } else if (PyUnicode_Check(object)) {
            arg.kind = LITZ_ARG_STRING;
            if (!(arg.s = utf8(object, "a string"))) return false;
        } else if (PyObject_TypeCheck(object, attribute_type)) {
            arg.kind = state_of<Attribute>(object).kind;
            arg.i = state_of<Attribute>(object).value;
        } else if (PyObject_TypeCheck(object, graph_type)) {
            arg.kind = LITZ_ARG_SUBGRAPH;
            arg.subgraph = state_of<Graph>(object).handle;
        } else if (PyList_Check(object) || PyTuple_Check(object)) {
            if (!list(object, of_operands, &arg)) return false;
        } else {
            PyErr_Format(PyExc_TypeError, "%R cannot be an argument of an operator", Py_TYPE(object));
        }
        list_of.push_back(arg);
        return !PyErr_Occurred();
    }

    // All arguments of a call from Python, from `first` on.
    bool add_all(PyObject *args, Py_ssize_t first, PyObject *kwargs, bool of_operands) {
        for (Py_ssize_t k = first; k < PyTuple_Size(args); ++k)
            if (!add(PyTuple_GetItem(args, k), nullptr, of_operands)) return false;
        PyObject *key, *value;
        Py_ssize_t place = 0;
        while (kwargs && PyDict_Next(kwargs, &place, &key, &value)) {
            const char *name = utf8(key, "an argument's name");
            if (!name || !add(value, name, of_operands)) return false;
        }
        return true;
    }
};

PyObject *graph_call(PyObject *self, PyObject *args, PyObject *kwargs) {
    PyObject *name = PyTuple_Size(args) > 0 ? PyTuple_GetItem(args, 0) : nullptr;
    if (!name) {
        PyErr_SetString(PyExc_TypeError, "the operator's name is missing");
        return nullptr;
    }
    const char *op = utf8(name, "the operator's name");
    InUse graph(self);
    if (!op || !graph) return nullptr;
    const std::string text = op;
    const auto begins = [&](const char *with) { return text.rfind(with, 0) == 0; };
    Arguments arguments;
    if (!arguments.add_all(args, 1, kwargs, begins("higher_order."))) return nullptr;
    const bool numbers = begins("sym.") || begins("aten.sym_") || text == "aten.item" || begins("aten.item.");
    litz_error *error = nullptr;
    std::vector<litz_value> results(8);
    size_t n = 0;
    litz_status status;
    {
        // Messages of the library may go to a callback, which needs the GIL.
        Unlocked unlocked;
        const auto call = [&] {
            return api.graph_call(graph->handle, op, arguments.list_of.data(), arguments.list_of.size(), results.data(),
                                  results.size(), &n, &error);
        };
        status = call();
        if (status == LITZ_ERROR_CAPACITY && n > results.size()) {
            api.error_release(std::exchange(error, nullptr));
            results.resize(n);
            status = call();
        }
    }
    return check(status, error) ? give_ids(self, results.data(), n, numbers) : nullptr;
}

// Takes the handle over.
PyObject *make(PyObject *type, litz_graph *handle, PyObject *options) {
    PyObject *object = allocate<Graph>(reinterpret_cast<PyTypeObject *>(type));
    if (!object) {
        api.graph_release(handle);
        return nullptr;
    }
    state_of<Graph>(object).handle = handle;
    Ref hold(object), keep(PyList_New(0));
    if (!keep || PyList_Append(keep.get(), options) != 0) return nullptr;
    state_of<Graph>(object).keep = keep.release();
    return hold.release();
}

// Makes a graph by a function of the library.
template <class Function> PyObject *made_by(PyObject *type, PyObject *options, Function function) {
    litz_graph *handle = nullptr;
    litz_error *error = nullptr;
    litz_status status;
    {
        Unlocked unlocked;
        status = function(&handle, &error);
    }
    return check(status, error) ? make(type, handle, options) : nullptr;
}

PyObject *graph_new(PyObject *type, PyObject *args) {
    const char *name = nullptr;
    PyObject *object = Py_None;
    litz_options *options = nullptr;
    if (!PyArg_ParseTuple(args, "s|O", &name, &object) || !options_of(object, &options)) return nullptr;
    return made_by(type, object, [&](auto out, auto err) { return api.graph_new(name, options, out, err); });
}

PyObject *graph_from(PyObject *type, PyObject *args) {
    const char *format = nullptr;
    PyObject *source = nullptr, *object = Py_None, *weights_object = Py_None;
    litz_options *options = nullptr;
    if (!PyArg_ParseTuple(args, "sO|OO", &format, &source, &object, &weights_object) || !options_of(object, &options))
        return nullptr;
    litz_weights *weights = weights_object == Py_None ? nullptr : weights_of(weights_object);
    if (!weights && weights_object != Py_None) return nullptr;
    const bool pt2 = std::strcmp(format, "pt2") == 0, onnx = std::strcmp(format, "onnx") == 0;
    if ((pt2 || onnx) && !PyBytes_Check(source)) {
        Ref hold;
        const char *path = path_of(source, hold);
        if (!path) return nullptr;
        return made_by(type, object, [&](auto out, auto err) {
            return onnx ? api.graph_from_onnx(path, options, out, err) : api.graph_from_pt2(path, options, out, err);
        });
    }
    char *data = nullptr;
    Py_ssize_t length = 0;
    if (PyBytes_Check(source) ? PyBytes_AsStringAndSize(source, &data, &length) != 0
                              : !(data = const_cast<char *>(PyUnicode_AsUTF8AndSize(source, &length))))
        return nullptr;
    const auto size = static_cast<size_t>(length);
    return made_by(type, object, [&](auto out, auto err) {
        if (pt2) return api.graph_from_pt2_memory(data, size, options, out, err);
        if (onnx) return api.graph_from_onnx_memory(data, size, nullptr, options, out, err);
        if (weights) return api.graph_from_export_json_with_weights(data, size, weights, options, out, err);
        if (std::strcmp(format, "json") == 0) return api.graph_from_export_json(data, size, options, out, err);
        return api.graph_from_text(data, size, options, out, err);
    });
}

PyObject *graph_symbol(PyObject *self, PyObject *args) {
    const char *name = nullptr;
    long long least = 0, most = -1, hint = -1;
    InUse graph(self);
    if (!graph || !PyArg_ParseTuple(args, "sLLL", &name, &least, &most, &hint)) return nullptr;
    litz_value value = 0;
    litz_error *error = nullptr;
    return check(api.graph_symbol(graph->handle, name, least, most, hint, &value, &error), error)
               ? new_value(self, value, true) : nullptr;
}

PyObject *graph_scalar_input(PyObject *self, PyObject *args) {
    const char *name = nullptr;
    int dtype = 0;
    long long least = 0, most = -1;
    InUse graph(self);
    if (!graph || !PyArg_ParseTuple(args, "siLL", &name, &dtype, &least, &most)) return nullptr;
    litz_value value = 0;
    litz_error *error = nullptr;
    return check(api.graph_scalar_input(graph->handle, name, dtype, least, most, &value, &error), error)
               ? new_value(self, value, dtype != LITZ_DTYPE_FLOAT64) : nullptr;
}

PyObject *graph_input(PyObject *self, PyObject *args) {
    const char *name = nullptr, *dtype = nullptr;
    PyObject *shape = nullptr, *strides = nullptr;
    int device = kDLCPU, index = 0, requires_grad = 0;
    InUse graph(self);
    if (!graph || !PyArg_ParseTuple(args, "ssO!O|iip", &name, &dtype, &PyTuple_Type, &shape, &strides, &device, &index,
                                    &requires_grad))
        return nullptr;
    litz_tensor_spec spec{};
    Sizes sizes;
    if (!dtype_of(dtype, &spec.dtype) || !sizes.read(shape, &spec)) return nullptr;
    spec.device = {static_cast<DLDeviceType>(device), index};
    spec.requires_grad = requires_grad;
    const auto n = static_cast<size_t>(spec.ndim);
    std::vector<int64_t> steps(n);
    if (strides != Py_None) {
        if (!is_a(strides, &PyTuple_Type, "strides") || static_cast<size_t>(PyTuple_Size(strides)) != n) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "there must be a stride for each size");
            return nullptr;
        }
        for (size_t k = 0; k < n; ++k) steps[k] = PyLong_AsLongLong(PyTuple_GetItem(strides, static_cast<Py_ssize_t>(k)));
        if (PyErr_Occurred()) return nullptr;
        spec.strides = steps.data();
    }
    litz_value value = 0;
    litz_error *error = nullptr;
    return check(api.graph_input(graph->handle, name, &spec, &value, &error), error) ? new_value(self, value, false) : nullptr;
}

PyObject *graph_constant(PyObject *self, PyObject *args) {
    const char *name = nullptr;
    int kind = 0, borrow = 0;
    PyObject *data = nullptr;
    InUse graph(self);
    if (!graph || !PyArg_ParseTuple(args, "siOp", &name, &kind, &data, &borrow)) return nullptr;
    // What is not copied is exported for as long as the graph lives.
    Inputs inputs(1);
    if (!inputs.read(0, data, nullptr)) return nullptr;
    litz_value value = 0;
    litz_error *error = nullptr;
    if (borrow && PyList_Append(graph->keep, data) != 0) return nullptr;
    if (!inputs.get()[0]) {
        PyErr_SetString(PyExc_TypeError, "a constant cannot be None");
        return nullptr;
    }
    return check(api.graph_constant(graph->handle, name, kind, borrow ? LITZ_CONSTANT_BORROW : 0, inputs.get()[0], &value,
                                    &error), error)
               ? new_value(self, value, false) : nullptr;
}

PyObject *graph_weight(PyObject *self, PyObject *args) {
    const char *tensor = nullptr, *name = nullptr;
    int kind = 0;
    PyObject *object = nullptr;
    InUse graph(self);
    if (!graph || !PyArg_ParseTuple(args, "Oszi", &object, &tensor, &name, &kind)) return nullptr;
    litz_weights *weights = weights_of(object);
    litz_value value = 0;
    litz_error *error = nullptr;
    return weights && check(api.graph_weight(graph->handle, weights, tensor, name, kind, &value, &error), error)
               ? new_value(self, value, false) : nullptr;
}

PyObject *graph_output(PyObject *self, PyObject *args) {
    const char *name = nullptr;
    PyObject *object = nullptr;
    litz_value value = 0;
    InUse graph(self);
    if (!graph || !PyArg_ParseTuple(args, "sO", &name, &object) || !id_of(object, &value)) return nullptr;
    return act(api.graph_output, graph->handle, name, value);
}

PyObject *graph_find(PyObject *self, PyObject *args) {
    const char *name = nullptr;
    litz_value value = 0;
    litz_error *error = nullptr;
    InUse graph(self);
    if (!graph || !PyArg_ParseTuple(args, "s", &name)) return nullptr;
    return check(api.graph_find(graph->handle, name, &value, &error), error) ? new_value(self, value, false) : nullptr;
}

PyObject *graph_differentiate(PyObject *self, PyObject *args) {
    PyObject *outputs = nullptr, *wrt = nullptr, *cotangents = Py_None;
    std::vector<litz_value> from, by, weights;
    InUse graph(self);
    if (!graph || !PyArg_ParseTuple(args, "OO|O", &outputs, &wrt, &cotangents) || !ids_of(outputs, &from) ||
        !ids_of(wrt, &by) || (cotangents != Py_None && !ids_of(cotangents, &weights)))
        return nullptr;
    if (cotangents != Py_None && weights.size() != from.size()) {
        PyErr_SetString(PyExc_ValueError, "there must be a cotangent for each output");
        return nullptr;
    }
    std::vector<litz_value> gradients(by.size());
    litz_error *error = nullptr;
    litz_status status;
    {
        Unlocked unlocked;
        status = api.graph_differentiate(graph->handle, from.data(), cotangents == Py_None ? nullptr : weights.data(),
                                         from.size(), by.data(), by.size(), gradients.data(), &error);
    }
    return check(status, error) ? give_ids(self, gradients.data(), gradients.size(), false) : nullptr;
}

PyObject *graph_differentiate_forward(PyObject *self, PyObject *args) {
    PyObject *outputs = nullptr, *wrt = nullptr, *tangents = nullptr;
    std::vector<litz_value> from, by, along;
    InUse graph(self);
    if (!graph || !PyArg_ParseTuple(args, "OOO", &outputs, &wrt, &tangents) || !ids_of(outputs, &from) || !ids_of(wrt, &by) ||
        !ids_of(tangents, &along))
        return nullptr;
    if (along.size() != by.size()) {
        PyErr_SetString(PyExc_ValueError, "there must be a tangent for each value of wrt");
        return nullptr;
    }
    std::vector<litz_value> derivatives(from.size());
    litz_error *error = nullptr;
    litz_status status;
    {
        Unlocked unlocked;
        status = api.graph_differentiate_forward(graph->handle, from.data(), from.size(), by.data(), along.data(), by.size(),
                                                 derivatives.data(), &error);
    }
    return check(status, error) ? give_ids(self, derivatives.data(), derivatives.size(), false) : nullptr;
}

PyObject *graph_optimizer_step(PyObject *self, PyObject *args, PyObject *kwargs) {
    if (PyTuple_Size(args) != 3) {
        PyErr_SetString(PyExc_TypeError, "optimizer_step takes its kind, parameters and gradients, and named numbers");
        return nullptr;
    }
    const char *kind = utf8(PyTuple_GetItem(args, 0), "the optimizer's kind");
    std::vector<litz_value> parameters, gradients;
    Arguments hyper;
    InUse graph(self);
    if (!graph || !kind || !ids_of(PyTuple_GetItem(args, 1), &parameters) || !ids_of(PyTuple_GetItem(args, 2), &gradients) ||
        !hyper.add_all(args, 3, kwargs, false))
        return nullptr;
    if (parameters.size() != gradients.size()) {
        PyErr_SetString(PyExc_ValueError, "there must be a gradient for each parameter");
        return nullptr;
    }
    return act(api.graph_optimizer_step, graph->handle, kind, static_cast<const litz_value *>(parameters.data()),
               static_cast<const litz_value *>(gradients.data()), parameters.size(),
               static_cast<const litz_arg *>(hyper.list_of.data()), hyper.list_of.size());
}

template <class Function> PyObject *graph_text(PyObject *self, Function function) {
    InUse graph(self);
    return graph ? text(function, static_cast<const litz_graph *>(graph->handle)) : nullptr;
}
PyObject *graph_describe(PyObject *self, PyObject *) { return graph_text(self, api.graph_describe); }
PyObject *graph_spec(PyObject *self, PyObject *) { return graph_text(self, api.graph_spec); }
PyObject *graph_to_text(PyObject *self, PyObject *) { return graph_text(self, api.graph_to_text); }
PyObject *graph_to_json(PyObject *self, PyObject *) { return graph_text(self, api.graph_to_export_json); }
PyObject *graph_draw(PyObject *self, PyObject *format) {
    InUse graph(self);
    const char *name = graph ? utf8(format, "format") : nullptr;
    return name ? text(api.graph_draw, graph->handle, name) : nullptr;
}
PyObject *graph_set_spec(PyObject *self, PyObject *json) {
    InUse graph(self);
    const char *given = graph ? utf8(json, "the signature") : nullptr;
    return given ? act(api.graph_set_spec, graph->handle, given) : nullptr;
}
PyObject *graph_set_metadata(PyObject *self, PyObject *args) {
    const char *key = nullptr, *value = nullptr;
    InUse graph(self);
    return graph && PyArg_ParseTuple(args, "sz", &key, &value) ? act(api.graph_set_metadata, graph->handle, key, value)
                                                                : nullptr;
}
// The nodes in the order in which they run.
bool nodes_of(const litz_graph *handle, std::vector<litz_node> *nodes) {
    size_t count = 0;
    litz_error *error = nullptr;
    litz_status status = api.graph_nodes(handle, nullptr, 0, &count, &error);
    if (status == LITZ_ERROR_CAPACITY) {
        api.error_release(std::exchange(error, nullptr));
        nodes->resize(count);
        status = api.graph_nodes(handle, nodes->data(), count, &count, &error);
    }
    return check(status, error);
}
PyObject *graph_node_count(PyObject *self, PyObject *) {
    std::vector<litz_node> nodes;
    InUse graph(self);
    return graph && nodes_of(graph->handle, &nodes) ? PyLong_FromSize_t(nodes.size()) : nullptr;
}
PyObject *graph_disable_fusion(PyObject *self, PyObject *first) {
    std::vector<litz_node> nodes;
    size_t from = PyLong_AsSize_t(first);
    if (PyErr_Occurred()) return nullptr;
    InUse graph(self);
    if (!graph || !nodes_of(graph->handle, &nodes)) return nullptr;
    from = std::min(from, nodes.size());
    return act(api.graph_disable_fusion, graph->handle, static_cast<const litz_node *>(nodes.data() + from), nodes.size() - from);
}
PyObject *graph_clone(PyObject *self, PyObject *) {
    InUse graph(self);
    if (!graph) return nullptr;
    litz_graph *handle = nullptr;
    litz_error *error = nullptr;
    if (!check(api.graph_clone(graph->handle, &handle, &error), error)) return nullptr;
    return make(reinterpret_cast<PyObject *>(Py_TYPE(self)), handle, graph->keep);
}
PyObject *graph_save(PyObject *self, PyObject *args) {
    PyObject *path_object = nullptr, *options_object = Py_None;
    litz_options *options = nullptr;
    Ref hold;
    InUse graph(self);
    if (!graph || !PyArg_ParseTuple(args, "O|O", &path_object, &options_object) || !options_of(options_object, &options))
        return nullptr;
    const char *path = path_of(path_object, hold);
    return path ? act(api.compile_artifact, graph->handle, static_cast<const litz_options *>(options), path) : nullptr;
}

PyMethodDef graph_methods[] = {
    {"_new", graph_new, METH_VARARGS | METH_CLASS, "An empty graph: name, options."},
    {"_from", graph_from, METH_VARARGS | METH_CLASS, "Reads a graph: 'pt2', 'onnx', 'json' or 'text', the source, options, weights."},
    {"_symbol", graph_symbol, METH_VARARGS, "A size: name, least, most, hint."},
    {"_scalar_input", graph_scalar_input, METH_VARARGS, "A number of the run: name, dtype's number, least, most."},
    {"_input", graph_input, METH_VARARGS, "A tensor: name, dtype, shape, strides, device's type and index, requires_grad."},
    {"_constant", graph_constant, METH_VARARGS, "A constant: name, kind, data, whether it is borrowed."},
    {"_weight", graph_weight, METH_VARARGS, "A tensor of a file of weights: weights, tensor, name, kind."},
    {"_call", LITZ_METHOD(graph_call), METH_VARARGS | METH_KEYWORDS, "Adds an operator; gives all of its results."},
    {"output", graph_output, METH_VARARGS, "output(name, value)\n--\n\nAdds an output."},
    {"find", graph_find, METH_VARARGS, "find(name)\n--\n\nAn input, constant, output or symbol by its name."},
    {"_differentiate", graph_differentiate, METH_VARARGS, "Appends gradients: outputs, wrt, cotangents."},
    {"_differentiate_forward", graph_differentiate_forward, METH_VARARGS, "Appends derivatives: outputs, wrt, tangents."},
    {"optimizer_step", LITZ_METHOD(graph_optimizer_step), METH_VARARGS | METH_KEYWORDS,
     "Appends one step of an optimizer: its kind, parameters, gradients, and hyper-parameters by name."},
    {"_node_count", graph_node_count, METH_NOARGS, "How many nodes the graph has."},
    {"_disable_fusion", graph_disable_fusion, METH_O, "Marks the nodes from one on to run unfused."},
    {"_describe", graph_describe, METH_NOARGS, "The graph, as JSON."},
    {"_spec", graph_spec, METH_NOARGS, "The signature, as JSON."},
    {"_set_spec", graph_set_spec, METH_O, "Sets the signature."},
    {"set_metadata", graph_set_metadata, METH_VARARGS, "set_metadata(key, value)\n--\n\nAdds text; None removes it."},
    {"to_text", graph_to_text, METH_NOARGS, "The graph as Litz text, constants with their data."},
    {"to_export_json", graph_to_json, METH_NOARGS, "The graph as the JSON of an ExportedProgram, without weights."},
    {"draw", graph_draw, METH_O, "draw(format)\n--\n\nA picture of the graph by modules: 'svg' or 'dot'."},
    {"clone", graph_clone, METH_NOARGS, "A copy, which shares constants' data."},
    {"_save", graph_save, METH_VARARGS, "Compiles to an artifact: path, options."},
    {},
};
PyType_Slot graph_slots[] = {
    {Py_tp_doc, const_cast<char *>("A tensor program that is built or was loaded. For one thread at a time.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate<Graph>)},
    {Py_tp_methods, graph_methods},
    {},
};
PyType_Spec graph_type_spec = {"litz._native.Graph", sizeof(Object<Graph>), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, graph_slots};

} // namespace

bool add_graphs(PyObject *module) {
    return add_type(module, &graph_type_spec, &graph_type) && add_values(module);
}

} // namespace litz_python
