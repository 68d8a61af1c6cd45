// `Executable`: a compiled program. Its call is what has to be fast: no Python code runs for arguments and results that are
// flat, and the GIL is free while the program runs.
#include "litz_python.h"

namespace litz_python {

PyTypeObject *executable_type;

bool read_info(litz_executable *handle, int32_t what, size_t n, std::vector<litz_tensor_info> *out) {
    out->resize(n);
    for (size_t k = 0; k < n; ++k) {
        litz_tensor_info &info = (*out)[k];
        info.struct_size = sizeof info;
        litz_error *error = nullptr;
        if (!check(api.executable_info(handle, what, k, &info, &error), error)) return false;
    }
    return true;
}

PyObject *describe_info(const litz_tensor_info &info) {
    const auto sizes = [&](const int64_t *list) {
        Ref all(list ? PyTuple_New(info.ndim) : Py_NewRef(Py_None));
        for (int32_t d = 0; all && list && d < info.ndim; ++d)
            PyTuple_SetItem(all.get(), d, list[d] < 0 && list != info.strides ? Py_NewRef(Py_None) : PyLong_FromLongLong(list[d]));
        return all;
    };
    Ref least = sizes(info.min_shape), most = sizes(info.max_shape), strides = sizes(info.strides);
    if (!least || !most || !strides) return nullptr;
    return Py_BuildValue("(ssOOOOiiiL)", info.name, dtype_name(info.dtype).c_str(), least.get(), most.get(), strides.get(),
                         info.mutated ? Py_True : Py_False, static_cast<int>(info.kind), static_cast<int>(info.device.device_type),
                         static_cast<int>(info.alias_kind), static_cast<long long>(info.alias_of));
}

namespace {

struct Executable {
    litz_executable *handle = nullptr;
    PyObject *keep = nullptr;
    std::vector<litz_tensor_info> inputs, outputs;
    bool on_cuda = false;
    // How a call's arguments become inputs, where they are not the inputs themselves, and results its value.
    PyObject *flatten = nullptr, *unflatten = nullptr;
    enum Form { SINGLE, TUPLE, LIST, TREE } form = TUPLE;
    ~Executable() {
        if (handle) {
            // The last reference may wait for runs and free much memory.
            Unlocked unlocked;
            api.executable_release(handle);
        }
        Py_XDECREF(keep);
        Py_XDECREF(flatten);
        Py_XDECREF(unflatten);
    }
};

// Takes the handle over.
PyObject *make(PyObject *type, litz_executable *handle, PyObject *keep) {
    PyObject *object = allocate<Executable>(reinterpret_cast<PyTypeObject *>(type));
    if (!object) {
        api.executable_release(handle);
        return nullptr;
    }
    Ref hold(object);
    Executable &e = state_of<Executable>(object);
    e.handle = handle;
    e.keep = Py_NewRef(keep);
    if (!read_info(handle, LITZ_INFO_INPUT, api.executable_num_inputs(handle), &e.inputs) ||
        !read_info(handle, LITZ_INFO_OUTPUT, api.executable_num_outputs(handle), &e.outputs))
        return nullptr;
    for (const auto *list : {&e.inputs, &e.outputs})
        for (const litz_tensor_info &info : *list) e.on_cuda |= info.device.device_type == kDLCUDA;
    return hold.release();
}

bool count_fits(const Executable &e, size_t n) {
    if (n == e.inputs.size()) return true;
    PyErr_Format(PyExc_TypeError, "the program takes %zu inputs, and %zu were given", e.inputs.size(), n);
    return false;
}

bool read_all(const Executable &e, PyObject *tuple, Inputs *inputs) {
    for (size_t k = 0; k < e.inputs.size(); ++k)
        if (!inputs->read(k, PyTuple_GetItem(tuple, static_cast<Py_ssize_t>(k)), &e.inputs[k])) return false;
    return true;
}

// Arrays that tell their stream are used on it, and the call returns once the work is enqueued, as their framework's
// own operators do. Others are waited for.
void follow(const Executable &e, const Inputs &inputs, litz_run_options *options) {
    if (!e.on_cuda || (options->flags & LITZ_RUN_HAS_STREAM)) return;
    options->flags |= LITZ_RUN_HAS_STREAM;
    options->stream = inputs.has_stream ? inputs.stream : nullptr;
    if (inputs.has_stream) options->flags |= LITZ_RUN_ASYNC;
}

// Runs on a tuple of inputs, of the right number. The results are the caller's.
bool run(const Executable &e, PyObject *tuple, litz_run_options options, Inputs *inputs, DLManagedTensorVersioned **results) {
    if (!read_all(e, tuple, inputs)) return false;
    options.struct_size = sizeof options;
    follow(e, *inputs, &options);
    litz_error *error = nullptr;
    litz_status status;
    {
        Unlocked unlocked;
        status = api.executable_run(e.handle, inputs->get(), e.inputs.size(), results, e.outputs.size(), &options, &error);
    }
    return check(status, error);
}

PyObject *executable_call(PyObject *self, PyObject *args, PyObject *kwargs) {
    Executable &e = state_of<Executable>(self);
    Ref flat;
    if (e.flatten || (kwargs && PyDict_Size(kwargs) > 0)) {
        if (!e.flatten) {
            PyErr_SetString(PyExc_TypeError, "the program takes no keyword arguments");
            return nullptr;
        }
        Ref none(kwargs ? nullptr : PyDict_New());
        flat = Ref(PyObject_CallFunctionObjArgs(e.flatten, args, kwargs ? kwargs : none.get(), nullptr));
        if (!flat) return nullptr;
        args = flat.get();
    }
    const size_t n = e.outputs.size();
    if (!PyTuple_Check(args) || !count_fits(e, static_cast<size_t>(PyTuple_Size(args)))) return nullptr;
    Inputs inputs(e.inputs.size());
    Array<DLManagedTensorVersioned *> results(n);
    if (!run(e, args, {}, &inputs, results.get())) return nullptr;
    if (e.form == Executable::SINGLE) return give(results[0], inputs.kind);
    Ref all(give_all(results.get(), n, inputs.kind, e.form == Executable::LIST));
    if (!all || e.form != Executable::TREE) return all.release();
    return PyObject_CallFunctionObjArgs(e.unflatten, all.get(), nullptr);
}

// The keywords that runs have beside their tensors.
bool run_options(PyObject *seed, PyObject *offset, PyObject *stream, int asynchronous, litz_run_options *out) {
    if (seed != Py_None || offset != Py_None) {
        out->flags |= LITZ_RUN_HAS_SEED;
        out->seed = seed == Py_None ? 0 : PyLong_AsUnsignedLongLong(seed);
        out->offset = offset == Py_None || PyErr_Occurred() ? 0 : PyLong_AsUnsignedLongLong(offset);
    }
    if (stream != Py_None && !PyErr_Occurred()) {
        out->flags |= LITZ_RUN_HAS_STREAM;
        out->stream = PyLong_AsVoidPtr(stream);
    }
    if (asynchronous) out->flags |= LITZ_RUN_ASYNC;
    return !PyErr_Occurred();
}

PyObject *executable_run(PyObject *self, PyObject *args, PyObject *kwargs) {
    static const char *names[] = {"inputs", "seed", "offset", "stream", "asynchronous", "next_offset", nullptr};
    PyObject *given = nullptr, *seed = Py_None, *offset = Py_None, *stream = Py_None;
    int asynchronous = 0, tells_offset = 0;
    uint64_t next_offset = 0;
    litz_run_options options{};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OOOpp", const_cast<char **>(names), &given, &seed, &offset, &stream,
                                     &asynchronous, &tells_offset) ||
        !run_options(seed, offset, stream, asynchronous, &options))
        return nullptr;
    const Executable &e = state_of<Executable>(self);
    Ref tuple(PySequence_Tuple(given));
    if (!tuple || !count_fits(e, static_cast<size_t>(PyTuple_Size(tuple.get())))) return nullptr;
    Inputs inputs(e.inputs.size());
    Array<DLManagedTensorVersioned *> results(e.outputs.size());
    if (tells_offset) options.next_offset = &next_offset;
    if (!run(e, tuple.get(), options, &inputs, results.get())) return nullptr;
    Ref all(give_all(results.get(), e.outputs.size(), inputs.kind, true));
    if (!all || !tells_offset) return all.release();
    return Py_BuildValue("(OK)", all.get(), static_cast<unsigned long long>(next_offset));
}

