// What the extension's files share: the table of liblitz's functions, owned references, errors, and the types.
//
// Invariants: only the limited API of CPython 3.10 is used, so that one build serves every later version. No C++ exception
// exists here: a function that fails gives NULL or false and leaves a Python error, as CPython's own do. Globals are written
// while the module is imported, and then under the GIL alone.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <litz/litz.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace litz_python {

// The functions of liblitz that the extension calls; each is looked up in the library when the module is imported.
#define LITZ_FUNCTIONS(X)                                                                                             \
    X(backends) X(check_abi) X(compile) X(compile_artifact) X(compile_training) X(compile_with) X(counters)           \
    X(error_code) X(error_detail) X(error_message) X(error_new) X(error_release) X(executable_cancel)                 \
    X(executable_check_spec) X(executable_clone) X(executable_constant) X(executable_describe) X(executable_draw)     \
    X(executable_info) X(executable_load_checkpoint) X(executable_load_constants) X(executable_num_constants)         \
    X(executable_num_inputs) X(executable_num_outputs) X(executable_open) X(executable_open_memory)                   \
    X(executable_release) X(executable_report) X(executable_run) X(executable_run_into) X(executable_save)            \
    X(executable_save_checkpoint) X(executable_save_constants) X(executable_spec) X(executable_synchronize)           \
    X(executable_update_constants) X(graph_call) X(graph_clone) X(graph_constant) X(graph_describe)                   \
    X(graph_differentiate) X(graph_differentiate_forward) X(graph_disable_fusion) X(graph_draw) X(graph_find)        \
    X(graph_from_export_json) X(graph_nodes)                                                                          \
    X(graph_from_export_json_with_weights) X(graph_from_onnx) X(graph_from_onnx_memory) X(graph_from_pt2)             \
    X(graph_from_pt2_memory) X(graph_from_text) X(graph_input) X(graph_new) X(graph_optimizer_step) X(graph_output)   \
    X(graph_release) X(graph_save_repro) X(graph_scalar_input) X(graph_set_metadata) X(graph_set_spec) X(graph_spec)  \
    X(graph_symbol) X(graph_to_export_json) X(graph_to_text) X(graph_value_describe) X(graph_weight)                  \
    X(memory_release) X(memory_stats) X(meta_output) X(options_json) X(options_list) X(options_new)                   \
    X(options_release) X(options_set) X(options_set_log) X(options_set_registry) X(options_set_trace)                 \
    X(registry_add_cleanup) X(registry_add_decomposition) X(registry_add_operator) X(registry_add_operator_source) X(registry_describe)       \
    X(registry_new) X(registry_release) X(reset) X(saved_release) X(set_threads) X(string_data) X(string_release)     \
    X(string_size) X(tensor_release) X(training_backward) X(training_cancel) X(training_constant) X(training_describe) \
    X(training_forward) X(training_info) X(training_release) X(training_update_constants) X(version) X(weights_alias) \
    X(weights_describe) X(weights_open) X(weights_release)

struct Api {
#define LITZ_MEMBER(name) decltype(&::litz_##name) name;
    LITZ_FUNCTIONS(LITZ_MEMBER)
#undef LITZ_MEMBER
};
extern Api api;

// A reference that is given back at the end of its scope.
class Ref {
    PyObject *object_;

  public:
    explicit Ref(PyObject *stolen = nullptr) : object_(stolen) {}
    Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref &operator=(Ref &&other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    Ref(const Ref &) = delete;
    ~Ref() { Py_XDECREF(object_); }
    static Ref of(PyObject *borrowed) {
        Py_XINCREF(borrowed);
        return Ref(borrowed);
    }
    PyObject *get() const { return object_; }
    PyObject *release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }
};

// Other threads of Python run as long as it lives.
class Unlocked {
    PyThreadState *state_;

  public:
    Unlocked() : state_(PyEval_SaveThread()) {}
    Unlocked(const Unlocked &) = delete;
    ~Unlocked() { PyEval_RestoreThread(state_); }
};

// The GIL, from here to the end of the scope. Functions that the library calls take it, as that may be on any thread.
class Locked {
    PyGILState_STATE state_;

