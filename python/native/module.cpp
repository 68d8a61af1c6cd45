// The module `litz._native`: opens liblitz, and has what belongs to no object.
#include "litz_python.h"

#include <dlfcn.h>

namespace litz_python {

Api api;
PyTypeObject *options_type;

bool check(litz_status status, litz_error *&error) {
    if (status == LITZ_OK) return true;
    // The classes are Python's own: `litz.errors.make(code, message, detail)`.
    Ref module(PyImport_ImportModule("litz.errors"));
    Ref made(module ? PyObject_CallMethod(module.get(), "make", "iss", static_cast<int>(status),
                                          api.error_message(error), api.error_detail(error))
                    : nullptr);
    api.error_release(error);
    if (made) PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(made.get())), made.get());
    return false;
}

const char *utf8(PyObject *object, const char *what) {
    Py_ssize_t size = 0;
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str, not %R", what, Py_TYPE(object));
        return nullptr;
    }
    const char *data = PyUnicode_AsUTF8AndSize(object, &size);
    if (data && std::strlen(data) != static_cast<size_t>(size)) {
        PyErr_Format(PyExc_ValueError, "%s has a NUL character in it", what);
        return nullptr;
    }
    return data;
}

const char *path_of(PyObject *object, Ref &hold) {
    PyObject *bytes = nullptr;
    if (!PyUnicode_FSConverter(object, &bytes)) return nullptr;
    hold = Ref(bytes);
    return PyBytes_AsString(bytes);
}

bool is_a(PyObject *object, PyTypeObject *type, const char *what) {
    if (PyObject_TypeCheck(object, type)) return true;
    PyErr_Format(PyExc_TypeError, "%s must be a %R, not %R", what, type, Py_TYPE(object));
    return false;
}

bool add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **out) {
    PyObject *type = PyType_FromSpec(spec);
    *out = reinterpret_cast<PyTypeObject *>(type);
    return type && PyModule_AddType(module, *out) == 0;
}

Options::~Options() {
    api.options_release(handle);
    Py_XDECREF(log);
    Py_XDECREF(trace);
    Py_XDECREF(registry);
}

bool options_of(PyObject *object, litz_options **out) {
    *out = nullptr;
    if (object == Py_None) return true;
    if (!is_a(object, options_type, "options")) return false;
    *out = state_of<Options>(object).handle;
    return true;
}

namespace {

// The library calls these on any thread. An exception of the callback is told to sys.unraisablehook, and the work goes on.
void on_log(void *context, int32_t level, const char *message) {
    Locked locked;
    Ref result(PyObject_CallFunction(static_cast<PyObject *>(context), "is", static_cast<int>(level), message));
    if (!result) PyErr_WriteUnraisable(static_cast<PyObject *>(context));
}

void on_trace(void *context, const char *line) {
    Locked locked;
    Ref result(PyObject_CallFunction(static_cast<PyObject *>(context), "s", line));
    if (!result) PyErr_WriteUnraisable(static_cast<PyObject *>(context));
}

PyObject *options_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static const char *names[] = {"values", "log", "log_level", "trace", "registry", nullptr};
    PyObject *values = nullptr, *log = Py_None, *trace = Py_None, *registry = Py_None;
    int level = 2;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|OiOO", const_cast<char **>(names), &PyDict_Type, &values, &log,
                                     &level, &trace, &registry))
        return nullptr;
    Ref object(allocate<Options>(type));
    if (!object) return nullptr;
    Options &options = state_of<Options>(object.get());
    litz_error *error = nullptr;
    if (!check(api.options_new(&options.handle, &error), error)) return nullptr;
    if (registry != Py_None) {
        litz_registry *given = registry_of(registry);
        if (!given || !check(api.options_set_registry(options.handle, given, &error), error)) return nullptr;
        options.registry = Py_NewRef(registry);
    }
    PyObject *key, *value;
    Py_ssize_t place = 0;
    while (PyDict_Next(values, &place, &key, &value)) {
        const char *key_text = utf8(key, "an option's key");
        const char *value_text = key_text ? utf8(value, "an option's value") : nullptr;
        if (!value_text || !check(api.options_set(options.handle, key_text, value_text, &error), error)) return nullptr;
    }
    if (log != Py_None) {
        options.log = Py_NewRef(log);
        if (!check(api.options_set_log(options.handle, level, on_log, log, &error), error)) return nullptr;
    }
    if (trace != Py_None) {
        options.trace = Py_NewRef(trace);
        if (!check(api.options_set_trace(options.handle, on_trace, trace, &error), error)) return nullptr;
    }
    return object.release();
}

