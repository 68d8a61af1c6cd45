// `Training` and `Saved`: a forward, what it keeps, and its backward.
#include "litz_python.h"
#include <memory>

namespace litz_python {

PyTypeObject *training_type, *saved_type;

namespace {

struct Training {
    litz_training *handle = nullptr;
    PyObject *keep = nullptr;
    std::vector<litz_tensor_info> inputs, outputs, gradients;
    ~Training() {
        api.training_release(handle);
        Py_XDECREF(keep);
    }
};

struct Saved {
    litz_saved *handle = nullptr;
    PyObject *training = nullptr;
    // The arrays that the forward was given, which the backward reads.
    std::unique_ptr<Inputs> inputs;
    // The kind of arrays that the forward was given; the backward gives such ones.
    ArrayType *kind = nullptr;
    // Another thread's backward is in progress: the library reads and writes what was kept.
    bool busy = false;
    ~Saved() {
        api.saved_release(handle);
        inputs.reset();
        Py_XDECREF(training);
    }
};

// As many as there are: the library tells no count, and an index behind the last is an error.
bool read_info(litz_training *handle, int32_t what, size_t n, std::vector<litz_tensor_info> *out) {
    for (size_t k = 0; k < n; ++k) {
        litz_tensor_info info{};
        info.struct_size = sizeof info;
        litz_error *error = nullptr;
        if (!check(api.training_info(handle, what, k, &info, &error), error)) return false;
        out->push_back(info);
    }
    return true;
}

PyObject *training_compile(PyObject *type, PyObject *args) {
    PyObject *graph_object = nullptr, *options_object = nullptr;
    litz_options *options = nullptr;
    int n_inputs = 0, n_outputs = 0, n_gradients = 0;
    if (!PyArg_ParseTuple(args, "OOiii", &graph_object, &options_object, &n_inputs, &n_outputs, &n_gradients) ||
        !options_of(options_object, &options))
        return nullptr;
    InUse graph(graph_object);
    if (!graph) return nullptr;
    Ref keep(PyTuple_Pack(2, graph->keep, options_object)), object(allocate<Training>(reinterpret_cast<PyTypeObject *>(type)));
    if (!keep || !object) return nullptr;
    Training &t = state_of<Training>(object.get());
    t.keep = keep.release();
    litz_error *error = nullptr;
    litz_status status;
    {
        Unlocked unlocked;
        status = api.compile_training(graph->handle, options, &t.handle, &error);
    }
    if (!check(status, error) || !read_info(t.handle, LITZ_INFO_INPUT, static_cast<size_t>(n_inputs), &t.inputs) ||
        !read_info(t.handle, LITZ_INFO_OUTPUT, static_cast<size_t>(n_outputs), &t.outputs) ||
        !read_info(t.handle, LITZ_INFO_GRADIENT, static_cast<size_t>(n_gradients), &t.gradients))
        return nullptr;
    return object.release();
}

bool options_for(const std::vector<litz_tensor_info> &infos, const Inputs &inputs, PyObject *seed, litz_run_options *options) {
    options->struct_size = sizeof *options;
    if (seed != Py_None) {
        options->flags |= LITZ_RUN_HAS_SEED;
        options->seed = PyLong_AsUnsignedLongLong(seed);
        if (PyErr_Occurred()) return false;
    }
    for (const litz_tensor_info &info : infos)
        if (info.device.device_type == kDLCUDA) {
            options->flags |= LITZ_RUN_HAS_STREAM;
            options->stream = inputs.has_stream ? inputs.stream : nullptr;
        }
    return true;
}

PyObject *training_forward(PyObject *self, PyObject *args, PyObject *kwargs) {
    static const char *names[] = {"inputs", "seed", nullptr};
    PyObject *given = nullptr, *seed = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O", const_cast<char **>(names), &given, &seed)) return nullptr;
    const Training &t = state_of<Training>(self);
    Ref tuple(PySequence_Tuple(given));
    if (!tuple) return nullptr;
    const auto n = static_cast<size_t>(PyTuple_Size(tuple.get()));
    if (n != t.inputs.size()) {
        PyErr_Format(PyExc_TypeError, "the program takes %zu inputs, and %zu were given", t.inputs.size(), n);
        return nullptr;
    }
    auto inputs = std::make_unique<Inputs>(n);
    for (size_t k = 0; k < n; ++k)
        if (!inputs->read(k, PyTuple_GetItem(tuple.get(), static_cast<Py_ssize_t>(k)), &t.inputs[k])) return nullptr;
    litz_run_options options{};
    if (!options_for(t.inputs, *inputs, seed, &options)) return nullptr;
    Ref saved(allocate<Saved>(saved_type));
    if (!saved) return nullptr;
    Saved &s = state_of<Saved>(saved.get());
    s.training = Py_NewRef(self);
    s.kind = inputs->kind;
    Array<DLManagedTensorVersioned *> results(t.outputs.size());
    litz_error *error = nullptr;
    litz_status status;
    {
        Unlocked unlocked;
        status = api.training_forward(t.handle, inputs->get(), n, results.get(), t.outputs.size(), &s.handle, &options, &error);
    }
    if (!check(status, error)) return nullptr;
    Ref outputs(give_all(results.get(), t.outputs.size(), inputs->kind, true));
    s.inputs = std::move(inputs);
    return outputs ? PyTuple_Pack(2, outputs.get(), saved.get()) : nullptr;
}

PyObject *training_backward(PyObject *self, PyObject *args) {
    PyObject *saved = nullptr, *given = Py_None;
    if (!PyArg_ParseTuple(args, "O|O", &saved, &given) || !is_a(saved, saved_type, "saved")) return nullptr;
    const Training &t = state_of<Training>(self);
    Saved &s = state_of<Saved>(saved);
    const size_t n = t.outputs.size(), m = t.gradients.size();
    Ref tuple(given == Py_None ? PyTuple_New(0) : PySequence_Tuple(given));
    if (!tuple) return nullptr;
    const auto count = static_cast<size_t>(PyTuple_Size(tuple.get()));
    if (given != Py_None && count != n) {
        PyErr_Format(PyExc_TypeError, "there are %zu outputs, and %zu cotangents were given", n, count);
        return nullptr;
    }
    Inputs cotangents(n);
    for (size_t k = 0; k < n; ++k) {
        PyObject *one = k < count ? PyTuple_GetItem(tuple.get(), static_cast<Py_ssize_t>(k)) : Py_None;
        if (!cotangents.read(k, one, &t.outputs[k])) return nullptr;
    }
    litz_run_options options{};
    if (!options_for(t.outputs, cotangents, Py_None, &options)) return nullptr;
    if (s.busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread runs this forward's backward");
        return nullptr;
    }
    s.busy = true;
    Array<DLManagedTensorVersioned *> results(m);
    litz_error *error = nullptr;
    litz_status status;
    {
        Unlocked unlocked;
        status = api.training_backward(t.handle, s.handle, cotangents.get(), n, results.get(), m, &options, &error);
    }
    s.busy = false;
    if (status == LITZ_OK) s.inputs.reset();
    return check(status, error) ? give_all(results.get(), m, cotangents.kind ? cotangents.kind : s.kind, true) : nullptr;
}

PyObject *training_constant(PyObject *self, PyObject *name) {
    const char *key = utf8(name, "name");
    if (!key) return nullptr;
    DLManagedTensorVersioned *result = nullptr;
    litz_error *error = nullptr;
    litz_status status;
    {
        Unlocked unlocked;
        status = api.training_constant(state_of<Training>(self).handle, key, &result, &error);
    }
    return check(status, error) ? give(result, nullptr) : nullptr;
}

PyObject *training_update(PyObject *self, PyObject *values) {
    if (!is_a(values, &PyDict_Type, "values")) return nullptr;
    const auto n = static_cast<size_t>(PyDict_Size(values));
    Inputs data(n);
    Array<const char *> names(n);
    Ref copy(PyDict_Copy(values));
    PyObject *key, *value;
    Py_ssize_t place = 0;
    for (size_t k = 0; copy && PyDict_Next(copy.get(), &place, &key, &value); ++k)
        if (!(names[k] = utf8(key, "a constant's name")) || !data.read(k, value, nullptr)) return nullptr;
    return copy ? act(api.training_update_constants, state_of<Training>(self).handle,
                      static_cast<const char *const *>(names.get()), data.get(), n)
                : nullptr;
}

PyObject *training_describe(PyObject *self, PyObject *) { return text(api.training_describe, state_of<Training>(self).handle); }

PyObject *training_cancel(PyObject *self, PyObject *) { return act(api.training_cancel, state_of<Training>(self).handle); }

PyMethodDef methods[] = {
    {"_compile", training_compile, METH_VARARGS | METH_CLASS, "Compiles: graph, options, how many inputs, outputs, gradients."},
    {"forward", LITZ_METHOD(training_forward), METH_VARARGS | METH_KEYWORDS,
     "forward(inputs, *, seed=None)\n--\n\nRuns the forward: the outputs, and what its backward needs. "
     "Elements of the inputs must not change before the backward."},
    {"backward", training_backward, METH_VARARGS,
     "backward(saved, cotangents=None)\n--\n\nRuns a forward's backward, once: the gradients in the order of `gradients`."},
    {"cancel", training_cancel, METH_NOARGS, "Ends the forwards and backwards that other threads have in progress."},
    {"constant", training_constant, METH_O, "A copy of a parameter or buffer as it is now, by name."},
    {"update_constants", training_update, METH_O, "Replaces constants by a dict of arrays, all or none."},
    {"_describe", training_describe, METH_NOARGS, "What was compiled, as JSON."},
    {},
};
PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("A program and its gradients. Any number of threads may use one at once.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate<Training>)},
    {Py_tp_methods, methods},
    {},
};
PyType_Spec spec = {"litz._native.Training", sizeof(Object<Training>), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
PyType_Slot saved_slots[] = {
    {Py_tp_doc, const_cast<char *>("What a forward keeps for its backward.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate<Saved>)},
    {},
};
PyType_Spec saved_spec = {"litz.Saved", sizeof(Object<Saved>), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, saved_slots};

} // namespace

bool add_training(PyObject *module) {
    return add_type(module, &spec, &training_type) && add_type(module, &saved_spec, &saved_type);
}

} // namespace litz_python
