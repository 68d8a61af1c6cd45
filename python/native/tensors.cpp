// Arrays of other frameworks in and out, by DLPack and without copies, and `Tensor`, which holds a result for frameworks
// that are not there.
//
// A framework is known by its types alone: one whose type has `__dlpack_c_exchange_api__` is read and given by C functions,
// and tells the stream that it works on; others have `__dlpack__`, and a namespace with `from_dlpack`.
#include "litz_python.h"

#include <atomic>
#include <dlfcn.h>

namespace litz_python {

PyTypeObject *tensor_type;

namespace {

// DLPack's table of C functions, of version 1.3 and later.
struct ExchangeApi {
    DLPackVersion version;
    ExchangeApi *previous;
    void *allocate;
    int (*managed_from_object)(void *object, DLManagedTensorVersioned **out);
    int (*managed_to_object)(DLManagedTensorVersioned *tensor, void **out);
    int (*tensor_from_object)(void *object, DLTensor *out);
    int (*current_stream)(DLDeviceType type, int32_t index, void **out);
};

// A result, and the objects that show it: the last one frees it.
struct Shared {
    std::atomic<size_t> owners{1};
    DLManagedTensorVersioned *tensor;
    // The memory was lent to a callback, which has ended.
    bool is_gone = false;
    explicit Shared(DLManagedTensorVersioned *t) : tensor(t) {}
    bool has_others() const { return owners.load(std::memory_order_acquire) != 1; }
    void release() {
        if (owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        api.tensor_release(tensor);
        delete this;
    }
};

struct Tensor {
    Shared *shared = nullptr;
    ~Tensor() {
        if (shared) shared->release();
    }
    const DLTensor &get() const { return shared->tensor->dl_tensor; }
    // Whether there are elements to read; otherwise an error.
    bool is_there() const {
        if (shared->is_gone) PyErr_SetString(PyExc_BufferError, "the tensor was lent for a call that has ended: keep a copy");
        return !shared->is_gone;
    }
};

struct Dtype {
    const char *name;
    uint8_t code, bits;
};
constexpr Dtype DTYPES[] = {
    {"float32", kDLFloat, 32},      {"float64", kDLFloat, 64},        {"float16", kDLFloat, 16},
    {"bfloat16", kDLBfloat, 16},    {"int64", kDLInt, 64},            {"int32", kDLInt, 32},
    {"int16", kDLInt, 16},          {"int8", kDLInt, 8},              {"uint8", kDLUInt, 8},
    {"uint16", kDLUInt, 16},        {"uint32", kDLUInt, 32},          {"uint64", kDLUInt, 64},
    {"bool", kDLBool, 8},           {"complex32", kDLComplex, 32},    {"complex64", kDLComplex, 64},
    {"complex128", kDLComplex, 128}, {"float8_e4m3fn", kDLFloat8_e4m3fn, 8}, {"float8_e5m2", kDLFloat8_e5m2, 8},
    {"float8_e4m3fnuz", kDLFloat8_e4m3fnuz, 8}, {"float8_e5m2fnuz", kDLFloat8_e5m2fnuz, 8},
};

} // namespace

struct ArrayType {
    PyTypeObject *type;
    enum Kind { EXCHANGE, PROTOCOL, TENSOR, NUMBER, OTHER } kind;
    const ExchangeApi *exchange;
    // Methods that say whether elements are negated or conjugated when they are read: DLPack cannot tell that.
    PyObject *is_neg, *is_conj;
    // Makes an array of an object with `__dlpack__`; found when the first array is given.
    PyObject *from_dlpack;
    // The framework promises its users that nobody changes an array; not all of them tell DLPack.
    bool immutable;
};

bool dtype_of(const char *name, DLDataType *out) {
    for (const Dtype &dtype : DTYPES)
        if (std::strcmp(dtype.name, name) == 0) {
            *out = {dtype.code, dtype.bits, 1};
            return true;
        }
    PyErr_Format(PyExc_ValueError, "no dtype is called '%s'", name);
    return false;
}

std::string dtype_name(DLDataType given) {
    for (const Dtype &dtype : DTYPES)
        if (dtype.code == given.code && dtype.bits == given.bits && given.lanes == 1) return dtype.name;
    return "dtype(code " + std::to_string(given.code) + ", " + std::to_string(given.bits) + " bits)";
}

namespace {

// Names and arguments that calls use again and again: of `__dlpack__`, with and without a stream.
PyObject *dlpack_name, *version, *stream_number, *versioned_names, *streamed_names, *stream_names;

// Calls without a tuple and a dict: of the stable ABI from 3.12 on, and exported as it is by the versions before it.
PyObject *(*vectorcall)(PyObject *callable, PyObject *const *args, size_t n, PyObject *keywords);
PyObject *(*vectorcall_method)(PyObject *name, PyObject *const *args, size_t n, PyObject *names);

const ExchangeApi *exchange_of(PyTypeObject *type) {
    Ref capsule(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__dlpack_c_exchange_api__"));
    if (!capsule || !PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api")) {
        PyErr_Clear();
        return nullptr;
    }
    auto *table = static_cast<ExchangeApi *>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
    while (table && table->version.major > DLPACK_MAJOR_VERSION) table = table->previous;
    return table && table->version.major == DLPACK_MAJOR_VERSION && table->tensor_from_object ? table : nullptr;
}

PyObject *attribute_or_null(PyTypeObject *type, const char *name) {
    PyObject *found = PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), name);
    if (!found) PyErr_Clear();
    return found;
}

bool is_immutable(PyTypeObject *type) {
    Ref module(attribute_or_null(type, "__module__"));
    Ref answer(module ? PyObject_CallMethod(module.get(), "startswith", "s", "jax") : nullptr);
    if (!answer) PyErr_Clear();
    return answer.get() == Py_True;
}

// What is known of a type. Types are few: each is looked at once and kept.
ArrayType *array_type(PyTypeObject *type) {
    static std::vector<ArrayType *> known;
    for (ArrayType *entry : known)
        if (entry->type == type) return entry;
    auto *entry = new ArrayType{type, ArrayType::OTHER, nullptr, nullptr, nullptr, nullptr, is_immutable(type)};
    Py_INCREF(type);
    PyObject *object = reinterpret_cast<PyObject *>(type);
    if (type == tensor_type) {
        entry->kind = ArrayType::TENSOR;
    } else if ((entry->exchange = exchange_of(type))) {
        entry->kind = ArrayType::EXCHANGE;
        entry->is_neg = attribute_or_null(type, "is_neg");
        entry->is_conj = attribute_or_null(type, "is_conj");
    } else if (PyObject_HasAttrString(object, "__dlpack__")) {
        entry->kind = ArrayType::PROTOCOL;
    } else if (PyObject_HasAttrString(object, "__index__") || PyObject_HasAttrString(object, "__float__")) {
        // Python's numbers, and NumPy's scalars.
        entry->kind = ArrayType::NUMBER;
    }
    known.push_back(entry);
    return entry;
}

// The framework's own function: of the namespace that the array names, or of the package that its type is from.
PyObject *from_dlpack_of(PyObject *array) {
    Ref space(PyObject_CallMethod(array, "__array_namespace__", nullptr));
    if (!space) {
        PyErr_Clear();
        Ref module(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(array)), "__module__"));
        Ref parts(module ? PyObject_CallMethod(module.get(), "partition", "s", ".") : nullptr);
        space = Ref(parts ? PyImport_Import(PyTuple_GetItem(parts.get(), 0)) : nullptr);
    }
    return space ? PyObject_GetAttrString(space.get(), "from_dlpack") : nullptr;
}