PyObject *executable_run_into(PyObject *self, PyObject *args, PyObject *kwargs) {
    static const char *names[] = {"inputs", "outputs", "seed", "offset", "stream", "asynchronous", nullptr};
    PyObject *given = nullptr, *into = nullptr, *seed = Py_None, *offset = Py_None, *stream = Py_None;
    int asynchronous = 0;
    litz_run_options options{};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$OOOp", const_cast<char **>(names), &given, &into, &seed, &offset,
                                     &stream, &asynchronous) ||
        !run_options(seed, offset, stream, asynchronous, &options))
        return nullptr;
    const Executable &e = state_of<Executable>(self);
    Ref tuple(PySequence_Tuple(given)), targets(tuple ? PySequence_Tuple(into) : nullptr);
    if (!targets || !count_fits(e, static_cast<size_t>(PyTuple_Size(tuple.get())))) return nullptr;
    const size_t n = static_cast<size_t>(PyTuple_Size(targets.get()));
    if (n != e.outputs.size()) {
        PyErr_Format(PyExc_TypeError, "the program gives %zu outputs, and %zu were given to write to", e.outputs.size(), n);
        return nullptr;
    }
    Inputs inputs(e.inputs.size()), outputs(n);
    if (!read_all(e, tuple.get(), &inputs)) return nullptr;
    for (size_t k = 0; k < n; ++k) {
        litz_tensor_info info = e.outputs[k];
        info.mutated = 1;
        if (!outputs.read(k, PyTuple_GetItem(targets.get(), static_cast<Py_ssize_t>(k)), &info)) return nullptr;
    }
    options.struct_size = sizeof options;
    follow(e, inputs, &options);
    return act(api.executable_run_into, e.handle, inputs.get(), e.inputs.size(), outputs.get(), n,
               static_cast<const litz_run_options *>(&options));
}

