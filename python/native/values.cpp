// `Value` and `Attribute`: what operators of a graph take and give.
#include "litz_python.h"

namespace litz_python {

PyTypeObject *value_type, *attribute_type;

PyObject *new_value(PyObject *graph, litz_value id, bool number) {
    if (id == 0) return Py_NewRef(Py_None);
    PyObject *object = allocate<Value>(value_type);
    if (!object) return nullptr;
    Value &value = state_of<Value>(object);
    value.graph = Py_NewRef(graph);
    value.id = id;
    value.number = number;
    return object;
}

bool id_of(PyObject *object, litz_value *out) {
    *out = 0;
    if (object == Py_None) return true;
    if (!is_a(object, value_type, "a value")) return false;
    *out = state_of<Value>(object).id;
    return true;
}

namespace {

PyObject *value_describe(PyObject *self, PyObject *) {
    Value &value = state_of<Value>(self);
    InUse graph(value.graph);
    return graph ? text(api.graph_value_describe, graph->handle, value.id) : nullptr;
}
// What describes a value stands in the package: `litz.graph.value_dtype`, `value_shape` and `value_repr`.
PyObject *value_fact(PyObject *self, void *function) {
    Ref module(PyImport_ImportModule("litz.graph"));
    return module ? PyObject_CallMethod(module.get(), static_cast<const char *>(function), "O", self) : nullptr;
}
PyObject *value_repr(PyObject *self) { return value_fact(self, const_cast<char *>("value_repr")); }
PyObject *value_graph(PyObject *self, void *) { return Py_NewRef(state_of<Value>(self).graph); }
PyObject *value_is_number(PyObject *self, void *) { return PyBool_FromLong(state_of<Value>(self).number); }
Py_hash_t value_hash(PyObject *self) { return static_cast<Py_hash_t>(state_of<Value>(self).id >> 1); }
PyObject *value_compare(PyObject *self, PyObject *other, int how) {
    if (!PyObject_TypeCheck(other, value_type) || (how != Py_EQ && how != Py_NE)) return Py_NewRef(Py_NotImplemented);
    return PyBool_FromLong((state_of<Value>(self).id == state_of<Value>(other).id) == (how == Py_EQ));
}

// Arithmetic in Python is `Value.operator(name, left, right)` of the package, which picks the operator.
PyObject *arithmetic(const char *name, PyObject *left, PyObject *right) {
    Ref module(PyImport_ImportModule("litz.graph"));
    return module ? PyObject_CallMethod(module.get(), "arithmetic", "sOO", name, left, right) : nullptr;
}
PyObject *value_add(PyObject *l, PyObject *r) { return arithmetic("add", l, r); }
PyObject *value_subtract(PyObject *l, PyObject *r) { return arithmetic("sub", l, r); }
PyObject *value_multiply(PyObject *l, PyObject *r) { return arithmetic("mul", l, r); }
PyObject *value_divide(PyObject *l, PyObject *r) { return arithmetic("div", l, r); }
PyObject *value_floor_divide(PyObject *l, PyObject *r) { return arithmetic("floordiv", l, r); }
PyObject *value_matmul(PyObject *l, PyObject *r) { return arithmetic("matmul", l, r); }
PyObject *value_negative(PyObject *v) { return arithmetic("neg", v, Py_None); }

PyMethodDef value_methods[] = {
    {"_describe", value_describe, METH_NOARGS, "The value, as JSON."},
    {},
};
PyGetSetDef value_fields[] = {
    {"dtype", value_fact, nullptr, "The dtype's name, such as 'float32'; of a symbol 'int64'.", const_cast<char *>("value_dtype")},
    {"shape", value_fact, nullptr, "The sizes: ints where they are fixed, and symbols of the graph.",
     const_cast<char *>("value_shape")},
    {"graph", value_graph, nullptr, "The graph that the value is of.", nullptr},
    {"is_number", value_is_number, nullptr, "Whether it is a symbol or number of the run, not a tensor.", nullptr},
    {},
};
PyType_Slot value_slots[] = {
    {Py_tp_doc, const_cast<char *>("A tensor or symbol of a graph.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate<Value>)},
    {Py_tp_methods, value_methods},
    {Py_tp_getset, value_fields},
    {Py_tp_repr, reinterpret_cast<void *>(value_repr)},
    {Py_tp_hash, reinterpret_cast<void *>(value_hash)},
    {Py_tp_richcompare, reinterpret_cast<void *>(value_compare)},
    {Py_nb_add, reinterpret_cast<void *>(value_add)},
    {Py_nb_subtract, reinterpret_cast<void *>(value_subtract)},
    {Py_nb_multiply, reinterpret_cast<void *>(value_multiply)},
    {Py_nb_true_divide, reinterpret_cast<void *>(value_divide)},
    {Py_nb_floor_divide, reinterpret_cast<void *>(value_floor_divide)},
    {Py_nb_matrix_multiply, reinterpret_cast<void *>(value_matmul)},
    {Py_nb_negative, reinterpret_cast<void *>(value_negative)},
    {},
};
PyType_Spec value_spec = {"litz.Value", sizeof(Object<Value>), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, value_slots};

PyObject *attribute_new(PyTypeObject *type, PyObject *args, PyObject *) {
    int kind = 0;
    long long value = 0;
    if (!PyArg_ParseTuple(args, "iL", &kind, &value)) return nullptr;
    PyObject *object = allocate<Attribute>(type);
    if (object) state_of<Attribute>(object) = {kind, value};
    return object;
}
PyObject *attribute_repr(PyObject *self) {
    const Attribute &a = state_of<Attribute>(self);
    return PyUnicode_FromFormat("Attribute(%d, %lld)", static_cast<int>(a.kind), static_cast<long long>(a.value));
}
PyType_Slot attribute_slots[] = {
    {Py_tp_doc, const_cast<char *>("A dtype, device, memory format or layout as an argument: its kind and number.")},
    {Py_tp_new, reinterpret_cast<void *>(attribute_new)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate<Attribute>)},
    {Py_tp_repr, reinterpret_cast<void *>(attribute_repr)},
    {},
};
PyType_Spec attribute_spec = {"litz._native.Attribute", sizeof(Object<Attribute>), 0, Py_TPFLAGS_DEFAULT, attribute_slots};

} // namespace

bool add_values(PyObject *module) {
    return add_type(module, &value_spec, &value_type) && add_type(module, &attribute_spec, &attribute_type);
}

} // namespace litz_python