  public:
    Locked() : state_(PyGILState_Ensure()) {}
    Locked(const Locked &) = delete;
    ~Locked() { PyGILState_Release(state_); }
};

// Whether a call succeeded; otherwise its error becomes Python's.
// By reference, as the call that gives the status writes it.
bool check(litz_status status, litz_error *&error);

// Calls a function of the library that gives a text, without the GIL.
template <class Function, class... Arguments> PyObject *text(Function function, Arguments... arguments) {
    litz_string *string = nullptr;
    litz_error *error = nullptr;
    litz_status status;
    {
        Unlocked unlocked;
        status = function(arguments..., &string, &error);
    }
    if (!check(status, error)) return nullptr;
    PyObject *result =
        PyUnicode_FromStringAndSize(api.string_data(string), static_cast<Py_ssize_t>(api.string_size(string)));
    api.string_release(string);
    return result;
}

// Calls a function of the library that gives nothing, without the GIL.
template <class Function, class... Arguments> PyObject *act(Function function, Arguments... arguments) {
    litz_error *error = nullptr;
    litz_status status;
    {
        Unlocked unlocked;
        status = function(arguments..., &error);
    }
    if (!check(status, error)) return nullptr;
    return Py_NewRef(Py_None);
}

// UTF-8 of a str, borrowed from it; NULL and an error for anything else.
const char *utf8(PyObject *object, const char *what);
// The same for the path of a file: a str, bytes or os.PathLike. `hold` owns the bytes.
const char *path_of(PyObject *object, Ref &hold);

// Memory of a fixed count of items, on the stack where they are few.
template <class T> class Array {
    T few_[16];
    std::vector<T> many_;
    T *data_;

  public:
    explicit Array(size_t n) : few_{}, data_(few_) {
        if (n > 16) {
            many_.resize(n);
            data_ = many_.data();
        }
    }
    Array(const Array &) = delete;
    T *get() { return data_; }
    T &operator[](size_t k) { return data_[k]; }
};

// The fields of an object of Python's behind its header.
template <class State> struct Object {
    PyObject_HEAD State state;
};
template <class State> State &state_of(PyObject *object) { return reinterpret_cast<Object<State> *>(object)->state; }
template <class State> PyObject *allocate(PyTypeObject *type) {
    PyObject *object = PyType_GenericAlloc(type, 0);
    if (object) new (&state_of<State>(object)) State();
    return object;
}
template <class State> void deallocate(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    state_of<State>(object).~State();
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}
bool is_a(PyObject *object, PyTypeObject *type, const char *what);

// The state of an object that owns a handle of the library and nothing else.
template <class Handle, void (*Api::*release)(Handle *)> struct Owner {
    Handle *handle = nullptr;
    ~Owner() { (api.*release)(handle); }
};
using Registry = Owner<litz_registry, &Api::registry_release>;
using Weights = Owner<litz_weights, &Api::weights_release>;
// A new object, whose handle a function of the library makes without the GIL.
template <class State, class Function, class... Arguments>
PyObject *make(PyTypeObject *type, Function function, Arguments... arguments) {
    Ref object(allocate<State>(type));
    if (!object) return nullptr;
    Ref done(act(function, arguments..., &state_of<State>(object.get()).handle));
    return done ? object.release() : nullptr;
}
// The handle of an object; NULL and an error for one of another type.
template <class State> auto handle_of(PyObject *object, PyTypeObject *type, const char *what) {
    return is_a(object, type, what) ? state_of<State>(object).handle : nullptr;
}
#define LITZ_METHOD(function) reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function))

// How to compile; nothing changes it once it was made.
struct Options {
    litz_options *handle = nullptr;
    PyObject *log = nullptr, *trace = nullptr, *registry = nullptr;
    ~Options();
};
// The options of an argument that may be None; false and an error where it is something else.
bool options_of(PyObject *object, litz_options **out);

struct Graph {
    litz_graph *handle = nullptr;
    // What has to stay alive as long as the graph and its programs: options with callbacks, constants that are not copied.
    PyObject *keep = nullptr;
    // A graph is for one thread at a time; another one that comes meanwhile gets an error.
    bool busy = false;
    ~Graph();
};
// The use of a graph by this thread, from the beginning of a call to its end.
class InUse {
    Graph *graph_ = nullptr;