// 1, 0, or -1 with an error.
int truth(PyObject *method, PyObject *object) {
    Ref answer(vectorcall(method, &object, 1, nullptr));
    return answer ? PyObject_IsTrue(answer.get()) : -1;
}

// The exported tensor of an object with `__dlpack__`, and the capsule that owns it.
PyObject *export_of(PyObject *object, bool on_cuda, DLTensor *out, bool *read_only) {
    PyObject *args[] = {object, version, stream_number};
    bool streamed = false;
    if (on_cuda) {
        Ref device(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
        if (!device) return nullptr;
        PyObject *number = PyTuple_GetItem(device.get(), 0);
        const long kind = number ? PyLong_AsLong(number) : -1;
        if (kind == -1 && PyErr_Occurred()) return nullptr;
        streamed = kind == kDLCUDA;
    }
    Ref capsule(vectorcall_method(dlpack_name, args, 1, streamed ? streamed_names : versioned_names));
    if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
        // A producer of the protocol before version 1 knows no `max_version`.
        PyErr_Clear();
        args[1] = stream_number;
        capsule = Ref(vectorcall_method(dlpack_name, args, 1, streamed ? stream_names : nullptr));
    }
    if (!capsule) return nullptr;
    // The capsule stays unused by name, so that its own destructor frees the tensor.
    if (PyCapsule_IsValid(capsule.get(), "dltensor_versioned")) {
        auto *tensor = static_cast<DLManagedTensorVersioned *>(PyCapsule_GetPointer(capsule.get(), "dltensor_versioned"));
        if (tensor->version.major != DLPACK_MAJOR_VERSION) {
            PyErr_Format(PyExc_BufferError, "a tensor of DLPack %u is not understood", tensor->version.major);
            return nullptr;
        }
        *out = tensor->dl_tensor;
        *read_only |= (tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
        return capsule.release();
    }
    auto *tensor = static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule.get(), "dltensor"));
    if (!tensor) return nullptr;
    *out = tensor->dl_tensor;
    return capsule.release();
}