PyObject *executable_compile(PyObject *type, PyObject *args) {
    PyObject *graph_object = nullptr, *options_object = Py_None, *examples = Py_None;
    litz_options *options = nullptr;
    if (!PyArg_ParseTuple(args, "O|OO", &graph_object, &options_object, &examples) || !options_of(options_object, &options))
        return nullptr;
    InUse graph(graph_object);
    if (!graph) return nullptr;
    Ref tuple(examples == Py_None ? nullptr : PySequence_Tuple(examples));
    if (!tuple && examples != Py_None) return nullptr;
    const size_t n = tuple ? static_cast<size_t>(PyTuple_Size(tuple.get())) : 0;
    Inputs inputs(n);
    for (size_t k = 0; k < n; ++k)
        if (!inputs.read(k, PyTuple_GetItem(tuple.get(), static_cast<Py_ssize_t>(k)), nullptr)) return nullptr;
    // The options' callbacks, and constants that were not copied.
    Ref keep(PyTuple_Pack(2, graph->keep, options_object));
    if (!keep) return nullptr;
    litz_executable *handle = nullptr;
    litz_error *error = nullptr;
    litz_status status;
    {
        Unlocked unlocked;
        status = tuple ? api.compile_with(graph->handle, options, inputs.get(), n, nullptr, &handle, &error)
                       : api.compile(graph->handle, options, &handle, &error);
    }
    return check(status, error) ? make(type, handle, keep.get()) : nullptr;
}

PyObject *executable_open(PyObject *type, PyObject *args) {
    PyObject *source = nullptr, *options_object = Py_None;
    litz_options *options = nullptr;
    if (!PyArg_ParseTuple(args, "O|O", &source, &options_object) || !options_of(options_object, &options)) return nullptr;
    litz_executable *handle = nullptr;
    litz_error *error = nullptr;
    litz_status status;
    if (PyBytes_Check(source)) {
        char *data = nullptr;
        Py_ssize_t size = 0;
        if (PyBytes_AsStringAndSize(source, &data, &size) != 0) return nullptr;
        Unlocked unlocked;
        status = api.executable_open_memory(data, static_cast<size_t>(size), options, &handle, &error);
    } else {
        Ref hold;
        const char *path = path_of(source, hold);
        if (!path) return nullptr;
        Unlocked unlocked;
        status = api.executable_open(path, options, &handle, &error);
    }
    return check(status, error) ? make(type, handle, options_object) : nullptr;
}

PyObject *executable_clone(PyObject *self, PyObject *) {
    Executable &e = state_of<Executable>(self);
    litz_executable *handle = nullptr;
    litz_error *error = nullptr;
    litz_status status;
    {
        Unlocked unlocked;
        status = api.executable_clone(e.handle, &handle, &error);
    }
    if (!check(status, error)) return nullptr;
    PyObject *clone = make(reinterpret_cast<PyObject *>(Py_TYPE(self)), handle, e.keep);
    if (!clone) return nullptr;
    Executable &other = state_of<Executable>(clone);
    Py_XINCREF(other.flatten = e.flatten);
    Py_XINCREF(other.unflatten = e.unflatten);
    other.form = e.form;
    return clone;
}