  public:
    explicit InUse(PyObject *object);
    InUse(const InUse &) = delete;
    ~InUse() {
        if (graph_) graph_->busy = false;
    }
    explicit operator bool() const { return graph_ != nullptr; }
    Graph *operator->() const { return graph_; }
};

// A tensor or symbol of a graph.
struct Value {
    PyObject *graph = nullptr;
    litz_value id = 0;
    // A symbol or a number of the run, which may stand among integers.
    bool number = false;
    ~Value() { Py_XDECREF(graph); }
};
// The value of an id, and None for 0.
PyObject *new_value(PyObject *graph, litz_value id, bool number);
// 0 for None; false and an error for what is no value.
bool id_of(PyObject *object, litz_value *out);
// Sizes that are ints or symbols, as a graph's inputs and an operator's results have them.
class Sizes {
    std::vector<int64_t> sizes_;
    std::vector<litz_value> symbols_;

  public:
    // Reads a tuple into the spec, which points at it.
    bool read(PyObject *tuple, litz_tensor_spec *spec);
};

// A dtype, device, memory format or layout as an argument of an operator.
struct Attribute {
    int32_t kind = 0;
    int64_t value = 0;
};

extern PyTypeObject *options_type, *graph_type, *value_type, *attribute_type, *tensor_type, *executable_type,
    *training_type, *saved_type, *registry_type, *weights_type;
bool add_tensors(PyObject *module);
bool add_graphs(PyObject *module);
bool add_values(PyObject *module);
bool add_executables(PyObject *module);
bool add_training(PyObject *module);
bool add_registries(PyObject *module);
bool add_weights(PyObject *module);
// The handle of a registry or of a file of weights; NULL and an error for anything else.
litz_registry *registry_of(PyObject *object);
litz_weights *weights_of(PyObject *object);
bool add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **out);

// DLPack's element type by its name, as "float32".
bool dtype_of(const char *name, DLDataType *out);
std::string dtype_name(DLDataType dtype);

// A kind of array: how its tensors are read, and how results become such arrays.
struct ArrayType;

// The tensor inputs of one call, alive for its duration.
class Inputs {
    struct Item {
        DLTensor tensor{};
        // A number's value, or an exported tensor.
        union {
            int64_t integer;
            double real;
            float single;
            int32_t small;
            uint8_t truth;
        } number{};
        PyObject *hold = nullptr;
    };
    Array<Item> items_;
    Array<const DLTensor *> pointers_;
    size_t n_;

  public:
    explicit Inputs(size_t n) : items_(n), pointers_(n), n_(n) {}
    ~Inputs() {
        for (size_t k = 0; k < n_; ++k) Py_XDECREF(items_[k].hold);
    }
    // Reads object `k`. `info` says what the program takes there, and may be NULL.
    bool read(size_t k, PyObject *object, const litz_tensor_info *info);
    const DLTensor *const *get() { return pointers_.get(); }
    // What results become: the kind of the first array.
    ArrayType *kind = nullptr;
    // The stream on which the arrays' framework works now, where it has told one.
    bool has_stream = false;
    void *stream = nullptr;
};

// What an executable or a training program says of a tensor, for Python.
PyObject *describe_info(const litz_tensor_info &info);

// A tensor that a callback is lent, for as long as it takes.
PyObject *lend(const DLTensor &tensor, bool read_only);
// Takes the memory of a lent tensor back; whether nothing refers to it any more.
bool take_back(PyObject *tensor);
// Copies the elements of an array in host memory to a contiguous tensor of the same dtype and sizes.
bool copy_into(PyObject *array, const DLTensor &to, const char *what);

// Makes an array of a result, which it takes over in any case.
PyObject *give(DLManagedTensorVersioned *result, ArrayType *kind);
// The results as a tuple or a list; takes all of them over.
PyObject *give_all(DLManagedTensorVersioned **results, size_t n, ArrayType *kind, bool list);

} // namespace litz_python