// How messages name a given tensor: by the input's name, or by its place in a list without names.
std::string place_of(size_t k, const litz_tensor_info *info) {
    return info ? "input " + std::to_string(k) + " `" + info->name + "`" : "tensor " + std::to_string(k);
}

// Adds the tensor's place to an error that the array itself raised.
void tell_place(size_t k, const litz_tensor_info *info) {
    // NumPy's and PyTorch's; others may not be made of a message.
    if (!PyErr_ExceptionMatches(PyExc_BufferError) && !PyErr_ExceptionMatches(PyExc_RuntimeError)) return;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Ref hold_type(type), hold(value), hold_trace(trace);
    PyErr_Format(type, "%s: %S", place_of(k, info).c_str(), value ? value : type);
}

// The bits of a NumPy array with floats of the package ml_dtypes, which NumPy does not export by DLPack. Other arrays: NULL, without an error.
PyObject *bits_of(PyObject *object, DLDataType *dtype) {
    static const struct { const char *name, *bits; DLDataType dtype; } kinds[] = {
        {"bfloat16", "uint16", {kDLBfloat, 16, 1}},
        {"float8_e4m3fn", "uint8", {kDLFloat8_e4m3fn, 8, 1}},
        {"float8_e5m2", "uint8", {kDLFloat8_e5m2, 8, 1}},
        {"float8_e4m3fnuz", "uint8", {kDLFloat8_e4m3fnuz, 8, 1}},
        {"float8_e5m2fnuz", "uint8", {kDLFloat8_e5m2fnuz, 8, 1}},
    };
    Ref own(PyObject_GetAttrString(object, "dtype"));
    Ref name(own ? PyObject_GetAttrString(own.get(), "name") : nullptr);
    const char *text = name && PyUnicode_Check(name.get()) ? utf8(name.get(), "a dtype") : nullptr;
    PyErr_Clear();
    for (const auto &kind : kinds) {
        if (!text || std::strcmp(text, kind.name) != 0) continue;
        *dtype = kind.dtype;
        return PyObject_CallMethod(object, "view", "s", kind.bits);
    }
    return nullptr;
}

} // namespace