// How calls give their arguments and get their results: two callables or None, and the form of the results.
PyObject *executable_bind(PyObject *self, PyObject *args) {
    PyObject *flatten = nullptr, *unflatten = nullptr;
    const char *form = nullptr;
    if (!PyArg_ParseTuple(args, "OOs", &flatten, &unflatten, &form)) return nullptr;
    Executable &e = state_of<Executable>(self);
    const bool single = std::strcmp(form, "single") == 0, list = std::strcmp(form, "list") == 0;
    if (single && e.outputs.size() != 1) {
        PyErr_SetString(PyExc_ValueError, "a program of one result alone gives it by itself");
        return nullptr;
    }
    const auto set = [](PyObject *&member, PyObject *value) {
        PyObject *before = std::exchange(member, value == Py_None ? nullptr : Py_NewRef(value));
        Py_XDECREF(before);
    };
    set(e.flatten, flatten);
    set(e.unflatten, unflatten);
    e.form = e.unflatten ? Executable::TREE : single ? Executable::SINGLE : list ? Executable::LIST : Executable::TUPLE;
    return Py_NewRef(Py_None);
}

PyObject *executable_info(PyObject *self, PyObject *args) {
    int what = 0;
    if (!PyArg_ParseTuple(args, "i", &what)) return nullptr;
    Executable &e = state_of<Executable>(self);
    std::vector<litz_tensor_info> constants;
    if (what == LITZ_INFO_CONSTANT && !read_info(e.handle, what, api.executable_num_constants(e.handle), &constants))
        return nullptr;
    const auto &list = what == LITZ_INFO_INPUT ? e.inputs : what == LITZ_INFO_OUTPUT ? e.outputs : constants;
    Ref all(PyList_New(0));
    for (const litz_tensor_info &info : list) {
        Ref one(describe_info(info));
        if (!one || PyList_Append(all.get(), one.get()) != 0) return nullptr;
    }
    return all.release();
}

litz_executable *of(PyObject *self) { return state_of<Executable>(self).handle; }
PyObject *executable_describe(PyObject *self, PyObject *) { return text(api.executable_describe, of(self)); }
PyObject *executable_spec_text(PyObject *self, PyObject *) { return text(api.executable_spec, of(self)); }
PyObject *executable_report(PyObject *self, PyObject *) { return text(api.executable_report, of(self)); }
PyObject *executable_cancel(PyObject *self, PyObject *) { return act(api.executable_cancel, of(self)); }
PyObject *executable_synchronize(PyObject *self, PyObject *) { return act(api.executable_synchronize, of(self)); }
PyObject *executable_draw(PyObject *self, PyObject *format) {
    const char *name = utf8(format, "format");
    return name ? text(api.executable_draw, of(self), name) : nullptr;
}
PyObject *executable_check_spec(PyObject *self, PyObject *json) {
    const char *given = utf8(json, "the signature");
    return given ? act(api.executable_check_spec, of(self), given) : nullptr;
}

template <class Function> PyObject *with_path(PyObject *self, PyObject *object, Function function) {
    Ref hold;
    const char *path = path_of(object, hold);
    return path ? act(function, of(self), path) : nullptr;
}
PyObject *executable_save(PyObject *self, PyObject *path) { return with_path(self, path, api.executable_save); }
PyObject *executable_save_constants(PyObject *self, PyObject *path) {
    return with_path(self, path, api.executable_save_constants);
}
PyObject *executable_load_constants(PyObject *self, PyObject *path) {
    return with_path(self, path, api.executable_load_constants);
}

PyObject *executable_save_checkpoint(PyObject *self, PyObject *args, PyObject *kwargs) {
    static const char *names[] = {"path", "seed", "offset", nullptr};
    PyObject *object = nullptr;
    unsigned long long seed = 0, offset = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|KK", const_cast<char **>(names), &object, &seed, &offset)) return nullptr;
    Ref hold;
    const char *path = path_of(object, hold);
    return path ? act(api.executable_save_checkpoint, of(self), path, static_cast<uint64_t>(seed), static_cast<uint64_t>(offset))
                : nullptr;
}

PyObject *executable_load_checkpoint(PyObject *self, PyObject *object) {
    Ref hold;
    const char *path = path_of(object, hold);
    if (!path) return nullptr;
    uint64_t seed = 0, offset = 0;
    Ref done(act(api.executable_load_checkpoint, of(self), path, &seed, &offset));
    return done ? Py_BuildValue("(KK)", static_cast<unsigned long long>(seed), static_cast<unsigned long long>(offset)) : nullptr;
}

PyObject *executable_constant(PyObject *self, PyObject *name) {
    const char *key = utf8(name, "name");
    if (!key) return nullptr;
    DLManagedTensorVersioned *result = nullptr;
    litz_error *error = nullptr;
    litz_status status;
    {
        Unlocked unlocked;
        status = api.executable_constant(of(self), key, &result, &error);
    }
    return check(status, error) ? give(result, nullptr) : nullptr;
}

