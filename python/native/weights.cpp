// `Weights`: a file of weights, whose tensors graphs take without reading them into memory.
#include "litz_python.h"

namespace litz_python {

PyTypeObject *weights_type;

namespace {

PyObject *weights_open(PyObject *type, PyObject *object) {
    Ref hold;
    const char *path = path_of(object, hold);
    return path ? make<Weights>(reinterpret_cast<PyTypeObject *>(type), api.weights_open, path) : nullptr;
}

PyObject *weights_describe(PyObject *self, PyObject *) {
    return text(api.weights_describe, static_cast<const litz_weights *>(state_of<Weights>(self).handle));
}

PyObject *weights_alias(PyObject *self, PyObject *args) {
    const char *tensor = nullptr, *name = nullptr;
    if (!PyArg_ParseTuple(args, "ss", &tensor, &name)) return nullptr;
    return act(api.weights_alias, state_of<Weights>(self).handle, tensor, name);
}

PyMethodDef methods[] = {
    {"_open", weights_open, METH_O | METH_CLASS, "Opens a file: its path."},
    {"_describe", weights_describe, METH_NOARGS, "What the file holds, as JSON."},
    {"alias", weights_alias, METH_VARARGS, "alias(tensor, name)\n--\n\nGives a tensor another name, too."},
    {},
};
PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("A file of weights.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate<Weights>)},
    {Py_tp_methods, methods},
    {},
};
PyType_Spec spec = {"litz._native.Weights", sizeof(Object<Weights>), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

} // namespace

litz_weights *weights_of(PyObject *object) { return handle_of<Weights>(object, weights_type, "weights"); }

bool add_weights(PyObject *module) { return add_type(module, &spec, &weights_type); }

} // namespace litz_python