bool Inputs::read(size_t k, PyObject *object, const litz_tensor_info *info) {
    Item &item = items_[k];
    if (object == Py_None) {
        pointers_[k] = nullptr;
        return true;
    }
    pointers_[k] = &item.tensor;
    ArrayType *type = array_type(Py_TYPE(object));
    if (type->kind == ArrayType::NUMBER) {
        if (!info || info->ndim != 0) {
            if (info)
                PyErr_Format(PyExc_TypeError, "%s is a tensor with %d dimensions, not a number", place_of(k, info).c_str(),
                             static_cast<int>(info->ndim));
            else
                PyErr_Format(PyExc_TypeError, "%s must be an array, not the number %R", place_of(k, info).c_str(), object);
            return false;
        }
        item.tensor.data = &item.number;
        item.tensor.dtype = info->dtype;
        item.tensor.device = {kDLCPU, 0};
        const std::string dtype = dtype_name(info->dtype);
        const bool whole = PyIndex_Check(object);
        if (dtype == "bool" && PyBool_Check(object)) {
            item.number.truth = object == Py_True;
        } else if (dtype == "int64" && whole) {
            item.number.integer = PyLong_AsLongLong(object);
        } else if (dtype == "int32" && whole) {
            const long value = PyLong_AsLong(object);
            item.number.small = static_cast<int32_t>(value);
            if (item.number.small != value && !PyErr_Occurred())
                PyErr_Format(PyExc_OverflowError, "%s is int32, and %R is too large", place_of(k, info).c_str(), object);
        } else if (dtype == "float64") {
            item.number.real = PyFloat_AsDouble(object);
        } else if (dtype == "float32") {
            item.number.single = static_cast<float>(PyFloat_AsDouble(object));
        } else {
            PyErr_Format(PyExc_TypeError, "%s is %s: %R cannot be given there", place_of(k, info).c_str(),
                         dtype.c_str(), object);
        }
        return !PyErr_Occurred();
    }
    bool read_only = type->immutable;
    switch (type->kind) {
    case ArrayType::EXCHANGE: {
        if (type->exchange->tensor_from_object(object, &item.tensor) != 0) {
            tell_place(k, info);
            return false;
        }
        int special = type->is_neg ? truth(type->is_neg, object) : 0;
        if (special == 0 && type->is_conj && item.tensor.dtype.code == kDLComplex) special = truth(type->is_conj, object);
        if (special < 0) return false;
        if (special) {
            PyErr_Format(PyExc_ValueError,
                         "%s is a negated or conjugated view, which DLPack cannot tell: give its "
                         "resolve_neg().resolve_conj()", place_of(k, info).c_str());
            return false;
        }
        if (!has_stream && item.tensor.device.device_type == kDLCUDA) {
            if (type->exchange->current_stream(item.tensor.device.device_type, item.tensor.device.device_id, &stream) != 0)
                return false;
            has_stream = true;
        }
        break;
    }
    case ArrayType::TENSOR:
        if (!state_of<Tensor>(object).is_there()) return false;
        item.tensor = state_of<Tensor>(object).get();
        read_only |= (state_of<Tensor>(object).shared->tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
        break;
    case ArrayType::PROTOCOL:
        item.hold = export_of(object, info && info->device.device_type == kDLCUDA, &item.tensor, &read_only);
        if (!item.hold && PyErr_ExceptionMatches(PyExc_BufferError)) {
            PyObject *error, *value, *trace;
            PyErr_Fetch(&error, &value, &trace);
            DLDataType dtype;
            Ref bits(bits_of(object, &dtype));
            if (bits && (item.hold = export_of(bits.get(), false, &item.tensor, &read_only))) item.tensor.dtype = dtype;
            if (item.hold || PyErr_Occurred()) Py_XDECREF(error), Py_XDECREF(value), Py_XDECREF(trace);
            else PyErr_Restore(error, value, trace);
        }
        if (!item.hold) {
            tell_place(k, info);
            return false;
        }
        break;
    default:
        PyErr_Format(PyExc_TypeError, "%s must be an array with __dlpack__, not %R", place_of(k, info).c_str(),
                     Py_TYPE(object));
        return false;
    }
    if (read_only && info && info->mutated) {
        PyErr_Format(PyExc_ValueError, "%s is written to by the program, and the array is read-only",
                     place_of(k, info).c_str());
        return false;
    }
    if (!kind && type->kind != ArrayType::TENSOR) {
        if (type->kind == ArrayType::PROTOCOL && !type->from_dlpack && !(type->from_dlpack = from_dlpack_of(object)))
            return false;
        kind = type;
    }
    return true;
}

PyObject *give(DLManagedTensorVersioned *result, ArrayType *kind) {
    if (kind && kind->kind == ArrayType::EXCHANGE) {
        void *object = nullptr;
        if (kind->exchange->managed_to_object(result, &object) == 0) return static_cast<PyObject *>(object);
        return nullptr;
    }
    PyObject *object = allocate<Tensor>(tensor_type);
    if (!object) {
        api.tensor_release(result);
        return nullptr;
    }
    state_of<Tensor>(object).shared = new Shared(result);
    if (!kind) return object;
    const uint8_t code = result->dl_tensor.dtype.code;
    PyObject *array = vectorcall(kind->from_dlpack, &object, 1, nullptr);
    // A framework without such elements, as NumPy, gets the Tensor itself.
    if (!array && (code == kDLBfloat || code > kDLBool) && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear();
        return object;
    }
    Py_DECREF(object);
    return array;
}

PyObject *give_all(DLManagedTensorVersioned **results, size_t n, ArrayType *kind, bool list) {
    const auto count = static_cast<Py_ssize_t>(n);
    Ref all(list ? PyList_New(count) : PyTuple_New(count));
    for (size_t k = 0; k < n; ++k) {
        PyObject *one = all ? (results[k] ? give(results[k], kind) : Py_NewRef(Py_None)) : nullptr;
        if (!one) {
            if (!all && results[k]) api.tensor_release(results[k]);
            for (size_t rest = k + 1; rest < n; ++rest)
                if (results[rest]) api.tensor_release(results[rest]);
            all = Ref();
            return nullptr;
        }
        const auto place = static_cast<Py_ssize_t>(k);
        if (list) PyList_SetItem(all.get(), place, one);
        else PyTuple_SetItem(all.get(), place, one);
    }
    return all.release();
}

namespace {

PyObject *sizes(const int64_t *list, int32_t n) {
    Ref result(PyTuple_New(n));
    for (int32_t k = 0; result && k < n; ++k) {
        PyObject *size = PyLong_FromLongLong(list[k]);
        if (!size) return nullptr;
        PyTuple_SetItem(result.get(), k, size);
    }
    return result.release();
}

PyObject *tensor_shape(PyObject *self, void *) {
    const DLTensor &tensor = state_of<Tensor>(self).get();
    return sizes(tensor.shape, tensor.ndim);
}

PyObject *tensor_strides(PyObject *self, void *) {
    const DLTensor &tensor = state_of<Tensor>(self).get();
    if (tensor.strides) return sizes(tensor.strides, tensor.ndim);
    std::vector<int64_t> strides(static_cast<size_t>(tensor.ndim));
    int64_t next = 1;
    for (size_t k = strides.size(); k-- > 0; next *= tensor.shape[k]) strides[k] = next;
    return sizes(strides.data(), tensor.ndim);
}

PyObject *tensor_dtype(PyObject *self, void *) {
    return PyUnicode_FromString(dtype_name(state_of<Tensor>(self).get().dtype).c_str());
}

PyObject *tensor_device(PyObject *self, void *) {
    const DLDevice device = state_of<Tensor>(self).get().device;
    if (device.device_type == kDLCPU) return PyUnicode_FromString("cpu");
    return PyUnicode_FromFormat("%s:%d", device.device_type == kDLCUDA ? "cuda" : "device", device.device_id);
}

// A tensor of its own for each consumer, over the same memory.
template <class Managed> Managed *view_of(Shared *shared) {
    auto *view = new Managed();
    shared->owners.fetch_add(1, std::memory_order_relaxed);
    view->dl_tensor = shared->tensor->dl_tensor;
    view->manager_ctx = shared;
    view->deleter = [](Managed *self) {
        static_cast<Shared *>(self->manager_ctx)->release();
        delete self;
    };
    return view;
}

// Frees the tensor of a capsule that nobody took.
template <class Managed> void free_untaken(PyObject *capsule, const char *name) {
    if (!PyCapsule_IsValid(capsule, name)) return;
    auto *view = static_cast<Managed *>(PyCapsule_GetPointer(capsule, name));
    view->deleter(view);
}

PyObject *tensor_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    PyObject *version = Py_None, *device = Py_None, *copy = Py_None, *stream = Py_None;
    if (n != 0) {
        PyErr_SetString(PyExc_TypeError, "__dlpack__ takes keywords alone");
        return nullptr;
    }
    for (Py_ssize_t k = 0; names && k < PyTuple_Size(names); ++k) {
        PyObject *name = PyTuple_GetItem(names, k);
        const auto is = [&](const char *text) { return PyUnicode_CompareWithASCIIString(name, text) == 0; };
        PyObject **place = is("max_version") ? &version : is("dl_device") ? &device : is("copy") ? &copy
                           : is("stream") ? &stream : nullptr;
        if (!place) {
            PyErr_Format(PyExc_TypeError, "__dlpack__ has no argument %R", name);
            return nullptr;
        }
        *place = args[k];
    }
    Shared *shared = state_of<Tensor>(self).shared;
    if (!state_of<Tensor>(self).is_there()) return nullptr;
    const DLTensor &tensor = shared->tensor->dl_tensor;
    if (copy == Py_True) {
        PyErr_SetString(PyExc_BufferError, "a litz.Tensor is given as it is, not as a copy");
        return nullptr;
    }
    if (device != Py_None) {
        int kind = 0, index = 0;
        if (!PyTuple_Check(device) || !PyArg_ParseTuple(device, "ii", &kind, &index)) return nullptr;
        if (kind != tensor.device.device_type || index != tensor.device.device_id) {
            PyErr_SetString(PyExc_BufferError, "a litz.Tensor is given on its own device");
            return nullptr;
        }
    }
    long major = 0;
    if (version != Py_None) {
        PyObject *first = PyTuple_Check(version) ? PyTuple_GetItem(version, 0) : nullptr;
        major = first ? PyLong_AsLong(first) : -1;
        if (PyErr_Occurred()) return nullptr;
    }
    if (major >= DLPACK_MAJOR_VERSION) {
        auto *view = view_of<DLManagedTensorVersioned>(shared);
        view->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
        view->flags = shared->tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY;
        return PyCapsule_New(view, "dltensor_versioned",
                             [](PyObject *c) { free_untaken<DLManagedTensorVersioned>(c, "dltensor_versioned"); });
    }
    return PyCapsule_New(view_of<DLManagedTensor>(shared), "dltensor",
                         [](PyObject *c) { free_untaken<DLManagedTensor>(c, "dltensor"); });
}

PyObject *tensor_dlpack_device(PyObject *self, PyObject *) {
    const DLDevice device = state_of<Tensor>(self).get().device;
    return Py_BuildValue("(ii)", static_cast<int>(device.device_type), static_cast<int>(device.device_id));
}

int64_t stride_of(const DLTensor &tensor, int32_t dimension) {
    if (tensor.strides) return tensor.strides[dimension];
    int64_t stride = 1;
    for (int32_t k = dimension + 1; k < tensor.ndim; ++k) stride *= tensor.shape[k];
    return stride;
}

// Copies the elements of a tensor in host memory, from a dimension on, in row-major order; gives the end of the copy.
char *copy_elements(const DLTensor &tensor, int32_t dimension, const char *from, char *to) {
    const size_t size = tensor.dtype.bits / 8;
    size_t count = 1;
    bool is_dense = true;
    for (int32_t k = tensor.ndim; k-- > dimension;) {
        is_dense &= tensor.shape[k] == 1 || stride_of(tensor, k) == static_cast<int64_t>(count);
        count *= static_cast<size_t>(tensor.shape[k]);
    }
    if (is_dense || count == 0) {
        if (count > 0) std::memcpy(to, from, count * size);
        return to + count * size;
    }
    const int64_t step = stride_of(tensor, dimension) * static_cast<int64_t>(size);
    for (int64_t k = 0; k < tensor.shape[dimension]; ++k) to = copy_elements(tensor, dimension + 1, from + k * step, to);
    return to;
}

PyObject *tensor_bytes(PyObject *self, PyObject *) {
    const DLTensor &tensor = state_of<Tensor>(self).get();
    if (!state_of<Tensor>(self).is_there()) return nullptr;
    if (tensor.device.device_type != kDLCPU) {
        PyErr_SetString(PyExc_BufferError, "the tensor lies on a device: copy it to the host by a framework");
        return nullptr;
    }
    size_t count = tensor.dtype.bits / 8;
    for (int32_t k = 0; k < tensor.ndim; ++k) count *= static_cast<size_t>(tensor.shape[k]);
    Ref bytes(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(count)));
    if (!bytes) return nullptr;
    copy_elements(tensor, 0, static_cast<const char *>(tensor.data) + tensor.byte_offset, PyBytes_AsString(bytes.get()));
    return bytes.release();
}