PyObject *executable_update_constants(PyObject *self, PyObject *values) {
    if (!is_a(values, &PyDict_Type, "values")) return nullptr;
    const auto n = static_cast<size_t>(PyDict_Size(values));
    Inputs data(n);
    Array<const char *> names(n);
    Ref copy(PyDict_Copy(values));
    PyObject *key, *value;
    Py_ssize_t place = 0;
    for (size_t k = 0; copy && PyDict_Next(copy.get(), &place, &key, &value); ++k)
        if (!(names[k] = utf8(key, "a constant's name")) || !data.read(k, value, nullptr)) return nullptr;
    return copy ? act(api.executable_update_constants, of(self), static_cast<const char *const *>(names.get()), data.get(), n)
                : nullptr;
}

PyMethodDef methods[] = {
    {"_compile", executable_compile, METH_VARARGS | METH_CLASS, "Compiles a graph: graph, options, examples."},
    {"_open", executable_open, METH_VARARGS | METH_CLASS, "Opens an artifact: a path or bytes, options."},
    {"_bind", executable_bind, METH_VARARGS, "Sets how calls become inputs and results a value: flatten, unflatten, form."},
    {"_info", executable_info, METH_VARARGS, "Facts about inputs (0), outputs (1) or constants (2)."},
    {"_describe", executable_describe, METH_NOARGS, "What was compiled, as JSON."},
    {"_spec", executable_spec_text, METH_NOARGS, "The signature, as JSON."},
    {"_check_spec", executable_check_spec, METH_O, "Compares a signature, as JSON, with the program's."},
    {"run", LITZ_METHOD(executable_run), METH_VARARGS | METH_KEYWORDS,
     "run(inputs, *, seed=None, offset=None, stream=None, asynchronous=False, next_offset=False)\n--\n\n"
     "Runs once on the flat list of inputs, and gives the flat list of outputs.\n\n"
     "`seed` and `offset` are the random state; with `next_offset` the call gives a pair of the outputs and the offset that\n"
     "the next run begins at. `stream` is the address of a CUDA stream; arrays that tell the stream of\n"
     "their framework are used on that one otherwise. With `asynchronous` a run on a GPU may be in progress when the call\n"
     "returns: keep the arrays until `synchronize`, or until that stream has done the work."},
    {"run_into", LITZ_METHOD(executable_run_into), METH_VARARGS | METH_KEYWORDS,
     "run_into(inputs, outputs, *, seed=None, offset=None, stream=None, asynchronous=False)\n--\n\n"
     "Runs once and writes the results to arrays that are there already, of any strides. The keywords are those of `run`."},
    {"clone", executable_clone, METH_NOARGS, "Another instance, with mutable state of its own."},
    {"report", executable_report, METH_NOARGS, "A page of HTML about the program, complete in itself."},
    {"draw", executable_draw, METH_O, "A picture of the graph by kernels: 'svg' or 'dot'."},
    {"cancel", executable_cancel, METH_NOARGS, "Ends the runs that other threads have in progress."},
    {"synchronize", executable_synchronize, METH_NOARGS, "Waits for asynchronous runs."},
    {"save", executable_save, METH_O, "Writes an artifact, which litz.open reads."},
    {"save_constants", executable_save_constants, METH_O, "Writes parameters and buffers to a safetensors file."},
    {"load_constants", executable_load_constants, METH_O, "Replaces parameters and buffers by those of such a file."},
    {"save_checkpoint", LITZ_METHOD(executable_save_checkpoint), METH_VARARGS | METH_KEYWORDS,
     "save_checkpoint(path, seed=0, offset=0)\n--\n\n"
     "Writes every parameter and buffer, an optimizer's state among them, and the random state that the next run is given."},
    {"load_checkpoint", executable_load_checkpoint, METH_O,
     "load_checkpoint(path)\n--\n\nReplaces parameters and buffers by those of a checkpoint; gives its seed and offset."},
    {"constant", executable_constant, METH_O, "A copy of a parameter or buffer as it is now, by name."},
    {"update_constants", executable_update_constants, METH_O, "Replaces constants by a dict of arrays, all or none."},
    {},
};
PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("A compiled program. Any number of threads may call one at once.")},
    {Py_tp_call, reinterpret_cast<void *>(executable_call)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate<Executable>)},
    {Py_tp_methods, methods},
    {},
};
PyType_Spec spec = {"litz._native.Executable", sizeof(Object<Executable>), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

} // namespace

bool add_executables(PyObject *module) { return add_type(module, &spec, &executable_type); }

} // namespace litz_python
