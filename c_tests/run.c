/* Compiling and running a graph with a symbolic size, on the backend that argv[1] names; wrong inputs are told apart. */
#include "check.h"

static void runs(const litz_executable *e) {
    float x[12] = {1, 2, 3, -1, 0, 1, 4, 4, 4, 0.5f, -0.5f, 2}, z[8];
    int64_t n, shape[2] = {0, 3}, out_shape[2] = {0, 0}, out_strides[2] = {0, 0};
    for (n = 0; n <= 4; ++n) {
        DLTensor input = float_tensor(x, 2, shape), output;
        const DLTensor *inputs[1], *outputs[1];
        struct DLManagedTensorVersioned *made = NULL;
        litz_run_options ro;
        shape[0] = n;
        inputs[0] = &input;
        OK(litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
        CHECK(made->version.major == 1 && made->dl_tensor.ndim == 2 && made->dl_tensor.shape[0] == n);
        CHECK(made->dl_tensor.shape[1] == 2 && made->dl_tensor.strides != NULL);
        CHECK(n == 0 || linear_relu_is(x, (const float *)((char *)made->dl_tensor.data + made->dl_tensor.byte_offset), n));
        made->deleter(made);
        memset(&output, 0, sizeof output);
        output.shape = out_shape;
        output.strides = out_strides;
        OK(litz_executable_infer_outputs(e, inputs, 1, &output, 1, &err));
        CHECK(output.ndim == 2 && out_shape[0] == n && out_shape[1] == 2 && output.dtype.bits == 32);
        output.data = z;
        outputs[0] = &output;
        memset(&ro, 0, sizeof ro);
        ro.struct_size = sizeof ro;
        OK(litz_executable_run_into(e, inputs, 1, outputs, 1, &ro, &err));
        CHECK(linear_relu_is(x, z, n));
    }
}

static void wrong_runs(const litz_executable *e) {
    float x[400] = {0}, z[8];
    int64_t shape[3] = {2, 3, 1}, out_shape[2] = {2, 2};
    DLTensor input = float_tensor(x, 2, shape), output = float_tensor(z, 2, out_shape);
    const DLTensor *inputs[2], *outputs[1];
    struct DLManagedTensorVersioned *made = NULL;
    litz_run_options ro;
    litz_tensor_info info;
    inputs[0] = inputs[1] = &input;
    outputs[0] = &output;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "takes 1 inputs", litz_executable_run(e, inputs, 2, &made, 1, NULL, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "takes 1 inputs", litz_executable_run(e, NULL, 0, &made, 1, NULL, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "gives 1 outputs", litz_executable_run(e, inputs, 1, &made, 2, NULL, &err));
    inputs[0] = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`x`", litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    inputs[0] = &input;
    input = float_tensor(x, 3, shape);
    FAILS(LITZ_ERROR_SHAPE, "x", litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    shape[1] = 4;
    input = float_tensor(x, 2, shape);
    FAILS(LITZ_ERROR_SHAPE, "x", litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    shape[1] = 3;
    shape[0] = 65; /* above its range */
    FAILS(LITZ_ERROR_SHAPE, "64", litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    shape[0] = -2;
    FAILS(LITZ_ERROR_SHAPE, "x", litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    shape[0] = 2;
    input.dtype.bits = 64;
    FAILS(LITZ_ERROR_DTYPE, "x", litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    input = float_tensor(x, 2, shape);
    input.device.device_type = kDLCUDA;
    FAILS(LITZ_ERROR_DEVICE, "x", litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    input = float_tensor(NULL, 2, shape);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "x", litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    input = float_tensor(x, 2, NULL);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "x", litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    input = float_tensor(x, 2, shape);
    CHECK(made == NULL);
    out_shape[0] = 3;
    FAILS(LITZ_ERROR_SHAPE, "z", litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    out_shape[0] = 2;
    output.dtype.bits = 16;
    FAILS(LITZ_ERROR_DTYPE, "z", litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    outputs[0] = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "output 0", litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    memset(&ro, 0, sizeof ro);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "struct_size", litz_executable_run(e, inputs, 1, &made, 1, &ro, &err));
    ro.struct_size = sizeof ro;
    ro.flags = 1u << 20;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "flags", litz_executable_run(e, inputs, 1, &made, 1, &ro, &err));
    ro.flags = 0;
    ro.reserved[1] = 1;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "reserved", litz_executable_run(e, inputs, 1, &made, 1, &ro, &err));
    ro.reserved[1] = 0;
    ro.device_index = 3;
    FAILS(LITZ_ERROR_DEVICE, "3", litz_executable_run(e, inputs, 1, &made, 1, &ro, &err));
    memset(&info, 0, sizeof info);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "struct_size", litz_executable_info(e, LITZ_INFO_INPUT, 0, &info, &err));
    info.struct_size = sizeof info;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "no input 1", litz_executable_info(e, LITZ_INFO_INPUT, 1, &info, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "what", litz_executable_info(e, 9, 0, &info, &err));
    OK(litz_executable_info(e, LITZ_INFO_INPUT, 0, &info, &err));
    CHECK(strcmp(info.name, "x") == 0 && info.ndim == 2 && info.min_shape[0] == 0 && info.max_shape[0] == 64);
    CHECK(info.min_shape[1] == 3 && info.max_shape[1] == 3);
}

static void constants(litz_executable *e, const char *folder) {
    float x[3] = {1, 1, 1}, bias[2] = {10, 20};
    int64_t shape[2] = {1, 3}, bias_shape[1] = {2};
    DLTensor input = float_tensor(x, 2, shape), tensor = float_tensor(bias, 1, bias_shape);
    const DLTensor *inputs[1], *data[2];
    const char *names[2] = {"l.bias", "nobody"};
    struct DLManagedTensorVersioned *made = NULL;
    litz_executable *other = NULL;
    char path[4096];
    inputs[0] = &input;
    data[0] = data[1] = &tensor;
    CHECK(litz_executable_num_constants(e) == 2);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "nobody", litz_executable_constant(e, "nobody", &made, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "nobody", litz_executable_update_constants(e, names, data, 2, &err));
    OK(litz_executable_constant(e, "l.bias", &made, &err));
    CHECK(((float *)made->dl_tensor.data)[0] == check_bias[0]); /* all or nothing */
    made->deleter(made);
    snprintf(path, sizeof path, "%s/constants.safetensors", folder);
    OK(litz_executable_save_constants(e, path, &err));
    OK(litz_executable_update_constants(e, names, data, 1, &err));
    OK(litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    CHECK(((float *)made->dl_tensor.data)[0] == 16 && ((float *)made->dl_tensor.data)[1] == 14);
    OK(litz_executable_clone(e, &other, &err));
    OK(litz_executable_load_constants(e, path, &err));
    made->deleter(made);
    OK(litz_executable_constant(e, "l.bias", &made, &err));
    CHECK(((float *)made->dl_tensor.data)[1] == check_bias[1]);
    made->deleter(made);
    litz_executable_release(other);
    FAILS(LITZ_ERROR_IO, "nowhere", litz_executable_load_constants(e, "/nowhere/at.all", &err));
    FAILS(LITZ_ERROR_IO, "nowhere", litz_executable_save_constants(e, "/nowhere/at.all", &err));
}

int main(int argc, char **argv) {
    litz_options *o = NULL;
    litz_graph *g = linear_relu();
    litz_executable *e = NULL, *same;
    litz_string *json = NULL;
    struct DLManagedTensorVersioned *made = NULL;
    float x[3] = {1, 2, 3};
    int64_t shape[2] = {1, 3};
    DLTensor input = float_tensor(x, 2, shape);
    const DLTensor *inputs[1];
    CHECK(argc == 3);
    inputs[0] = &input;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", argv[1], &err));
    OK(litz_compile(g, o, &e, &err));
    litz_graph_release(g);
    litz_options_release(o);
    CHECK(litz_executable_num_inputs(e) == 1 && litz_executable_num_outputs(e) == 1);
    OK(litz_executable_describe(e, &json, &err));
    CHECK(strstr(litz_string_data(json), argv[1]) != NULL);
    litz_string_release(json);
    runs(e);
    wrong_runs(e);
    runs(e);
    constants(e, argv[2]);
    OK(litz_executable_synchronize(e, &err));
    same = litz_executable_retain(e);
    CHECK(same == e);
    litz_executable_release(e);
    OK(litz_executable_run(same, inputs, 1, &made, 1, NULL, &err));
    litz_executable_release(same);
    CHECK(linear_relu_is(x, (float *)made->dl_tensor.data, 1)); /* an output outlives its executable */
    made->deleter(made);
    printf("run on %s: all right\n", argv[1]);
    return 0;
}