// A tensor of the extension's own: what a deleter frees.
struct Owned {
    DLManagedTensorVersioned managed{};
    std::vector<int64_t> shape;
    std::vector<char> data;
};

} // namespace

PyObject *lend(const DLTensor &tensor, bool read_only) {
    auto *owned = new Owned();
    owned->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    owned->managed.manager_ctx = owned;
    owned->managed.deleter = [](DLManagedTensorVersioned *self) { delete static_cast<Owned *>(self->manager_ctx); };
    owned->managed.flags = read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
    owned->managed.dl_tensor = tensor;
    // Sizes can still be read when the memory is gone.
    owned->shape.assign(tensor.shape, tensor.shape + tensor.ndim);
    owned->managed.dl_tensor.shape = owned->shape.data();
    owned->managed.dl_tensor.strides = nullptr;
    return give(&owned->managed, nullptr);
}

bool take_back(PyObject *tensor) {
    Shared *shared = state_of<Tensor>(tensor).shared;
    shared->is_gone = true;
    return !shared->has_others();
}

bool copy_into(PyObject *array, const DLTensor &to, const char *what) {
    litz_tensor_info info{};
    info.struct_size = sizeof info;
    info.name = what;
    info.dtype = to.dtype;
    info.ndim = to.ndim;
    Inputs inputs(1);
    if (!inputs.read(0, array, &info)) return false;
    const DLTensor *from = inputs.get()[0];
    bool same = from && from->ndim == to.ndim && dtype_name(from->dtype) == dtype_name(to.dtype);
    for (int32_t d = 0; same && d < to.ndim; ++d) same = from->shape[d] == to.shape[d];
    if (!same || from->device.device_type != kDLCPU) {
        Ref asked(sizes(to.shape, to.ndim)), given(from ? sizes(from->shape, from->ndim) : Py_NewRef(Py_None));
        if (asked && given)
            PyErr_Format(PyExc_ValueError, "%s is %s%R, and %s%R in host memory is asked", what,
                         from ? dtype_name(from->dtype).c_str() : "", given.get(), dtype_name(to.dtype).c_str(), asked.get());
        return false;
    }
    copy_elements(*from, 0, static_cast<const char *>(from->data) + from->byte_offset,
                  static_cast<char *>(to.data) + to.byte_offset);
    return true;
}