PyObject *options_json(PyObject *self, PyObject *) { return text(api.options_json, state_of<Options>(self).handle); }

PyMethodDef options_methods[] = {
    {"json", options_json, METH_NOARGS, "Every option's effective value and where it comes from, as JSON."},
    {},
};
PyType_Slot options_slots[] = {
    {Py_tp_doc, const_cast<char *>("How to compile: texts by key, and callbacks for messages and events.")},
    {Py_tp_new, reinterpret_cast<void *>(options_new)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate<Options>)},
    {Py_tp_methods, options_methods},
    {},
};
PyType_Spec options_spec = {"litz._native.Options", sizeof(Object<Options>), 0, Py_TPFLAGS_DEFAULT, options_slots};

PyObject *version(PyObject *, PyObject *) { return PyUnicode_FromString(api.version()); }
PyObject *options_list(PyObject *, PyObject *) { return text(api.options_list); }
PyObject *counters(PyObject *, PyObject *) { return text(api.counters); }
PyObject *backends(PyObject *, PyObject *) {
    return text(api.backends, static_cast<const char *const *>(nullptr), static_cast<size_t>(0));
}
PyObject *reset(PyObject *, PyObject *) { return act(api.reset); }
PyObject *set_threads(PyObject *, PyObject *args) {
    int n = 0;
    return PyArg_ParseTuple(args, "i", &n) ? act(api.set_threads, static_cast<int32_t>(n)) : nullptr;
}
PyObject *memory_stats(PyObject *, PyObject *args) {
    int type = 1, index = 0;
    if (!PyArg_ParseTuple(args, "|ii", &type, &index)) return nullptr;
    return text(api.memory_stats, static_cast<int32_t>(type), static_cast<int32_t>(index));
}
PyObject *memory_release(PyObject *, PyObject *args) {
    int type = 1, index = 0;
    if (!PyArg_ParseTuple(args, "|ii", &type, &index)) return nullptr;
    return act(api.memory_release, static_cast<int32_t>(type), static_cast<int32_t>(index));
}

PyMethodDef functions[] = {
    {"version", version, METH_NOARGS, "The library's version."},
    {"options_list", options_list, METH_NOARGS, "Every option with type, default and meaning, as JSON."},
    {"counters", counters, METH_NOARGS, "Counts of the library's work in this process, as JSON."},
    {"backends", backends, METH_NOARGS, "The backends, and whether each is available, as JSON."},
    {"reset", reset, METH_NOARGS, "Drops caches and sets the counters to zero."},
    {"set_threads", set_threads, METH_VARARGS, "Threads of the process's pool; 0: one for each CPU."},
    {"memory_stats", memory_stats, METH_VARARGS, "Memory that the library holds on a device, as JSON."},
    {"memory_release", memory_release, METH_VARARGS, "Gives unused memory of a device back."},
    {},
};

// The library that LITZ_LIBRARY names, otherwise the one beside this module.
std::string library_path() {
    if (const char *named = std::getenv("LITZ_LIBRARY"); named && *named) return named;
    Dl_info info;
    std::string path = dladdr(reinterpret_cast<void *>(library_path), &info) ? info.dli_fname : "";
    return path.substr(0, path.rfind('/') + 1) + "liblitz.so";
}

bool open_library() {
    const std::string path = library_path();
    // It stays open until the process ends: programs and results outlive the module.
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        PyErr_Format(PyExc_ImportError, "liblitz cannot be opened: %s", dlerror());
        return false;
    }
#define LITZ_LOOK_UP(name)                                                                                             \
    api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, "litz_" #name));                                    \
    if (!api.name) {                                                                                                   \
        PyErr_Format(PyExc_ImportError, "%s has no function litz_" #name ": it is of another version", path.c_str());  \
        return false;                                                                                                  \
    }
    LITZ_FUNCTIONS(LITZ_LOOK_UP)
#undef LITZ_LOOK_UP
    litz_error *error = nullptr;
    return check(api.check_abi(LITZ_ABI_VERSION, &error), error);
}

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "litz._native", "The C ABI of Litz as objects of Python.", -1, functions,
    nullptr, nullptr, nullptr, nullptr,
};

} // namespace
} // namespace litz_python

PyMODINIT_FUNC PyInit__native() {
    using namespace litz_python;
    if (!open_library()) return nullptr;
    Ref module(PyModule_Create(&definition));
    if (!module || !add_type(module.get(), &options_spec, &options_type) || !add_tensors(module.get()) ||
        !add_graphs(module.get()) || !add_executables(module.get()) || !add_training(module.get()) ||
        !add_registries(module.get()) || !add_weights(module.get()))
        return nullptr;
    return module.release();
}
