// `Registry`: operators and decompositions that are functions of Python.
//
// The library calls them on any thread, so each call takes the GIL. What they get of a graph is lent: when they return, the
// graph's object has no graph any more, and tensors have no elements.
#include "litz_python.h"

namespace litz_python {

PyTypeObject *registry_type;

namespace {

// The exception of a function as an error of the library: with its code where it is one of the library's own.
litz_status failed(litz_error **err) {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    Ref types(type), values(value), traces(trace);
    litz_status code = LITZ_ERROR_INVALID_ARGUMENT;
    if (PyObject_HasAttrString(value, "code") && PyObject_HasAttrString(value, "detail")) {
        Ref number(PyObject_GetAttrString(value, "code"));
        const long given = number ? PyLong_AsLong(number.get()) : 0;
        if (given > 0) code = static_cast<litz_status>(given);
    }
    Ref name(PyObject_GetAttrString(type, "__name__"));
    Ref said(name ? PyUnicode_FromFormat("%U: %S", name.get(), value) : nullptr);
    const char *message = said ? PyUnicode_AsUTF8AndSize(said.get(), nullptr) : nullptr;
    PyErr_Clear();
    *err = api.error_new(code, message ? message : "a function of Python raised an exception");
    return code;
}

// The object of a graph that a function is lent.
class LentGraph {
    Ref object_;

  public:
    explicit LentGraph(litz_graph *handle) {
        Ref module(PyImport_ImportModule("litz.graph"));
        Ref type(module ? PyObject_GetAttrString(module.get(), "Graph") : nullptr);
        if (type) object_ = Ref(allocate<Graph>(reinterpret_cast<PyTypeObject *>(type.get())));
        if (object_) state_of<Graph>(object_.get()).handle = handle;
        if (object_) state_of<Graph>(object_.get()).keep = PyList_New(0);
    }
    ~LentGraph() {
        if (object_) state_of<Graph>(object_.get()).handle = nullptr;
    }
    PyObject *get() const { return object_.get(); }
};

// What the arguments of kind value stand for: values of a graph, or the call's tensors.
struct Operands {
    PyObject *graph;
    const std::vector<Ref> *tensors;