namespace {

PyObject *tensor_from_bytes(PyObject *type, PyObject *args) {
    const char *data = nullptr, *name = nullptr;
    Py_ssize_t size = 0;
    PyObject *shape = nullptr;
    if (!PyArg_ParseTuple(args, "y#sO!", &data, &size, &name, &PyTuple_Type, &shape)) return nullptr;
    DLDataType dtype;
    if (!dtype_of(name, &dtype)) return nullptr;
    auto *owned = new Owned();
    Ref object(allocate<Tensor>(reinterpret_cast<PyTypeObject *>(type)));
    owned->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    owned->managed.manager_ctx = owned;
    owned->managed.deleter = [](DLManagedTensorVersioned *self) { delete static_cast<Owned *>(self->manager_ctx); };
    if (!object) {
        delete owned;
        return nullptr;
    }
    state_of<Tensor>(object.get()).shared = new Shared(&owned->managed);
    int64_t count = dtype.bits / 8;
    for (Py_ssize_t k = 0; k < PyTuple_Size(shape); ++k) {
        const int64_t length = PyLong_AsLongLong(PyTuple_GetItem(shape, k));
        if (length < 0 || __builtin_mul_overflow(count, length, &count)) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a size is negative, or the sizes are too large");
            return nullptr;
        }
        owned->shape.push_back(length);
    }
    if (count != size) {
        PyErr_Format(PyExc_ValueError, "the shape takes %lld bytes, not %zd", static_cast<long long>(count), size);
        return nullptr;
    }
    owned->data.assign(data, data + size);
    DLTensor &tensor = owned->managed.dl_tensor;
    tensor = {owned->data.data(), {kDLCPU, 0}, static_cast<int32_t>(owned->shape.size()), dtype, owned->shape.data(), nullptr, 0};
    return object.release();
}