    PyObject *get(litz_value id, bool number) const {
        if (graph || id == 0) return new_value(graph, id, number);
        return id <= tensors->size() ? Py_NewRef((*tensors)[static_cast<size_t>(id) - 1].get()) : Py_NewRef(Py_None);
    }
};

PyObject *attribute(int32_t kind, int64_t value) {
    return PyObject_CallFunction(reinterpret_cast<PyObject *>(attribute_type), "iL", static_cast<int>(kind),
                                 static_cast<long long>(value));
}

template <class Item> PyObject *listed(size_t n, Item item) {
    Ref all(PyList_New(static_cast<Py_ssize_t>(n)));
    for (size_t k = 0; all && k < n; ++k) {
        PyObject *one = item(k);
        if (!one) return nullptr;
        PyList_SetItem(all.get(), static_cast<Py_ssize_t>(k), one);
    }
    return all.release();
}

PyObject *argument(const litz_arg &arg, const Operands &operands) {
    switch (arg.kind) {
    case LITZ_ARG_NONE: return Py_NewRef(Py_None);
    case LITZ_ARG_VALUE: return operands.get(arg.value, false);
    case LITZ_ARG_SYMBOL: return operands.get(arg.value, true);
    case LITZ_ARG_INT: return PyLong_FromLongLong(arg.i);
    case LITZ_ARG_FLOAT: return PyFloat_FromDouble(arg.f);
    case LITZ_ARG_BOOL: return PyBool_FromLong(arg.i != 0);
    case LITZ_ARG_COMPLEX: return PyComplex_FromDoubles(arg.f, arg.f_imag);
    case LITZ_ARG_STRING: return PyUnicode_FromString(arg.s);
    case LITZ_ARG_INTS:
        return listed(arg.n, [&](size_t k) {
            return arg.values && arg.values[k] ? operands.get(arg.values[k], true) : PyLong_FromLongLong(arg.ints[k]);
        });
    case LITZ_ARG_BOOLS: return listed(arg.n, [&](size_t k) { return PyBool_FromLong(arg.ints[k] != 0); });
    case LITZ_ARG_FLOATS: return listed(arg.n, [&](size_t k) { return PyFloat_FromDouble(arg.floats[k]); });
    case LITZ_ARG_VALUES: return listed(arg.n, [&](size_t k) { return operands.get(arg.values[k], false); });
    case LITZ_ARG_DTYPE:
    case LITZ_ARG_DEVICE:
    case LITZ_ARG_MEMORY_FORMAT:
    case LITZ_ARG_LAYOUT: return attribute(arg.kind, arg.i);
    default: PyErr_Format(PyExc_TypeError, "an argument of kind %d has no form in Python", static_cast<int>(arg.kind));
    }
    return nullptr;
}

PyObject *all_arguments(const litz_arg *args, size_t n, const Operands &operands) {
    return listed(n, [&](size_t k) { return argument(args[k], operands); });
}

// What an operator's functions are, in the order of the tuple that is their context.
enum Function { META, RUN, DERIVATIVE, WRITES };

PyObject *function_of(void *context, Function which) { return PyTuple_GetItem(static_cast<PyObject *>(context), which); }

litz_status on_meta(void *context, litz_graph *g, const litz_arg *args, size_t n, litz_meta *outs, litz_error **err) {
    Locked locked;
    LentGraph graph(g);
    Ref given(graph.get() ? all_arguments(args, n, {graph.get(), nullptr}) : nullptr);
    Ref types(given ? PyObject_CallFunctionObjArgs(function_of(context, META), graph.get(), given.get(), nullptr) : nullptr);
    // Pairs of a dtype's name and a tuple of sizes.
    for (Py_ssize_t k = 0; types && k < PyTuple_Size(types.get()); ++k) {
        PyObject *one = PyTuple_GetItem(types.get(), k);
        litz_tensor_spec spec{};
        Sizes sizes;
        const char *dtype = utf8(PyTuple_GetItem(one, 0), "a result's dtype");
        if (!dtype || !dtype_of(dtype, &spec.dtype) || !sizes.read(PyTuple_GetItem(one, 1), &spec)) return failed(err);
        spec.device = {kDLCPU, 0};
        if (litz_status status = api.meta_output(outs, static_cast<size_t>(k), &spec, err)) return status;
    }
    return types ? static_cast<litz_status>(LITZ_OK) : failed(err);
}

litz_status on_run(void *context, const litz_arg *args, size_t n, const DLTensor *const *tensors, size_t n_tensors,
                   const DLTensor *const *outs, size_t n_outs, void *, litz_error **err) {
    Locked locked;
    std::vector<Ref> lent;
    const bool read_only = function_of(context, WRITES) != Py_True;
    for (size_t k = 0; k < n_tensors; ++k) {
        lent.emplace_back(lend(*tensors[k], read_only));
        if (!lent.back()) return failed(err);
    }
    Ref given(all_arguments(args, n, {nullptr, &lent}));
    Ref results(given ? PyObject_CallFunction(function_of(context, RUN), "On", given.get(), static_cast<Py_ssize_t>(n_outs))
                      : nullptr);
    bool good = static_cast<bool>(results);
    for (size_t k = 0; good && k < n_outs; ++k)
        good = copy_into(PyTuple_GetItem(results.get(), static_cast<Py_ssize_t>(k)), *outs[k], "the result of an operator in Python");
    // They may be views of the arguments.
    results = Ref();
    given = Ref();
    bool alone = true;
    for (const Ref &tensor : lent) alone &= take_back(tensor.get());
    if (good && !alone) {
        PyErr_SetString(PyExc_BufferError, "an operator in Python keeps an array of its arguments, whose memory it is lent for the "
                                           "call: it must copy what it keeps");
        good = false;
    }
    return good ? static_cast<litz_status>(LITZ_OK) : failed(err);
}

bool write_values(PyObject *tuple, litz_value *out, size_t n) {
    if (static_cast<size_t>(PyTuple_Size(tuple)) != n) {
        PyErr_Format(PyExc_ValueError, "%zu values are asked, and there are %zd", n, PyTuple_Size(tuple));
        return false;
    }
    for (size_t k = 0; k < n; ++k)
        if (!id_of(PyTuple_GetItem(tuple, static_cast<Py_ssize_t>(k)), &out[k])) return false;
    return true;
}

size_t count_tensors(const litz_arg *args, size_t n) {
    size_t count = 0;
    for (size_t k = 0; k < n; ++k) {
        if (args[k].kind == LITZ_ARG_VALUE) ++count;
        for (size_t j = 0; args[k].kind == LITZ_ARG_VALUES && j < args[k].n; ++j) count += args[k].values[j] != 0;
    }
    return count;
}

litz_status on_derivative(void *context, litz_graph *g, const litz_arg *args, size_t n, const litz_value *cotangents,
                          size_t n_outs, litz_value *grads, litz_error **err) {
    Locked locked;
    LentGraph graph(g);
    Ref given(graph.get() ? all_arguments(args, n, {graph.get(), nullptr}) : nullptr);
    Ref weights(given ? listed(n_outs, [&](size_t k) { return new_value(graph.get(), cotangents[k], false); }) : nullptr);
    Ref values(weights ? PyObject_CallFunctionObjArgs(function_of(context, DERIVATIVE), graph.get(), given.get(), weights.get(),
                                                      nullptr) : nullptr);
    return values && write_values(values.get(), grads, count_tensors(args, n)) ? static_cast<litz_status>(LITZ_OK) : failed(err);
}

litz_status on_decomposition(void *context, litz_graph *g, const litz_arg *args, size_t n, litz_value *outs, size_t n_outs,
                             litz_error **err) {
    Locked locked;
    LentGraph graph(g);
    Ref given(graph.get() ? all_arguments(args, n, {graph.get(), nullptr}) : nullptr);
    Ref values(given ? PyObject_CallFunction(static_cast<PyObject *>(context), "OOn", graph.get(), given.get(),
                                             static_cast<Py_ssize_t>(n_outs)) : nullptr);
    return values && write_values(values.get(), outs, n_outs) ? static_cast<litz_status>(LITZ_OK) : failed(err);
}

void on_release(void *context) {
    Locked locked;
    Py_DECREF(static_cast<PyObject *>(context));
}

litz_registry *of(PyObject *self) { return state_of<Registry>(self).handle; }

PyObject *registry_new(PyTypeObject *type, PyObject *, PyObject *) {
    return make<Registry>(type, api.registry_new);
}

PyObject *add_operator(PyObject *self, PyObject *args) {
    const char *schema = nullptr, *pointwise = nullptr;
    PyObject *functions = nullptr;
    int effect = 0, deterministic = 0;
    if (!PyArg_ParseTuple(args, "sO!zpp", &schema, &PyTuple_Type, &functions, &pointwise, &effect, &deterministic)) return nullptr;
    litz_operator op{};
    op.flags = (effect ? LITZ_OPERATOR_EFFECT : 0) | (deterministic ? LITZ_OPERATOR_DETERMINISTIC : 0);
    op.struct_size = sizeof op;
    op.context = functions;
    op.release = on_release;
    op.pointwise_source = pointwise;
    const auto has = [&](Function which) { return PyTuple_GetItem(functions, which) != Py_None; };
    if (has(META)) op.meta = on_meta;
    if (has(RUN)) op.run_cpu = on_run;
    if (has(DERIVATIVE)) op.derivative = on_derivative;
    // The registry's, which releases it where the call succeeds.
    Py_INCREF(functions);
    PyObject *done = act(api.registry_add_operator, of(self), schema, static_cast<const litz_operator *>(&op));
    if (!done) Py_DECREF(functions);
    return done;
}

PyObject *add_source(PyObject *self, PyObject *args) {
    const char *op = nullptr, *backend = nullptr, *source = nullptr, *function = nullptr;
    if (!PyArg_ParseTuple(args, "ssss", &op, &backend, &source, &function)) return nullptr;
    return act(api.registry_add_operator_source, of(self), op, backend, source, function);
}

PyObject *add_decomposition(PyObject *self, PyObject *args) {
    const char *op = nullptr;
    PyObject *rule = nullptr;
    if (!PyArg_ParseTuple(args, "sO", &op, &rule)) return nullptr;
    Ref done(act(api.registry_add_decomposition, of(self), op, on_decomposition, static_cast<void *>(rule)));
    if (!done) return nullptr;
    Py_INCREF(rule);
    return act(api.registry_add_cleanup, of(self), on_release, static_cast<void *>(rule));
}

PyObject *registry_describe(PyObject *self, PyObject *) {
    return text(api.registry_describe, static_cast<const litz_registry *>(of(self)));
}

PyMethodDef methods[] = {
    {"_add_operator", add_operator, METH_VARARGS, "Adds an operator: schema, (meta, run, derivative, writes), pointwise source, effect, deterministic."},
    {"_add_source", add_source, METH_VARARGS, "Adds source to an operator: its name, backend, source, function."},
    {"_add_decomposition", add_decomposition, METH_VARARGS, "Adds a decomposition: operator, rule."},
    {"_describe", registry_describe, METH_NOARGS, "What the registry holds, as JSON."},
    {},
};
PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("What a program registers with the compiler.")},
    {Py_tp_new, reinterpret_cast<void *>(registry_new)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate<Registry>)},
    {Py_tp_methods, methods},
    {},
};
PyType_Spec spec = {"litz._native.Registry", sizeof(Object<Registry>), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

} // namespace

litz_registry *registry_of(PyObject *object) { return handle_of<Registry>(object, registry_type, "the registry"); }

bool add_registries(PyObject *module) { return add_type(module, &spec, &registry_type); }

} // namespace litz_python