PyObject *tensor_repr(PyObject *self) {
    Ref shape(tensor_shape(self, nullptr)), device(tensor_device(self, nullptr));
    if (!shape || !device) return nullptr;
    const std::string dtype = dtype_name(state_of<Tensor>(self).get().dtype);
    return PyUnicode_FromFormat("<litz.Tensor %s%R on %U>", dtype.c_str(), shape.get(), device.get());
}

PyMethodDef tensor_methods[] = {
    {"__dlpack__", LITZ_METHOD(tensor_dlpack), METH_FASTCALL | METH_KEYWORDS, "Exports the tensor without a copy."},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS, "DLPack's device type and index."},
    {"tobytes", tensor_bytes, METH_NOARGS, "The elements in row-major order."},
    {"from_bytes", tensor_from_bytes, METH_VARARGS | METH_CLASS, "A tensor of row-major elements: bytes, dtype, shape."},
    {},
};
PyGetSetDef tensor_fields[] = {
    {"shape", tensor_shape, nullptr, "The sizes.", nullptr},
    {"strides", tensor_strides, nullptr, "The strides in elements.", nullptr},
    {"dtype", tensor_dtype, nullptr, "The element type's name, such as 'float32'.", nullptr},
    {"device", tensor_device, nullptr, "Where it lies, such as 'cuda:0'.", nullptr},
    {},
};
PyType_Slot tensor_slots[] = {
    {Py_tp_doc, const_cast<char *>("A tensor that any framework with DLPack takes without a copy.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate<Tensor>)},
    {Py_tp_repr, reinterpret_cast<void *>(tensor_repr)},
    {Py_tp_methods, tensor_methods},
    {Py_tp_getset, tensor_fields},
    {},
};
PyType_Spec tensor_spec = {"litz.Tensor", sizeof(Object<Tensor>), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, tensor_slots};

} // namespace

bool add_tensors(PyObject *module) {
    dlpack_name = PyUnicode_InternFromString("__dlpack__");
    version = Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
    // 1 is CUDA's legacy default stream: a run that was told no other works on it.
    stream_number = PyLong_FromLong(1);
    versioned_names = Py_BuildValue("(s)", "max_version");
    streamed_names = Py_BuildValue("(ss)", "max_version", "stream");
    stream_names = Py_BuildValue("(s)", "stream");
    vectorcall = reinterpret_cast<decltype(vectorcall)>(dlsym(RTLD_DEFAULT, "PyObject_VectorcallDict"));
    vectorcall_method = reinterpret_cast<decltype(vectorcall_method)>(dlsym(RTLD_DEFAULT, "PyObject_VectorcallMethod"));
    if (!vectorcall || !vectorcall_method) {
        PyErr_SetString(PyExc_ImportError, "this Python has no PyObject_VectorcallMethod");
        return false;
    }
    return dlpack_name && version && stream_number && versioned_names && streamed_names && stream_names &&
           add_type(module, &tensor_spec, &tensor_type);
}

} // namespace litz_python
