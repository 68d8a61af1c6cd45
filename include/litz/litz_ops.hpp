// Every operator as a C++17 function: `aten.add.Tensor` is litz::aten::add, in-place forms are litz::aten::add_.
// Generated from the operator table in src/ops; see docs/add-an-operator.md.
//
//   litz::Value y = litz::aten::softmax(litz::aten::linear(x, w), -1);
//   auto [values, indices] = litz::aten::topk(y, 3);
//
// A function takes the operator's arguments in the order of the schema that its comment states, and what may be left out
// has its default. Overloads of an operator are overloads of the function; one that could not be told from another has
// its overload's name behind its own. The graph is that of the tensors; functions without one take it first. Failures
// throw litz::Error and leave the graph as it was.
//
//   Tensor, Tensor?    Value; an empty one is None
//   int, SymInt        Size: a number or a symbol          float, bool     double; Flag: true or false, and no number
//   Scalar             Scalar: a number or a symbol        str             std::string
//                      (Number where an overload takes a Flag)
//   int[]              IntList: {2, n}, vectors            int[2]          IntList<true>: one number for all, too
//   T?                 std::optional<T>                    several results std::array, or std::vector where their
//                                                                          number depends on the arguments
#ifndef LITZ_OPS_HPP
#define LITZ_OPS_HPP

#include "litz.hpp"

namespace litz {

namespace aten {

/// aten.__and__.Scalar(Tensor self, Scalar other) -> Tensor
inline Value __and__(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.__and__.Scalar", {self, other});
}

/// aten.__and__.Tensor(Tensor self, Tensor other) -> Tensor
inline Value __and__(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.__and__.Tensor", {self, other});
}

/// aten.__lshift__.Scalar(Tensor self, Scalar other) -> Tensor
inline Value __lshift__(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.__lshift__.Scalar", {self, other});
}

/// aten.__lshift__.Tensor(Tensor self, Tensor other) -> Tensor
inline Value __lshift__(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.__lshift__.Tensor", {self, other});
}

/// aten.__or__.Scalar(Tensor self, Scalar other) -> Tensor
inline Value __or__(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.__or__.Scalar", {self, other});
}

/// aten.__or__.Tensor(Tensor self, Tensor other) -> Tensor
inline Value __or__(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.__or__.Tensor", {self, other});
}

/// aten.__rshift__.Scalar(Tensor self, Scalar other) -> Tensor
inline Value __rshift__(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.__rshift__.Scalar", {self, other});
}

/// aten.__rshift__.Tensor(Tensor self, Tensor other) -> Tensor
inline Value __rshift__(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.__rshift__.Tensor", {self, other});
}

/// aten.__xor__.Scalar(Tensor self, Scalar other) -> Tensor
inline Value __xor__(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.__xor__.Scalar", {self, other});
}

/// aten.__xor__.Tensor(Tensor self, Tensor other) -> Tensor
inline Value __xor__(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.__xor__.Tensor", {self, other});
}

/// aten._adaptive_avg_pool2d.default(Tensor self, SymInt[2] output_size) -> Tensor
inline Value _adaptive_avg_pool2d(const Value &self, const IntList<true> &output_size) {
    return litz::call(detail::graph_of(self), "aten._adaptive_avg_pool2d.default", {self, output_size});
}

/// aten._adaptive_avg_pool2d_backward.default(Tensor grad_output, Tensor self) -> Tensor
inline Value _adaptive_avg_pool2d_backward(const Value &grad_output, const Value &self) {
    return litz::call(detail::graph_of(grad_output, self), "aten._adaptive_avg_pool2d_backward.default", {grad_output,
                                        self});
}

/// aten._adaptive_avg_pool3d.default(Tensor self, SymInt[3] output_size) -> Tensor
inline Value _adaptive_avg_pool3d(const Value &self, const IntList<true> &output_size) {
    return litz::call(detail::graph_of(self), "aten._adaptive_avg_pool3d.default", {self, output_size});
}

/// aten._adaptive_avg_pool3d_backward.default(Tensor grad_output, Tensor self) -> Tensor
inline Value _adaptive_avg_pool3d_backward(const Value &grad_output, const Value &self) {
    return litz::call(detail::graph_of(grad_output, self), "aten._adaptive_avg_pool3d_backward.default", {grad_output,
                                        self});
}

/// aten._addmm_activation.default(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool use_gelu=False) -> Tensor
inline Value _addmm_activation(const Value &self, const Value &mat1, const Value &mat2, Scalar beta = 1,
                               Scalar alpha = 1, Flag use_gelu = false) {
    return litz::call(detail::graph_of(self, mat1, mat2), "aten._addmm_activation.default", {self, mat1, mat2, beta,
                                        alpha, use_gelu});
}

/// aten._assert_async.default(Tensor self) -> ()
inline void _assert_async(const Value &self) {
    litz::call_all(detail::graph_of(self), "aten._assert_async.default", {self});
}

/// aten._assert_async.msg(Tensor self, str assert_msg) -> ()
inline void _assert_async(const Value &self, const std::string &assert_msg) {
    litz::call_all(detail::graph_of(self), "aten._assert_async.msg", {self, assert_msg});
}

/// aten._assert_scalar.default(Scalar self, str assert_msg) -> ()
inline void _assert_scalar(Graph &graph, Scalar self, const std::string &assert_msg) {
    litz::call_all(graph.get(), "aten._assert_scalar.default", {self, assert_msg});
}

/// aten._assert_tensor_metadata.default(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()
inline void _assert_tensor_metadata(const Value &a, const IntList<false, true> &size = std::nullopt,
                                    const IntList<false, true> &stride = std::nullopt,
                                    std::optional<Dtype> dtype = std::nullopt,
                                    std::optional<DLDevice> device = std::nullopt,
                                    std::optional<Layout> layout = std::nullopt) {
    litz::call_all(detail::graph_of(a), "aten._assert_tensor_metadata.default", {a, size, stride, dtype, device,
                                        layout});
}

/// aten._batch_norm_with_update.default(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)
inline std::array<Value, 4> _batch_norm_with_update(const Value &input, const Value &weight, const Value &bias,
                                        const Value &running_mean, const Value &running_var, double momentum,
                                        double eps) {
    return detail::fixed<4>(detail::graph_of(input, weight, bias, running_mean, running_var), "aten._batch_norm_with_update.default", {input,
                                        detail::optional(weight), detail::optional(bias), running_mean, running_var,
                                        momentum, eps});
}

/// aten._batch_norm_with_update_functional.default(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)
inline std::array<Value, 6> _batch_norm_with_update_functional(const Value &input, const Value &weight,
                                        const Value &bias, const Value &running_mean, const Value &running_var,
                                        double momentum, double eps) {
    return detail::fixed<6>(detail::graph_of(input, weight, bias, running_mean, running_var), "aten._batch_norm_with_update_functional.default", {input,
                                        detail::optional(weight), detail::optional(bias), running_mean, running_var,
                                        momentum, eps});
}

/// aten._cdist_forward.default(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor
inline Value _cdist_forward(const Value &x1, const Value &x2, double p,
                            std::optional<Size> compute_mode = std::nullopt) {
    return litz::call(detail::graph_of(x1, x2), "aten._cdist_forward.default", {x1, x2, p, compute_mode});
}

/// aten._chunk_cat.default(Tensor[] tensors, int dim, int num_chunks) -> Tensor
inline Value _chunk_cat(const std::vector<Value> &tensors, Size dim, Size num_chunks) {
    return litz::call(detail::graph_of(tensors), "aten._chunk_cat.default", {tensors, dim, num_chunks});
}

/// aten._conj.default(Tensor self) -> Tensor
inline Value _conj(const Value &self) {
    return litz::call(detail::graph_of(self), "aten._conj.default", {self});
}

/// aten._conj_copy.default(Tensor self) -> Tensor
inline Value _conj_copy(const Value &self) {
    return litz::call(detail::graph_of(self), "aten._conj_copy.default", {self});
}

/// aten._conj_physical.default(Tensor self) -> Tensor
inline Value _conj_physical(const Value &self) {
    return litz::call(detail::graph_of(self), "aten._conj_physical.default", {self});
}

/// aten._convert_weight_to_int4pack.default(Tensor self, int innerKTiles) -> Tensor
inline Value _convert_weight_to_int4pack(const Value &self, Size innerKTiles) {
    return litz::call(detail::graph_of(self), "aten._convert_weight_to_int4pack.default", {self, innerKTiles});
}

/// aten._convert_weight_to_int4pack_for_cpu.default(Tensor self, int innerKTiles, *, str? layout=None) -> Tensor
inline Value _convert_weight_to_int4pack_for_cpu(const Value &self, Size innerKTiles,
                                        const std::optional<std::string> &layout = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten._convert_weight_to_int4pack_for_cpu.default", {self,
                                        innerKTiles, layout});
}

/// aten._convolution.default(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor
inline Value _convolution(const Value &input, const Value &weight, const Value &bias, const IntList<> &stride,
                          const IntList<> &padding, const IntList<> &dilation, Flag transposed,
                          const IntList<> &output_padding, Size groups, Flag benchmark, Flag deterministic,
                          Flag cudnn_enabled, Flag allow_tf32) {
    return litz::call(detail::graph_of(input, weight, bias), "aten._convolution.default", {input, weight,
                                        detail::optional(bias), stride, padding, dilation, transposed,
                                        output_padding, groups, benchmark, deterministic, cudnn_enabled, allow_tf32});
}

/// aten._ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)
inline std::array<Value, 2> _ctc_loss(const Value &log_probs, const Value &targets, const Value &input_lengths,
                                      const Value &target_lengths, Size blank = 0, Flag zero_infinity = false) {
    return detail::fixed<2>(detail::graph_of(log_probs, targets, input_lengths, target_lengths), "aten._ctc_loss.Tensor", {log_probs,
                                        targets, input_lengths, target_lengths, blank, zero_infinity});
}

/// aten._embedding_bag.default(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)
inline std::array<Value, 4> _embedding_bag(const Value &weight, const Value &indices, const Value &offsets,
                                        Flag scale_grad_by_freq = false, Size mode = 0, Flag sparse = false,
                                        const Value &per_sample_weights = Value(), Flag include_last_offset = false,
                                        Size padding_idx = -1) {
    return detail::fixed<4>(detail::graph_of(weight, indices, offsets, per_sample_weights), "aten._embedding_bag.default", {weight,
                                        indices, offsets, scale_grad_by_freq, mode, sparse,
                                        detail::optional(per_sample_weights), include_last_offset, padding_idx});
}

/// aten._embedding_bag_forward_only.default(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)
inline std::array<Value, 4> _embedding_bag_forward_only(const Value &weight, const Value &indices,
                                        const Value &offsets, Flag scale_grad_by_freq = false, Size mode = 0,
                                        Flag sparse = false, const Value &per_sample_weights = Value(),
                                        Flag include_last_offset = false, Size padding_idx = -1) {
    return detail::fixed<4>(detail::graph_of(weight, indices, offsets, per_sample_weights), "aten._embedding_bag_forward_only.default", {weight,
                                        indices, offsets, scale_grad_by_freq, mode, sparse,
                                        detail::optional(per_sample_weights), include_last_offset, padding_idx});
}

/// aten._fft_c2c.default(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor
inline Value _fft_c2c(const Value &self, const IntList<> &dim, Size normalization, Flag forward) {
    return litz::call(detail::graph_of(self), "aten._fft_c2c.default", {self, dim, normalization, forward});
}

/// aten._fft_c2r.default(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor
inline Value _fft_c2r(const Value &self, const IntList<> &dim, Size normalization, Size last_dim_size) {
    return litz::call(detail::graph_of(self), "aten._fft_c2r.default", {self, dim, normalization, last_dim_size});
}

/// aten._fft_r2c.default(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor
inline Value _fft_r2c(const Value &self, const IntList<> &dim, Size normalization, Flag onesided) {
    return litz::call(detail::graph_of(self), "aten._fft_r2c.default", {self, dim, normalization, onesided});
}

/// aten._fused_rms_norm.default(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)
inline std::array<Value, 2> _fused_rms_norm(const Value &input, const IntList<> &normalized_shape,
                                        const Value &weight = Value(), std::optional<double> eps = std::nullopt) {
    return detail::fixed<2>(detail::graph_of(input, weight), "aten._fused_rms_norm.default", {input,
                                        normalized_shape, detail::optional(weight), eps});
}

/// aten._fused_rms_norm_backward.default(Tensor grad_out, Tensor input, int[] normalized_shape, Tensor rstd, Tensor? weight, bool[2] output_mask) -> (Tensor, Tensor)
inline std::array<Value, 2> _fused_rms_norm_backward(const Value &grad_out, const Value &input,
                                        const IntList<> &normalized_shape, const Value &rstd, const Value &weight,
                                        const std::vector<bool> &output_mask) {
    return detail::fixed<2>(detail::graph_of(grad_out, input, rstd, weight), "aten._fused_rms_norm_backward.default", {grad_out,
                                        input, normalized_shape, rstd, detail::optional(weight),
                                        detail::bools(output_mask)});
}

/// aten._grouped_mm.default(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None) -> Tensor
inline Value _grouped_mm(const Value &self, const Value &mat2, const Value &offs = Value(),
                         const Value &bias = Value(), std::optional<Dtype> out_dtype = std::nullopt) {
    return litz::call(detail::graph_of(self, mat2, offs, bias), "aten._grouped_mm.default", {self, mat2,
                                        detail::optional(offs), detail::optional(bias), out_dtype});
}

/// aten._histogramdd_bin_edges.default(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor[]
inline std::vector<Value> _histogramdd_bin_edges(const Value &self, const IntList<> &bins,
                                        const std::optional<std::vector<double>> &range = std::nullopt,
                                        const Value &weight = Value(), Flag density = false) {
    return litz::call_all(detail::graph_of(self, weight), "aten._histogramdd_bin_edges.default", {self, bins, range,
                                        detail::optional(weight), density});
}

/// aten._histogramdd_from_bin_cts.default(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor
inline Value _histogramdd_from_bin_cts(const Value &self, const IntList<> &bins,
                                       const std::optional<std::vector<double>> &range = std::nullopt,
                                       const Value &weight = Value(), Flag density = false) {
    return litz::call(detail::graph_of(self, weight), "aten._histogramdd_from_bin_cts.default", {self, bins, range,
                                        detail::optional(weight), density});
}

/// aten._histogramdd_from_bin_tensors.default(Tensor self, Tensor[] bins, *, Tensor? weight=None, bool density=False) -> Tensor
inline Value _histogramdd_from_bin_tensors(const Value &self, const std::vector<Value> &bins,
                                        const Value &weight = Value(), Flag density = false) {
    return litz::call(detail::graph_of(self, bins, weight), "aten._histogramdd_from_bin_tensors.default", {self,
                                        bins, detail::optional(weight), density});
}

/// aten._int_mm.default(Tensor self, Tensor mat2) -> Tensor
inline Value _int_mm(const Value &self, const Value &mat2) {
    return litz::call(detail::graph_of(self, mat2), "aten._int_mm.default", {self, mat2});
}

/// aten._jagged_to_padded_dense_forward.default(Tensor values, Tensor[] offsets, SymInt[] max_lengths, float padding_value=0.) -> Tensor
inline Value _jagged_to_padded_dense_forward(const Value &values, const std::vector<Value> &offsets,
                                        const IntList<> &max_lengths, double padding_value = 0.0) {
    return litz::call(detail::graph_of(values, offsets), "aten._jagged_to_padded_dense_forward.default", {values,
                                        offsets, max_lengths, padding_value});
}

/// aten._linalg_check_errors.default(Tensor info, str api_name, *, bool is_matrix) -> ()
inline void _linalg_check_errors(const Value &info, const std::string &api_name, Flag is_matrix) {
    litz::call_all(detail::graph_of(info), "aten._linalg_check_errors.default", {info, api_name, is_matrix});
}

/// aten._linalg_det.default(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)
inline std::array<Value, 3> _linalg_det(const Value &A) {
    return detail::fixed<3>(detail::graph_of(A), "aten._linalg_det.default", {A});
}

/// aten._linalg_eigh.default(Tensor A, str UPLO='L', bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)
inline std::array<Value, 2> _linalg_eigh(const Value &A, const std::string &UPLO = "L", Flag compute_v = true) {
    return detail::fixed<2>(detail::graph_of(A), "aten._linalg_eigh.default", {A, UPLO, compute_v});
}

/// aten._linalg_eigvals.default(Tensor self) -> Tensor
inline Value _linalg_eigvals(const Value &self) {
    return litz::call(detail::graph_of(self), "aten._linalg_eigvals.default", {self});
}

/// aten._linalg_slogdet.default(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)
inline std::array<Value, 4> _linalg_slogdet(const Value &A) {
    return detail::fixed<4>(detail::graph_of(A), "aten._linalg_slogdet.default", {A});
}

/// aten._linalg_solve_ex.default(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor info)
inline std::array<Value, 4> _linalg_solve_ex(const Value &A, const Value &B, Flag left = true,
                                        Flag check_errors = false) {
    return detail::fixed<4>(detail::graph_of(A, B), "aten._linalg_solve_ex.default", {A, B, left, check_errors});
}

/// aten._linalg_svd.default(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)
inline std::array<Value, 3> _linalg_svd(const Value &A, Flag full_matrices = false, Flag compute_uv = true,
                                        const std::optional<std::string> &driver = std::nullopt) {
    return detail::fixed<3>(detail::graph_of(A), "aten._linalg_svd.default", {A, full_matrices, compute_uv, driver});
}

/// aten._log_softmax.default(Tensor self, int dim, bool half_to_float) -> Tensor
inline Value _log_softmax(const Value &self, Size dim, Flag half_to_float) {
    return litz::call(detail::graph_of(self), "aten._log_softmax.default", {self, dim, half_to_float});
}

/// aten._log_softmax_backward_data.default(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor
inline Value _log_softmax_backward_data(const Value &grad_output, const Value &output, Size dim, Dtype input_dtype) {
    return litz::call(detail::graph_of(grad_output, output), "aten._log_softmax_backward_data.default", {grad_output,
                                        output, dim, input_dtype});
}

/// aten._lu_with_info.default(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, Tensor info)
inline std::array<Value, 3> _lu_with_info(const Value &self, Flag pivot = true, Flag check_errors = true) {
    return detail::fixed<3>(detail::graph_of(self), "aten._lu_with_info.default", {self, pivot, check_errors});
}

/// aten._native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> _native_batch_norm_legit(const Value &input, const Value &weight, const Value &bias,
                                        Flag training, double momentum, double eps) {
    return detail::fixed<3>(detail::graph_of(input, weight, bias), "aten._native_batch_norm_legit.no_stats", {input,
                                        detail::optional(weight), detail::optional(bias), training, momentum, eps});
}

/// aten._native_batch_norm_legit.default(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> _native_batch_norm_legit(const Value &input, const Value &weight, const Value &bias,
                                        const Value &running_mean, const Value &running_var, Flag training,
                                        double momentum, double eps) {
    return detail::fixed<3>(detail::graph_of(input, weight, bias, running_mean, running_var), "aten._native_batch_norm_legit.default", {input,
                                        detail::optional(weight), detail::optional(bias), running_mean, running_var,
                                        training, momentum, eps});
}

/// aten._native_batch_norm_legit_functional.default(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)
inline std::array<Value, 5> _native_batch_norm_legit_functional(const Value &input, const Value &weight,
                                        const Value &bias, const Value &running_mean, const Value &running_var,
                                        Flag training, double momentum, double eps) {
    return detail::fixed<5>(detail::graph_of(input, weight, bias, running_mean, running_var), "aten._native_batch_norm_legit_functional.default", {input,
                                        detail::optional(weight), detail::optional(bias), running_mean, running_var,
                                        training, momentum, eps});
}

/// aten._native_batch_norm_legit_no_training.default(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> _native_batch_norm_legit_no_training(const Value &input, const Value &weight,
                                        const Value &bias, const Value &running_mean, const Value &running_var,
                                        double momentum, double eps) {
    return detail::fixed<3>(detail::graph_of(input, weight, bias, running_mean, running_var), "aten._native_batch_norm_legit_no_training.default", {input,
                                        detail::optional(weight), detail::optional(bias), running_mean, running_var,
                                        momentum, eps});
}

/// aten._native_multi_head_attention.default(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, bool need_weights=True, bool average_attn_weights=True, int? mask_type=None) -> (Tensor, Tensor)
inline std::array<Value, 2> _native_multi_head_attention(const Value &query, const Value &key, const Value &value,
                                        Size embed_dim, Size num_head, const Value &qkv_weight,
                                        const Value &qkv_bias, const Value &proj_weight, const Value &proj_bias,
                                        const Value &mask = Value(), Flag need_weights = true,
                                        Flag average_attn_weights = true,
                                        std::optional<Size> mask_type = std::nullopt) {
    return detail::fixed<2>(detail::graph_of(query, key, value, qkv_weight, qkv_bias, proj_weight, proj_bias, mask), "aten._native_multi_head_attention.default", {query,
                                        key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight,
                                        proj_bias, detail::optional(mask), need_weights, average_attn_weights,
                                        mask_type});
}

/// aten._neg_view.default(Tensor self) -> Tensor
inline Value _neg_view(const Value &self) {
    return litz::call(detail::graph_of(self), "aten._neg_view.default", {self});
}

/// aten._neg_view_copy.default(Tensor self) -> Tensor
inline Value _neg_view_copy(const Value &self) {
    return litz::call(detail::graph_of(self), "aten._neg_view_copy.default", {self});
}

/// aten._padded_dense_to_jagged_forward.default(Tensor dense, Tensor[] offsets, SymInt? total_L=None) -> Tensor
inline Value _padded_dense_to_jagged_forward(const Value &dense, const std::vector<Value> &offsets,
                                        std::optional<Size> total_L = std::nullopt) {
    return litz::call(detail::graph_of(dense, offsets), "aten._padded_dense_to_jagged_forward.default", {dense,
                                        offsets, total_L});
}

/// aten._pdist_forward.default(Tensor self, float p=2.) -> Tensor
inline Value _pdist_forward(const Value &self, double p = 2.0) {
    return litz::call(detail::graph_of(self), "aten._pdist_forward.default", {self, p});
}

/// aten._prelu_kernel.default(Tensor self, Tensor weight) -> Tensor
inline Value _prelu_kernel(const Value &self, const Value &weight) {
    return litz::call(detail::graph_of(self, weight), "aten._prelu_kernel.default", {self, weight});
}

/// aten._prelu_kernel_backward.default(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)
inline std::array<Value, 2> _prelu_kernel_backward(const Value &grad_output, const Value &self, const Value &weight) {
    return detail::fixed<2>(detail::graph_of(grad_output, self, weight), "aten._prelu_kernel_backward.default", {grad_output,
                                        self, weight});
}

/// aten._print.default(str s) -> ()
inline void _print(Graph &graph, const std::string &s) {
    litz::call_all(graph.get(), "aten._print.default", {s});
}

/// aten._reshape_copy.default(Tensor self, SymInt[] size) -> Tensor
inline Value _reshape_copy(const Value &self, const IntList<> &size) {
    return litz::call(detail::graph_of(self), "aten._reshape_copy.default", {self, size});
}

/// aten._safe_softmax.default(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
inline Value _safe_softmax(const Value &self, Size dim, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten._safe_softmax.default", {self, dim, dtype});
}

/// aten._scaled_dot_product_efficient_attention.default(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0.0, bool is_causal=False, *, float? scale=None) -> (Tensor output, Tensor log_sumexp, Tensor philox_seed, Tensor philox_offset)
inline std::array<Value, 4> _scaled_dot_product_efficient_attention(const Value &query, const Value &key,
                                        const Value &value, const Value &attn_bias, Flag compute_log_sumexp,
                                        double dropout_p = 0.0, Flag is_causal = false,
                                        std::optional<double> scale = std::nullopt) {
    return detail::fixed<4>(detail::graph_of(query, key, value, attn_bias), "aten._scaled_dot_product_efficient_attention.default", {query,
                                        key, value, detail::optional(attn_bias), compute_log_sumexp, dropout_p,
                                        is_causal, scale});
}

/// aten._scaled_dot_product_efficient_attention_backward.default(Tensor grad_out_, Tensor query, Tensor key, Tensor value, Tensor? attn_bias, Tensor out, Tensor logsumexp, Tensor philox_seed, Tensor philox_offset, float dropout_p, bool[4] grad_input_mask, bool is_causal=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, Tensor)
inline std::array<Value, 4> _scaled_dot_product_efficient_attention_backward(const Value &grad_out_,
                                        const Value &query, const Value &key, const Value &value,
                                        const Value &attn_bias, const Value &out, const Value &logsumexp,
                                        const Value &philox_seed, const Value &philox_offset, double dropout_p,
                                        const std::vector<bool> &grad_input_mask, Flag is_causal = false,
                                        std::optional<double> scale = std::nullopt) {
    return detail::fixed<4>(detail::graph_of(grad_out_, query, key, value, attn_bias, out, logsumexp, philox_seed, philox_offset), "aten._scaled_dot_product_efficient_attention_backward.default", {grad_out_,
                                        query, key, value, detail::optional(attn_bias), out, logsumexp, philox_seed,
                                        philox_offset, dropout_p, detail::bools(grad_input_mask), is_causal, scale});
}

/// aten._scaled_dot_product_flash_attention_for_cpu.default(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)
inline std::array<Value, 2> _scaled_dot_product_flash_attention_for_cpu(const Value &query, const Value &key,
                                        const Value &value, double dropout_p = 0.0, Flag is_causal = false,
                                        const Value &attn_mask = Value(),
                                        std::optional<double> scale = std::nullopt) {
    return detail::fixed<2>(detail::graph_of(query, key, value, attn_mask), "aten._scaled_dot_product_flash_attention_for_cpu.default", {query,
                                        key, value, dropout_p, is_causal, detail::optional(attn_mask), scale});
}

/// aten._scaled_dot_product_flash_attention_for_cpu_backward.default(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)
inline std::array<Value, 3> _scaled_dot_product_flash_attention_for_cpu_backward(const Value &grad_out,
                                        const Value &query, const Value &key, const Value &value, const Value &out,
                                        const Value &logsumexp, double dropout_p, Flag is_causal,
                                        const Value &attn_mask = Value(),
                                        std::optional<double> scale = std::nullopt) {
    return detail::fixed<3>(detail::graph_of(grad_out, query, key, value, out, logsumexp, attn_mask), "aten._scaled_dot_product_flash_attention_for_cpu_backward.default", {grad_out,
                                        query, key, value, out, logsumexp, dropout_p, is_causal,
                                        detail::optional(attn_mask), scale});
}

/// aten._scaled_mm.default(Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, Tensor? bias=None, Tensor? scale_result=None, ScalarType? out_dtype=None, bool use_fast_accum=False) -> Tensor
inline Value _scaled_mm(const Value &self, const Value &mat2, const Value &scale_a, const Value &scale_b,
                        const Value &bias = Value(), const Value &scale_result = Value(),
                        std::optional<Dtype> out_dtype = std::nullopt, Flag use_fast_accum = false) {
    return litz::call(detail::graph_of(self, mat2, scale_a, scale_b, bias, scale_result), "aten._scaled_mm.default", {self,
                                        mat2, scale_a, scale_b, detail::optional(bias),
                                        detail::optional(scale_result), out_dtype, use_fast_accum});
}

/// aten._scaled_mm_v2.default(Tensor self, Tensor mat2, Tensor[] scale_a, int[] recipe_a, int[] swizzle_a, Tensor[] scale_b, int[] recipe_b, int[] swizzle_b, Tensor? bias, ScalarType? out_dtype, int[] contraction_dim=[], bool use_fast_accum=False) -> Tensor
inline Value _scaled_mm_v2(const Value &self, const Value &mat2, const std::vector<Value> &scale_a,
                           const IntList<> &recipe_a, const IntList<> &swizzle_a, const std::vector<Value> &scale_b,
                           const IntList<> &recipe_b, const IntList<> &swizzle_b, const Value &bias = Value(),
                           std::optional<Dtype> out_dtype = std::nullopt, const IntList<> &contraction_dim = {},
                           Flag use_fast_accum = false) {
    return litz::call(detail::graph_of(self, mat2, scale_a, scale_b, bias), "aten._scaled_mm_v2.default", {self,
                                        mat2, scale_a, recipe_a, swizzle_a, scale_b, recipe_b, swizzle_b,
                                        detail::optional(bias), out_dtype, contraction_dim, use_fast_accum});
}

/// aten._segment_reduce_backward.default(Tensor grad, Tensor output, Tensor data, str reduce, *, Tensor? lengths=None, Tensor? offsets=None, int axis=0, Scalar? initial=None) -> Tensor
inline Value _segment_reduce_backward(const Value &grad, const Value &output, const Value &data,
                                      const std::string &reduce, const Value &lengths = Value(),
                                      const Value &offsets = Value(), Size axis = 0,
                                      std::optional<Scalar> initial = std::nullopt) {
    return litz::call(detail::graph_of(grad, output, data, lengths, offsets), "aten._segment_reduce_backward.default", {grad,
                                        output, data, reduce, detail::optional(lengths), detail::optional(offsets),
                                        axis, initial});
}

/// aten._softmax.default(Tensor self, int dim, bool half_to_float) -> Tensor
inline Value _softmax(const Value &self, Size dim, Flag half_to_float) {
    return litz::call(detail::graph_of(self), "aten._softmax.default", {self, dim, half_to_float});
}

/// aten._softmax_backward_data.default(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor
inline Value _softmax_backward_data(const Value &grad_output, const Value &output, Size dim, Dtype input_dtype) {
    return litz::call(detail::graph_of(grad_output, output), "aten._softmax_backward_data.default", {grad_output,
                                        output, dim, input_dtype});
}

/// aten._to_copy.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor
inline Value _to_copy(const Value &self, std::optional<Dtype> dtype = std::nullopt,
                      std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                      std::optional<Flag> pin_memory = std::nullopt, Flag non_blocking = false,
                      std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten._to_copy.default", {self, dtype, layout, device, pin_memory,
                                        non_blocking, memory_format});
}

/// aten._transformer_encoder_layer_fwd.default(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None, int? mask_type=None) -> Tensor
inline Value _transformer_encoder_layer_fwd(const Value &src, Size embed_dim, Size num_heads,
                                        const Value &qkv_weight, const Value &qkv_bias, const Value &proj_weight,
                                        const Value &proj_bias, Flag use_gelu, Flag norm_first, double eps,
                                        const Value &norm_weight_1, const Value &norm_bias_1,
                                        const Value &norm_weight_2, const Value &norm_bias_2,
                                        const Value &ffn_weight_1, const Value &ffn_bias_1,
                                        const Value &ffn_weight_2, const Value &ffn_bias_2,
                                        const Value &mask = Value(), std::optional<Size> mask_type = std::nullopt) {
    return litz::call(detail::graph_of(src, qkv_weight, qkv_bias, proj_weight, proj_bias, norm_weight_1, norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2, mask), "aten._transformer_encoder_layer_fwd.default", {src,
                                        embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias,
                                        use_gelu, norm_first, eps, norm_weight_1, norm_bias_1, norm_weight_2,
                                        norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2,
                                        detail::optional(mask), mask_type});
}

/// aten._trilinear.default(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, int unroll_dim=1) -> Tensor
inline Value _trilinear(const Value &i1, const Value &i2, const Value &i3, const IntList<> &expand1,
                        const IntList<> &expand2, const IntList<> &expand3, const IntList<> &sumdim,
                        Size unroll_dim = 1) {
    return litz::call(detail::graph_of(i1, i2, i3), "aten._trilinear.default", {i1, i2, i3, expand1, expand2,
                                        expand3, sumdim, unroll_dim});
}

/// aten._unique2.default(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> _unique2(const Value &self, Flag sorted = true, Flag return_inverse = false,
                                     Flag return_counts = false) {
    return detail::fixed<3>(detail::graph_of(self), "aten._unique2.default", {self, sorted, return_inverse,
                                        return_counts});
}

/// aten._unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor
inline Value _unsafe_index(const Value &self, const std::vector<Value> &indices) {
    return litz::call(detail::graph_of(self, indices), "aten._unsafe_index.Tensor", {self, indices});
}

/// aten._unsafe_index_put.default(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor
inline Value _unsafe_index_put(const Value &self, const std::vector<Value> &indices, const Value &values,
                               Flag accumulate = false) {
    return litz::call(detail::graph_of(self, indices, values), "aten._unsafe_index_put.default", {self, indices,
                                        values, accumulate});
}

/// aten._unsafe_masked_index.default(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor
inline Value _unsafe_masked_index(const Value &self, const Value &mask, const std::vector<Value> &indices,
                                  Scalar fill) {
    return litz::call(detail::graph_of(self, mask, indices), "aten._unsafe_masked_index.default", {self, mask,
                                        indices, fill});
}

/// aten._unsafe_masked_index_put_accumulate.default(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor
inline Value _unsafe_masked_index_put_accumulate(const Value &self, const Value &mask,
                                        const std::vector<Value> &indices, const Value &values) {
    return litz::call(detail::graph_of(self, mask, indices, values), "aten._unsafe_masked_index_put_accumulate.default", {self,
                                        mask, indices, values});
}

/// aten._unsafe_view.default(Tensor self, SymInt[] size) -> Tensor
inline Value _unsafe_view(const Value &self, const IntList<> &size) {
    return litz::call(detail::graph_of(self), "aten._unsafe_view.default", {self, size});
}

/// aten._upsample_bicubic2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor
inline Value _upsample_bicubic2d_aa(const Value &input, const IntList<false, true> &output_size, Flag align_corners,
                                    const std::optional<std::vector<double>> &scale_factors = std::nullopt) {
    return litz::call(detail::graph_of(input), "aten._upsample_bicubic2d_aa.vec", {input, output_size,
                                        align_corners, scale_factors});
}

/// aten._upsample_bicubic2d_aa.default(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value _upsample_bicubic2d_aa(const Value &self, const IntList<true> &output_size, Flag align_corners,
                                    std::optional<double> scales_h, std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten._upsample_bicubic2d_aa.default", {self, output_size,
                                        align_corners, scales_h, scales_w});
}

/// aten._upsample_bicubic2d_aa_backward.default(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value _upsample_bicubic2d_aa_backward(const Value &grad_output, const IntList<true> &output_size,
                                        const IntList<true> &input_size, Flag align_corners,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(grad_output), "aten._upsample_bicubic2d_aa_backward.default", {grad_output,
                                        output_size, input_size, align_corners, scales_h, scales_w});
}

/// aten._upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor
inline Value _upsample_bilinear2d_aa(const Value &input, const IntList<false, true> &output_size,
                                     Flag align_corners,
                                     const std::optional<std::vector<double>> &scale_factors = std::nullopt) {
    return litz::call(detail::graph_of(input), "aten._upsample_bilinear2d_aa.vec", {input, output_size,
                                        align_corners, scale_factors});
}

/// aten._upsample_bilinear2d_aa.default(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value _upsample_bilinear2d_aa(const Value &self, const IntList<true> &output_size, Flag align_corners,
                                     std::optional<double> scales_h, std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten._upsample_bilinear2d_aa.default", {self, output_size,
                                        align_corners, scales_h, scales_w});
}

/// aten._upsample_bilinear2d_aa_backward.default(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value _upsample_bilinear2d_aa_backward(const Value &grad_output, const IntList<true> &output_size,
                                        const IntList<true> &input_size, Flag align_corners,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(grad_output), "aten._upsample_bilinear2d_aa_backward.default", {grad_output,
                                        output_size, input_size, align_corners, scales_h, scales_w});
}

/// aten._upsample_nearest_exact1d.default(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor
inline Value _upsample_nearest_exact1d(const Value &self, const IntList<true> &output_size,
                                       std::optional<double> scales = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten._upsample_nearest_exact1d.default", {self, output_size, scales});
}

/// aten._upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor
inline Value _upsample_nearest_exact1d(const Value &input, const IntList<false, true> &output_size,
                                       const std::optional<std::vector<double>> &scale_factors) {
    return litz::call(detail::graph_of(input), "aten._upsample_nearest_exact1d.vec", {input, output_size,
                                        scale_factors});
}

/// aten._upsample_nearest_exact1d_backward.default(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, float? scales=None) -> Tensor
inline Value _upsample_nearest_exact1d_backward(const Value &grad_output, const IntList<true> &output_size,
                                        const IntList<true> &input_size,
                                        std::optional<double> scales = std::nullopt) {
    return litz::call(detail::graph_of(grad_output), "aten._upsample_nearest_exact1d_backward.default", {grad_output,
                                        output_size, input_size, scales});
}

/// aten._upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor
inline Value _upsample_nearest_exact2d(const Value &input, const IntList<false, true> &output_size = std::nullopt,
                                       const std::optional<std::vector<double>> &scale_factors = std::nullopt) {
    return litz::call(detail::graph_of(input), "aten._upsample_nearest_exact2d.vec", {input, output_size,
                                        scale_factors});
}

/// aten._upsample_nearest_exact2d.default(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value _upsample_nearest_exact2d(const Value &self, const IntList<true> &output_size,
                                       std::optional<double> scales_h,
                                       std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten._upsample_nearest_exact2d.default", {self, output_size,
                                        scales_h, scales_w});
}

/// aten._upsample_nearest_exact2d_backward.default(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value _upsample_nearest_exact2d_backward(const Value &grad_output, const IntList<true> &output_size,
                                        const IntList<true> &input_size,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(grad_output), "aten._upsample_nearest_exact2d_backward.default", {grad_output,
                                        output_size, input_size, scales_h, scales_w});
}

/// aten._upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor
inline Value _upsample_nearest_exact3d(const Value &input, const IntList<false, true> &output_size = std::nullopt,
                                       const std::optional<std::vector<double>> &scale_factors = std::nullopt) {
    return litz::call(detail::graph_of(input), "aten._upsample_nearest_exact3d.vec", {input, output_size,
                                        scale_factors});
}

/// aten._upsample_nearest_exact3d.default(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value _upsample_nearest_exact3d(const Value &self, const IntList<true> &output_size,
                                       std::optional<double> scales_d,
                                       std::optional<double> scales_h = std::nullopt,
                                       std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten._upsample_nearest_exact3d.default", {self, output_size,
                                        scales_d, scales_h, scales_w});
}

/// aten._upsample_nearest_exact3d_backward.default(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value _upsample_nearest_exact3d_backward(const Value &grad_output, const IntList<true> &output_size,
                                        const IntList<true> &input_size,
                                        std::optional<double> scales_d = std::nullopt,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(grad_output), "aten._upsample_nearest_exact3d_backward.default", {grad_output,
                                        output_size, input_size, scales_d, scales_h, scales_w});
}

/// aten._weight_int4pack_mm.default(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros) -> Tensor
inline Value _weight_int4pack_mm(const Value &self, const Value &mat2, Size qGroupSize, const Value &qScaleAndZeros) {
    return litz::call(detail::graph_of(self, mat2, qScaleAndZeros), "aten._weight_int4pack_mm.default", {self, mat2,
                                        qGroupSize, qScaleAndZeros});
}

/// aten._weight_int4pack_mm_for_cpu.default(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros, *, str? layout=None) -> Tensor
inline Value _weight_int4pack_mm_for_cpu(const Value &self, const Value &mat2, Size qGroupSize,
                                        const Value &qScaleAndZeros,
                                        const std::optional<std::string> &layout = std::nullopt) {
    return litz::call(detail::graph_of(self, mat2, qScaleAndZeros), "aten._weight_int4pack_mm_for_cpu.default", {self,
                                        mat2, qGroupSize, qScaleAndZeros, layout});
}

/// aten._weight_int4pack_mm_with_scales_and_zeros.default(Tensor self, Tensor mat2, int qGroupSize, Tensor qScale, Tensor qZeros) -> Tensor
inline Value _weight_int4pack_mm_with_scales_and_zeros(const Value &self, const Value &mat2, Size qGroupSize,
                                        const Value &qScale, const Value &qZeros) {
    return litz::call(detail::graph_of(self, mat2, qScale, qZeros), "aten._weight_int4pack_mm_with_scales_and_zeros.default", {self,
                                        mat2, qGroupSize, qScale, qZeros});
}

/// aten._weight_int8pack_mm.default(Tensor self, Tensor mat2, Tensor scales) -> Tensor
inline Value _weight_int8pack_mm(const Value &self, const Value &mat2, const Value &scales) {
    return litz::call(detail::graph_of(self, mat2, scales), "aten._weight_int8pack_mm.default", {self, mat2, scales});
}

/// aten._weight_norm.default(Tensor v, Tensor g, int dim=0) -> Tensor
inline Value _weight_norm(const Value &v, const Value &g, Size dim = 0) {
    return litz::call(detail::graph_of(v, g), "aten._weight_norm.default", {v, g, dim});
}

/// aten._weight_norm_interface.default(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)
inline std::array<Value, 2> _weight_norm_interface(const Value &v, const Value &g, Size dim = 0) {
    return detail::fixed<2>(detail::graph_of(v, g), "aten._weight_norm_interface.default", {v, g, dim});
}

/// aten._weight_norm_interface_backward.default(Tensor grad_w, Tensor saved_v, Tensor saved_g, Tensor saved_norms, int dim) -> (Tensor, Tensor)
inline std::array<Value, 2> _weight_norm_interface_backward(const Value &grad_w, const Value &saved_v,
                                        const Value &saved_g, const Value &saved_norms, Size dim) {
    return detail::fixed<2>(detail::graph_of(grad_w, saved_v, saved_g, saved_norms), "aten._weight_norm_interface_backward.default", {grad_w,
                                        saved_v, saved_g, saved_norms, dim});
}

/// aten.abs.default(Tensor self) -> Tensor
inline Value abs(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.abs.default", {self});
}

/// aten.abs_.default(Tensor self) -> Tensor
inline Value abs_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.abs_.default", {self});
}

/// aten.absolute.default(Tensor self) -> Tensor
inline Value absolute(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.absolute.default", {self});
}

/// aten.absolute_.default(Tensor self) -> Tensor
inline Value absolute_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.absolute_.default", {self});
}

/// aten.acos.default(Tensor self) -> Tensor
inline Value acos(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.acos.default", {self});
}

/// aten.acos_.default(Tensor self) -> Tensor
inline Value acos_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.acos_.default", {self});
}

/// aten.acosh.default(Tensor self) -> Tensor
inline Value acosh(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.acosh.default", {self});
}

/// aten.acosh_.default(Tensor self) -> Tensor
inline Value acosh_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.acosh_.default", {self});
}

/// aten.adaptive_avg_pool1d.default(Tensor self, int[1] output_size) -> Tensor
inline Value adaptive_avg_pool1d(const Value &self, const IntList<true> &output_size) {
    return litz::call(detail::graph_of(self), "aten.adaptive_avg_pool1d.default", {self, output_size});
}

/// aten.adaptive_avg_pool2d.default(Tensor self, SymInt[2] output_size) -> Tensor
inline Value adaptive_avg_pool2d(const Value &self, const IntList<true> &output_size) {
    return litz::call(detail::graph_of(self), "aten.adaptive_avg_pool2d.default", {self, output_size});
}

/// aten.adaptive_avg_pool3d.default(Tensor self, SymInt[3] output_size) -> Tensor
inline Value adaptive_avg_pool3d(const Value &self, const IntList<true> &output_size) {
    return litz::call(detail::graph_of(self), "aten.adaptive_avg_pool3d.default", {self, output_size});
}

/// aten.adaptive_max_pool1d.default(Tensor self, int[1] output_size) -> (Tensor, Tensor)
inline std::array<Value, 2> adaptive_max_pool1d(const Value &self, const IntList<true> &output_size) {
    return detail::fixed<2>(detail::graph_of(self), "aten.adaptive_max_pool1d.default", {self, output_size});
}

/// aten.adaptive_max_pool2d.default(Tensor self, int[2] output_size) -> (Tensor, Tensor)
inline std::array<Value, 2> adaptive_max_pool2d(const Value &self, const IntList<true> &output_size) {
    return detail::fixed<2>(detail::graph_of(self), "aten.adaptive_max_pool2d.default", {self, output_size});
}

/// aten.adaptive_max_pool2d_backward.default(Tensor grad_output, Tensor self, Tensor indices) -> Tensor
inline Value adaptive_max_pool2d_backward(const Value &grad_output, const Value &self, const Value &indices) {
    return litz::call(detail::graph_of(grad_output, self, indices), "aten.adaptive_max_pool2d_backward.default", {grad_output,
                                        self, indices});
}

/// aten.adaptive_max_pool3d.default(Tensor self, int[3] output_size) -> (Tensor, Tensor)
inline std::array<Value, 2> adaptive_max_pool3d(const Value &self, const IntList<true> &output_size) {
    return detail::fixed<2>(detail::graph_of(self), "aten.adaptive_max_pool3d.default", {self, output_size});
}

/// aten.adaptive_max_pool3d_backward.default(Tensor grad_output, Tensor self, Tensor indices) -> Tensor
inline Value adaptive_max_pool3d_backward(const Value &grad_output, const Value &self, const Value &indices) {
    return litz::call(detail::graph_of(grad_output, self, indices), "aten.adaptive_max_pool3d_backward.default", {grad_output,
                                        self, indices});
}

/// aten.add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
inline Value add(const Value &self, Scalar other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self), "aten.add.Scalar", {self, other, alpha});
}

/// aten.add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
inline Value add(const Value &self, const Value &other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, other), "aten.add.Tensor", {self, other, alpha});
}

/// aten.add_.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
inline Value add_(const Value &self, Scalar other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self), "aten.add_.Scalar", {self, other, alpha});
}

/// aten.add_.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
inline Value add_(const Value &self, const Value &other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, other), "aten.add_.Tensor", {self, other, alpha});
}

/// aten.addbmm.default(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
inline Value addbmm(const Value &self, const Value &batch1, const Value &batch2, Scalar beta = 1, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, batch1, batch2), "aten.addbmm.default", {self, batch1, batch2, beta,
                                        alpha});
}

/// aten.addbmm_.default(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
inline Value addbmm_(const Value &self, const Value &batch1, const Value &batch2, Scalar beta = 1, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, batch1, batch2), "aten.addbmm_.default", {self, batch1, batch2, beta,
                                        alpha});
}

/// aten.addcdiv.default(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
inline Value addcdiv(const Value &self, const Value &tensor1, const Value &tensor2, Scalar value = 1) {
    return litz::call(detail::graph_of(self, tensor1, tensor2), "aten.addcdiv.default", {self, tensor1, tensor2,
                                        value});
}

/// aten.addcdiv_.default(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
inline Value addcdiv_(const Value &self, const Value &tensor1, const Value &tensor2, Scalar value = 1) {
    return litz::call(detail::graph_of(self, tensor1, tensor2), "aten.addcdiv_.default", {self, tensor1, tensor2,
                                        value});
}

/// aten.addcmul.default(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
inline Value addcmul(const Value &self, const Value &tensor1, const Value &tensor2, Scalar value = 1) {
    return litz::call(detail::graph_of(self, tensor1, tensor2), "aten.addcmul.default", {self, tensor1, tensor2,
                                        value});
}

/// aten.addcmul_.default(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
inline Value addcmul_(const Value &self, const Value &tensor1, const Value &tensor2, Scalar value = 1) {
    return litz::call(detail::graph_of(self, tensor1, tensor2), "aten.addcmul_.default", {self, tensor1, tensor2,
                                        value});
}

/// aten.addmm.default(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
inline Value addmm(const Value &self, const Value &mat1, const Value &mat2, Scalar beta = 1, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, mat1, mat2), "aten.addmm.default", {self, mat1, mat2, beta, alpha});
}

/// aten.addmm_.default(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
inline Value addmm_(const Value &self, const Value &mat1, const Value &mat2, Scalar beta = 1, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, mat1, mat2), "aten.addmm_.default", {self, mat1, mat2, beta, alpha});
}

/// aten.addmv.default(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor
inline Value addmv(const Value &self, const Value &mat, const Value &vec, Scalar beta = 1, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, mat, vec), "aten.addmv.default", {self, mat, vec, beta, alpha});
}

/// aten.addmv_.default(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor
inline Value addmv_(const Value &self, const Value &mat, const Value &vec, Scalar beta = 1, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, mat, vec), "aten.addmv_.default", {self, mat, vec, beta, alpha});
}

/// aten.addr.default(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
inline Value addr(const Value &self, const Value &vec1, const Value &vec2, Scalar beta = 1, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, vec1, vec2), "aten.addr.default", {self, vec1, vec2, beta, alpha});
}

/// aten.addr_.default(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
inline Value addr_(const Value &self, const Value &vec1, const Value &vec2, Scalar beta = 1, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, vec1, vec2), "aten.addr_.default", {self, vec1, vec2, beta, alpha});
}

/// aten.adjoint.default(Tensor self) -> Tensor
inline Value adjoint(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.adjoint.default", {self});
}

/// aten.affine_grid_generator.default(Tensor theta, SymInt[] size, bool align_corners) -> Tensor
inline Value affine_grid_generator(const Value &theta, const IntList<> &size, Flag align_corners) {
    return litz::call(detail::graph_of(theta), "aten.affine_grid_generator.default", {theta, size, align_corners});
}

/// aten.alias.default(Tensor self) -> Tensor
inline Value alias(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.alias.default", {self});
}

/// aten.alias_copy.default(Tensor self) -> Tensor
inline Value alias_copy(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.alias_copy.default", {self});
}

/// aten.all.default(Tensor self) -> Tensor
inline Value all(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.all.default", {self});
}

/// aten.all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor
inline Value all(const Value &self, Size dim, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.all.dim", {self, dim, keepdim});
}

/// aten.all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor
inline Value all(const Value &self, const IntList<false, true> &dim, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.all.dims", {self, dim, keepdim});
}

/// aten.alpha_dropout.default(Tensor input, float p, bool train) -> Tensor
inline Value alpha_dropout(const Value &input, double p, Flag train) {
    return litz::call(detail::graph_of(input), "aten.alpha_dropout.default", {input, p, train});
}

/// aten.alpha_dropout_.default(Tensor input, float p, bool train) -> Tensor
inline Value alpha_dropout_(const Value &input, double p, Flag train) {
    return litz::call(detail::graph_of(input), "aten.alpha_dropout_.default", {input, p, train});
}

/// aten.amax.default(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor
inline Value amax(const Value &self, const IntList<true> &dim = {}, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.amax.default", {self, dim, keepdim});
}

/// aten.amin.default(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor
inline Value amin(const Value &self, const IntList<true> &dim = {}, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.amin.default", {self, dim, keepdim});
}

/// aten.aminmax.default(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)
inline std::array<Value, 2> aminmax(const Value &self, std::optional<Size> dim = std::nullopt, Flag keepdim = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.aminmax.default", {self, dim, keepdim});
}

/// aten.angle.default(Tensor self) -> Tensor
inline Value angle(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.angle.default", {self});
}

/// aten.any.default(Tensor self) -> Tensor
inline Value any(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.any.default", {self});
}

/// aten.any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor
inline Value any(const Value &self, Size dim, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.any.dim", {self, dim, keepdim});
}

/// aten.any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor
inline Value any(const Value &self, const IntList<false, true> &dim, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.any.dims", {self, dim, keepdim});
}

/// aten.arange.default(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value arange(Graph &graph, Scalar end, std::optional<Dtype> dtype = std::nullopt,
                    std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                    std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.arange.default", {end, dtype, layout, device, pin_memory});
}

/// aten.arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value arange(Graph &graph, Scalar start, Scalar end, std::optional<Dtype> dtype = std::nullopt,
                    std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                    std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.arange.start", {start, end, dtype, layout, device, pin_memory});
}

/// aten.arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value arange(Graph &graph, Scalar start, Scalar end, Scalar step, std::optional<Dtype> dtype = std::nullopt,
                    std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                    std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.arange.start_step", {start, end, step, dtype, layout, device, pin_memory});
}

/// aten.arccos.default(Tensor self) -> Tensor
inline Value arccos(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.arccos.default", {self});
}

/// aten.arccos_.default(Tensor self) -> Tensor
inline Value arccos_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.arccos_.default", {self});
}

/// aten.arccosh.default(Tensor self) -> Tensor
inline Value arccosh(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.arccosh.default", {self});
}

/// aten.arccosh_.default(Tensor self) -> Tensor
inline Value arccosh_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.arccosh_.default", {self});
}

/// aten.arcsin.default(Tensor self) -> Tensor
inline Value arcsin(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.arcsin.default", {self});
}

/// aten.arcsin_.default(Tensor self) -> Tensor
inline Value arcsin_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.arcsin_.default", {self});
}

/// aten.arcsinh.default(Tensor self) -> Tensor
inline Value arcsinh(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.arcsinh.default", {self});
}

/// aten.arcsinh_.default(Tensor self) -> Tensor
inline Value arcsinh_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.arcsinh_.default", {self});
}

/// aten.arctan.default(Tensor self) -> Tensor
inline Value arctan(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.arctan.default", {self});
}

/// aten.arctan2.default(Tensor self, Tensor other) -> Tensor
inline Value arctan2(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.arctan2.default", {self, other});
}

/// aten.arctan2_.default(Tensor self, Tensor other) -> Tensor
inline Value arctan2_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.arctan2_.default", {self, other});
}

/// aten.arctan_.default(Tensor self) -> Tensor
inline Value arctan_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.arctan_.default", {self});
}

/// aten.arctanh.default(Tensor self) -> Tensor
inline Value arctanh(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.arctanh.default", {self});
}

/// aten.arctanh_.default(Tensor self) -> Tensor
inline Value arctanh_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.arctanh_.default", {self});
}

/// aten.argmax.default(Tensor self, int? dim=None, bool keepdim=False) -> Tensor
inline Value argmax(const Value &self, std::optional<Size> dim = std::nullopt, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.argmax.default", {self, dim, keepdim});
}

/// aten.argmin.default(Tensor self, int? dim=None, bool keepdim=False) -> Tensor
inline Value argmin(const Value &self, std::optional<Size> dim = std::nullopt, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.argmin.default", {self, dim, keepdim});
}

/// aten.argsort.default(Tensor self, int dim=-1, bool descending=False) -> Tensor
inline Value argsort(const Value &self, Size dim = -1, Flag descending = false) {
    return litz::call(detail::graph_of(self), "aten.argsort.default", {self, dim, descending});
}

/// aten.argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor
inline Value argsort(const Value &self, Flag stable, Size dim = -1, Flag descending = false) {
    return litz::call(detail::graph_of(self), "aten.argsort.stable", {self, stable, dim, descending});
}

/// aten.argwhere.default(Tensor self) -> Tensor
inline Value argwhere(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.argwhere.default", {self});
}

/// aten.as_strided.default(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor
inline Value as_strided(const Value &self, const IntList<> &size, const IntList<> &stride,
                        std::optional<Size> storage_offset = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.as_strided.default", {self, size, stride, storage_offset});
}

/// aten.as_strided_copy.default(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor
inline Value as_strided_copy(const Value &self, const IntList<> &size, const IntList<> &stride,
                             std::optional<Size> storage_offset = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.as_strided_copy.default", {self, size, stride, storage_offset});
}

/// aten.as_strided_scatter.default(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor
inline Value as_strided_scatter(const Value &self, const Value &src, const IntList<> &size, const IntList<> &stride,
                                std::optional<Size> storage_offset = std::nullopt) {
    return litz::call(detail::graph_of(self, src), "aten.as_strided_scatter.default", {self, src, size, stride,
                                        storage_offset});
}

/// aten.asin.default(Tensor self) -> Tensor
inline Value asin(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.asin.default", {self});
}

/// aten.asin_.default(Tensor self) -> Tensor
inline Value asin_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.asin_.default", {self});
}

/// aten.asinh.default(Tensor self) -> Tensor
inline Value asinh(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.asinh.default", {self});
}

/// aten.asinh_.default(Tensor self) -> Tensor
inline Value asinh_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.asinh_.default", {self});
}

/// aten.atan.default(Tensor self) -> Tensor
inline Value atan(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.atan.default", {self});
}

/// aten.atan2.default(Tensor self, Tensor other) -> Tensor
inline Value atan2(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.atan2.default", {self, other});
}

/// aten.atan2_.default(Tensor self, Tensor other) -> Tensor
inline Value atan2_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.atan2_.default", {self, other});
}

/// aten.atan_.default(Tensor self) -> Tensor
inline Value atan_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.atan_.default", {self});
}

/// aten.atanh.default(Tensor self) -> Tensor
inline Value atanh(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.atanh.default", {self});
}

/// aten.atanh_.default(Tensor self) -> Tensor
inline Value atanh_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.atanh_.default", {self});
}

/// aten.atleast_1d.default(Tensor self) -> Tensor
inline Value atleast_1d(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.atleast_1d.default", {self});
}

/// aten.atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]
inline std::vector<Value> atleast_1d(const std::vector<Value> &tensors) {
    return litz::call_all(detail::graph_of(tensors), "aten.atleast_1d.Sequence", {tensors});
}

/// aten.atleast_2d.default(Tensor self) -> Tensor
inline Value atleast_2d(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.atleast_2d.default", {self});
}

/// aten.atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]
inline std::vector<Value> atleast_2d(const std::vector<Value> &tensors) {
    return litz::call_all(detail::graph_of(tensors), "aten.atleast_2d.Sequence", {tensors});
}

/// aten.atleast_3d.default(Tensor self) -> Tensor
inline Value atleast_3d(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.atleast_3d.default", {self});
}

/// aten.atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]
inline std::vector<Value> atleast_3d(const std::vector<Value> &tensors) {
    return litz::call_all(detail::graph_of(tensors), "aten.atleast_3d.Sequence", {tensors});
}

/// aten.avg_pool1d.default(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True) -> Tensor
inline Value avg_pool1d(const Value &self, const IntList<true> &kernel_size, const IntList<true> &stride = {},
                        const IntList<true> &padding = {0}, Flag ceil_mode = false, Flag count_include_pad = true) {
    return litz::call(detail::graph_of(self), "aten.avg_pool1d.default", {self, kernel_size, stride, padding,
                                        ceil_mode, count_include_pad});
}

/// aten.avg_pool2d.default(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor
inline Value avg_pool2d(const Value &self, const IntList<true> &kernel_size, const IntList<true> &stride = {},
                        const IntList<true> &padding = {0, 0}, Flag ceil_mode = false,
                        Flag count_include_pad = true, std::optional<Size> divisor_override = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.avg_pool2d.default", {self, kernel_size, stride, padding,
                                        ceil_mode, count_include_pad, divisor_override});
}

/// aten.avg_pool2d_backward.default(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor
inline Value avg_pool2d_backward(const Value &grad_output, const Value &self, const IntList<true> &kernel_size,
                                 const IntList<true> &stride, const IntList<true> &padding, Flag ceil_mode,
                                 Flag count_include_pad, std::optional<Size> divisor_override = std::nullopt) {
    return litz::call(detail::graph_of(grad_output, self), "aten.avg_pool2d_backward.default", {grad_output, self,
                                        kernel_size, stride, padding, ceil_mode, count_include_pad,
                                        divisor_override});
}

/// aten.avg_pool3d.default(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor
inline Value avg_pool3d(const Value &self, const IntList<true> &kernel_size, const IntList<true> &stride = {},
                        const IntList<true> &padding = {0, 0, 0}, Flag ceil_mode = false,
                        Flag count_include_pad = true, std::optional<Size> divisor_override = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.avg_pool3d.default", {self, kernel_size, stride, padding,
                                        ceil_mode, count_include_pad, divisor_override});
}

/// aten.avg_pool3d_backward.default(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor
inline Value avg_pool3d_backward(const Value &grad_output, const Value &self, const IntList<true> &kernel_size,
                                 const IntList<true> &stride, const IntList<true> &padding, Flag ceil_mode,
                                 Flag count_include_pad, std::optional<Size> divisor_override = std::nullopt) {
    return litz::call(detail::graph_of(grad_output, self), "aten.avg_pool3d_backward.default", {grad_output, self,
                                        kernel_size, stride, padding, ceil_mode, count_include_pad,
                                        divisor_override});
}

/// aten.baddbmm.default(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
inline Value baddbmm(const Value &self, const Value &batch1, const Value &batch2, Scalar beta = 1, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, batch1, batch2), "aten.baddbmm.default", {self, batch1, batch2, beta,
                                        alpha});
}

/// aten.baddbmm_.default(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
inline Value baddbmm_(const Value &self, const Value &batch1, const Value &batch2, Scalar beta = 1,
                      Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, batch1, batch2), "aten.baddbmm_.default", {self, batch1, batch2, beta,
                                        alpha});
}

/// aten.bartlett_window.default(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value bartlett_window(Graph &graph, Size window_length, std::optional<Dtype> dtype = std::nullopt,
                             std::optional<Layout> layout = std::nullopt,
                             std::optional<DLDevice> device = std::nullopt,
                             std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.bartlett_window.default", {window_length, dtype, layout, device,
                                        pin_memory});
}

/// aten.bartlett_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value bartlett_window(Graph &graph, Size window_length, Flag periodic,
                             std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                             std::optional<DLDevice> device = std::nullopt,
                             std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.bartlett_window.periodic", {window_length, periodic, dtype, layout, device,
                                        pin_memory});
}

/// aten.batch_norm.default(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor
inline Value batch_norm(const Value &input, const Value &weight, const Value &bias, const Value &running_mean,
                        const Value &running_var, Flag training, double momentum, double eps, Flag cudnn_enabled) {
    return litz::call(detail::graph_of(input, weight, bias, running_mean, running_var), "aten.batch_norm.default", {input,
                                        detail::optional(weight), detail::optional(bias),
                                        detail::optional(running_mean), detail::optional(running_var), training,
                                        momentum, eps, cudnn_enabled});
}

/// aten.batch_norm_backward.default(Tensor grad_out, Tensor input, Tensor weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var, bool update, float eps, bool[3] output_mask, Tensor reserve) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> batch_norm_backward(const Value &grad_out, const Value &input, const Value &weight,
                                        const Value &running_mean, const Value &running_var, const Value &save_mean,
                                        const Value &save_var, Flag update, double eps,
                                        const std::vector<bool> &output_mask, const Value &reserve) {
    return detail::fixed<3>(detail::graph_of(grad_out, input, weight, running_mean, running_var, save_mean, save_var, reserve), "aten.batch_norm_backward.default", {grad_out,
                                        input, weight, detail::optional(running_mean),
                                        detail::optional(running_var), detail::optional(save_mean),
                                        detail::optional(save_var), update, eps, detail::bools(output_mask),
                                        reserve});
}

/// aten.bernoulli.default(Tensor self, *, Generator? generator=None) -> Tensor
inline Value bernoulli(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.bernoulli.default", {self});
}

/// aten.bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor
inline Value bernoulli(const Value &self, const Value &p) {
    return litz::call(detail::graph_of(self, p), "aten.bernoulli.Tensor", {self, p});
}

/// aten.bernoulli.p(Tensor self, float p=0.5, *, Generator? generator=None) -> Tensor
inline Value bernoulli(const Value &self, double p) {
    return litz::call(detail::graph_of(self), "aten.bernoulli.p", {self, p});
}

/// aten.bernoulli_.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor
inline Value bernoulli_(const Value &self, const Value &p) {
    return litz::call(detail::graph_of(self, p), "aten.bernoulli_.Tensor", {self, p});
}

/// aten.bernoulli_.float(Tensor self, float p=0.5, *, Generator? generator=None) -> Tensor
inline Value bernoulli_(const Value &self, double p = 0.5) {
    return litz::call(detail::graph_of(self), "aten.bernoulli_.float", {self, p});
}

/// aten.bilinear.default(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor
inline Value bilinear(const Value &input1, const Value &input2, const Value &weight, const Value &bias = Value()) {
    return litz::call(detail::graph_of(input1, input2, weight, bias), "aten.bilinear.default", {input1, input2,
                                        weight, detail::optional(bias)});
}

/// aten.binary_cross_entropy.default(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor
inline Value binary_cross_entropy(const Value &self, const Value &target, const Value &weight = Value(),
                                  Size reduction = 1) {
    return litz::call(detail::graph_of(self, target, weight), "aten.binary_cross_entropy.default", {self, target,
                                        detail::optional(weight), reduction});
}

/// aten.binary_cross_entropy_backward.default(Tensor grad_output, Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor
inline Value binary_cross_entropy_backward(const Value &grad_output, const Value &self, const Value &target,
                                        const Value &weight = Value(), Size reduction = 1) {
    return litz::call(detail::graph_of(grad_output, self, target, weight), "aten.binary_cross_entropy_backward.default", {grad_output,
                                        self, target, detail::optional(weight), reduction});
}

/// aten.binary_cross_entropy_with_logits.default(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1) -> Tensor
inline Value binary_cross_entropy_with_logits(const Value &self, const Value &target, const Value &weight = Value(),
                                        const Value &pos_weight = Value(), Size reduction = 1) {
    return litz::call(detail::graph_of(self, target, weight, pos_weight), "aten.binary_cross_entropy_with_logits.default", {self,
                                        target, detail::optional(weight), detail::optional(pos_weight), reduction});
}

/// aten.bincount.default(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor
inline Value bincount(const Value &self, const Value &weights = Value(), Size minlength = 0) {
    return litz::call(detail::graph_of(self, weights), "aten.bincount.default", {self, detail::optional(weights),
                                        minlength});
}

/// aten.bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor
inline Value bitwise_and(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.bitwise_and.Scalar", {self, other});
}

/// aten.bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
inline Value bitwise_and(Scalar self, const Value &other) {
    return litz::call(detail::graph_of(other), "aten.bitwise_and.Scalar_Tensor", {self, other});
}

/// aten.bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor
inline Value bitwise_and(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.bitwise_and.Tensor", {self, other});
}

/// aten.bitwise_and_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value bitwise_and_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.bitwise_and_.Scalar", {self, other});
}

/// aten.bitwise_and_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value bitwise_and_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.bitwise_and_.Tensor", {self, other});
}

/// aten.bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
inline Value bitwise_left_shift(Scalar self, const Value &other) {
    return litz::call(detail::graph_of(other), "aten.bitwise_left_shift.Scalar_Tensor", {self, other});
}

/// aten.bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor
inline Value bitwise_left_shift(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.bitwise_left_shift.Tensor", {self, other});
}

/// aten.bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor
inline Value bitwise_left_shift(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.bitwise_left_shift.Tensor_Scalar", {self, other});
}

/// aten.bitwise_left_shift_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value bitwise_left_shift_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.bitwise_left_shift_.Tensor", {self, other});
}

/// aten.bitwise_left_shift_.Tensor_Scalar(Tensor self, Scalar other) -> Tensor
inline Value bitwise_left_shift_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.bitwise_left_shift_.Tensor_Scalar", {self, other});
}

/// aten.bitwise_not.default(Tensor self) -> Tensor
inline Value bitwise_not(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.bitwise_not.default", {self});
}

/// aten.bitwise_not_.default(Tensor self) -> Tensor
inline Value bitwise_not_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.bitwise_not_.default", {self});
}

/// aten.bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor
inline Value bitwise_or(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.bitwise_or.Scalar", {self, other});
}

/// aten.bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
inline Value bitwise_or(Scalar self, const Value &other) {
    return litz::call(detail::graph_of(other), "aten.bitwise_or.Scalar_Tensor", {self, other});
}

/// aten.bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor
inline Value bitwise_or(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.bitwise_or.Tensor", {self, other});
}

/// aten.bitwise_or_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value bitwise_or_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.bitwise_or_.Scalar", {self, other});
}

/// aten.bitwise_or_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value bitwise_or_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.bitwise_or_.Tensor", {self, other});
}

/// aten.bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
inline Value bitwise_right_shift(Scalar self, const Value &other) {
    return litz::call(detail::graph_of(other), "aten.bitwise_right_shift.Scalar_Tensor", {self, other});
}

/// aten.bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor
inline Value bitwise_right_shift(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.bitwise_right_shift.Tensor", {self, other});
}

/// aten.bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor
inline Value bitwise_right_shift(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.bitwise_right_shift.Tensor_Scalar", {self, other});
}

/// aten.bitwise_right_shift_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value bitwise_right_shift_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.bitwise_right_shift_.Tensor", {self, other});
}

/// aten.bitwise_right_shift_.Tensor_Scalar(Tensor self, Scalar other) -> Tensor
inline Value bitwise_right_shift_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.bitwise_right_shift_.Tensor_Scalar", {self, other});
}

/// aten.bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor
inline Value bitwise_xor(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.bitwise_xor.Scalar", {self, other});
}

/// aten.bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
inline Value bitwise_xor(Scalar self, const Value &other) {
    return litz::call(detail::graph_of(other), "aten.bitwise_xor.Scalar_Tensor", {self, other});
}

/// aten.bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor
inline Value bitwise_xor(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.bitwise_xor.Tensor", {self, other});
}

/// aten.bitwise_xor_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value bitwise_xor_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.bitwise_xor_.Scalar", {self, other});
}

/// aten.bitwise_xor_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value bitwise_xor_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.bitwise_xor_.Tensor", {self, other});
}

/// aten.blackman_window.default(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value blackman_window(Graph &graph, Size window_length, std::optional<Dtype> dtype = std::nullopt,
                             std::optional<Layout> layout = std::nullopt,
                             std::optional<DLDevice> device = std::nullopt,
                             std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.blackman_window.default", {window_length, dtype, layout, device,
                                        pin_memory});
}

/// aten.blackman_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value blackman_window(Graph &graph, Size window_length, Flag periodic,
                             std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                             std::optional<DLDevice> device = std::nullopt,
                             std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.blackman_window.periodic", {window_length, periodic, dtype, layout, device,
                                        pin_memory});
}

/// aten.block_diag.default(Tensor[] tensors) -> Tensor
inline Value block_diag(const std::vector<Value> &tensors) {
    return litz::call(detail::graph_of(tensors), "aten.block_diag.default", {tensors});
}

/// aten.bmm.default(Tensor self, Tensor mat2) -> Tensor
inline Value bmm(const Value &self, const Value &mat2) {
    return litz::call(detail::graph_of(self, mat2), "aten.bmm.default", {self, mat2});
}

/// aten.broadcast_tensors.default(Tensor[] tensors) -> Tensor[]
inline std::vector<Value> broadcast_tensors(const std::vector<Value> &tensors) {
    return litz::call_all(detail::graph_of(tensors), "aten.broadcast_tensors.default", {tensors});
}

/// aten.broadcast_to.default(Tensor self, SymInt[] size) -> Tensor
inline Value broadcast_to(const Value &self, const IntList<> &size) {
    return litz::call(detail::graph_of(self), "aten.broadcast_to.default", {self, size});
}

/// aten.bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor
inline Value bucketize(Scalar self, const Value &boundaries, Flag out_int32 = false, Flag right = false) {
    return litz::call(detail::graph_of(boundaries), "aten.bucketize.Scalar", {self, boundaries, out_int32, right});
}

/// aten.bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor
inline Value bucketize(const Value &self, const Value &boundaries, Flag out_int32 = false, Flag right = false) {
    return litz::call(detail::graph_of(self, boundaries), "aten.bucketize.Tensor", {self, boundaries, out_int32,
                                        right});
}

/// aten.cartesian_prod.default(Tensor[] tensors) -> Tensor
inline Value cartesian_prod(const std::vector<Value> &tensors) {
    return litz::call(detail::graph_of(tensors), "aten.cartesian_prod.default", {tensors});
}

/// aten.cat.default(Tensor[] tensors, int dim=0) -> Tensor
inline Value cat(const std::vector<Value> &tensors, Size dim = 0) {
    return litz::call(detail::graph_of(tensors), "aten.cat.default", {tensors, dim});
}

/// aten.cauchy.default(Tensor self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor
inline Value cauchy(const Value &self, double median = 0.0, double sigma = 1.0) {
    return litz::call(detail::graph_of(self), "aten.cauchy.default", {self, median, sigma});
}

/// aten.cauchy_.default(Tensor self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor
inline Value cauchy_(const Value &self, double median = 0.0, double sigma = 1.0) {
    return litz::call(detail::graph_of(self), "aten.cauchy_.default", {self, median, sigma});
}

/// aten.cdist.default(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor
inline Value cdist(const Value &x1, const Value &x2, double p = 2.0,
                   std::optional<Size> compute_mode = std::nullopt) {
    return litz::call(detail::graph_of(x1, x2), "aten.cdist.default", {x1, x2, p, compute_mode});
}

/// aten.ceil.default(Tensor self) -> Tensor
inline Value ceil(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.ceil.default", {self});
}

/// aten.ceil_.default(Tensor self) -> Tensor
inline Value ceil_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.ceil_.default", {self});
}

/// aten.celu.default(Tensor self, Scalar alpha=1.) -> Tensor
inline Value celu(const Value &self, Scalar alpha = 1.0) {
    return litz::call(detail::graph_of(self), "aten.celu.default", {self, alpha});
}

/// aten.celu_.default(Tensor self, Scalar alpha=1.) -> Tensor
inline Value celu_(const Value &self, Scalar alpha = 1.0) {
    return litz::call(detail::graph_of(self), "aten.celu_.default", {self, alpha});
}

/// aten.chain_matmul.default(Tensor[] matrices) -> Tensor
inline Value chain_matmul(const std::vector<Value> &matrices) {
    return litz::call(detail::graph_of(matrices), "aten.chain_matmul.default", {matrices});
}

/// aten.channel_shuffle.default(Tensor self, SymInt groups) -> Tensor
inline Value channel_shuffle(const Value &self, Size groups) {
    return litz::call(detail::graph_of(self), "aten.channel_shuffle.default", {self, groups});
}

/// aten.cholesky.default(Tensor self, bool upper=False) -> Tensor
inline Value cholesky(const Value &self, Flag upper = false) {
    return litz::call(detail::graph_of(self), "aten.cholesky.default", {self, upper});
}

/// aten.cholesky_inverse.default(Tensor self, bool upper=False) -> Tensor
inline Value cholesky_inverse(const Value &self, Flag upper = false) {
    return litz::call(detail::graph_of(self), "aten.cholesky_inverse.default", {self, upper});
}

/// aten.cholesky_solve.default(Tensor self, Tensor input2, bool upper=False) -> Tensor
inline Value cholesky_solve(const Value &self, const Value &input2, Flag upper = false) {
    return litz::call(detail::graph_of(self, input2), "aten.cholesky_solve.default", {self, input2, upper});
}

/// aten.chunk.default(Tensor self, int chunks, int dim=0) -> Tensor[]
inline std::vector<Value> chunk(const Value &self, Size chunks, Size dim = 0) {
    return litz::call_all(detail::graph_of(self), "aten.chunk.default", {self, chunks, dim});
}

/// aten.clamp.default(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
inline Value clamp(const Value &self, std::optional<Scalar> min = std::nullopt,
                   std::optional<Scalar> max = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.clamp.default", {self, min, max});
}

/// aten.clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
inline Value clamp(const Value &self, const Value &min, const Value &max = Value()) {
    return litz::call(detail::graph_of(self, min, max), "aten.clamp.Tensor", {self, detail::optional(min),
                                        detail::optional(max)});
}

/// aten.clamp_.default(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
inline Value clamp_(const Value &self, std::optional<Scalar> min = std::nullopt,
                    std::optional<Scalar> max = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.clamp_.default", {self, min, max});
}

/// aten.clamp_.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
inline Value clamp_(const Value &self, const Value &min, const Value &max = Value()) {
    return litz::call(detail::graph_of(self, min, max), "aten.clamp_.Tensor", {self, detail::optional(min),
                                        detail::optional(max)});
}

/// aten.clamp_max.default(Tensor self, Scalar max) -> Tensor
inline Value clamp_max(const Value &self, Scalar max) {
    return litz::call(detail::graph_of(self), "aten.clamp_max.default", {self, max});
}

/// aten.clamp_max.Tensor(Tensor self, Tensor max) -> Tensor
inline Value clamp_max(const Value &self, const Value &max) {
    return litz::call(detail::graph_of(self, max), "aten.clamp_max.Tensor", {self, max});
}

/// aten.clamp_max_.default(Tensor self, Scalar max) -> Tensor
inline Value clamp_max_(const Value &self, Scalar max) {
    return litz::call(detail::graph_of(self), "aten.clamp_max_.default", {self, max});
}

/// aten.clamp_max_.Tensor(Tensor self, Tensor max) -> Tensor
inline Value clamp_max_(const Value &self, const Value &max) {
    return litz::call(detail::graph_of(self, max), "aten.clamp_max_.Tensor", {self, max});
}

/// aten.clamp_min.default(Tensor self, Scalar min) -> Tensor
inline Value clamp_min(const Value &self, Scalar min) {
    return litz::call(detail::graph_of(self), "aten.clamp_min.default", {self, min});
}

/// aten.clamp_min.Tensor(Tensor self, Tensor min) -> Tensor
inline Value clamp_min(const Value &self, const Value &min) {
    return litz::call(detail::graph_of(self, min), "aten.clamp_min.Tensor", {self, min});
}

/// aten.clamp_min_.default(Tensor self, Scalar min) -> Tensor
inline Value clamp_min_(const Value &self, Scalar min) {
    return litz::call(detail::graph_of(self), "aten.clamp_min_.default", {self, min});
}

/// aten.clamp_min_.Tensor(Tensor self, Tensor min) -> Tensor
inline Value clamp_min_(const Value &self, const Value &min) {
    return litz::call(detail::graph_of(self, min), "aten.clamp_min_.Tensor", {self, min});
}

/// aten.clip.default(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
inline Value clip(const Value &self, std::optional<Scalar> min = std::nullopt,
                  std::optional<Scalar> max = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.clip.default", {self, min, max});
}

/// aten.clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
inline Value clip(const Value &self, const Value &min, const Value &max = Value()) {
    return litz::call(detail::graph_of(self, min, max), "aten.clip.Tensor", {self, detail::optional(min),
                                        detail::optional(max)});
}

/// aten.clip_.default(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
inline Value clip_(const Value &self, std::optional<Scalar> min = std::nullopt,
                   std::optional<Scalar> max = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.clip_.default", {self, min, max});
}

/// aten.clip_.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
inline Value clip_(const Value &self, const Value &min, const Value &max = Value()) {
    return litz::call(detail::graph_of(self, min, max), "aten.clip_.Tensor", {self, detail::optional(min),
                                        detail::optional(max)});
}

/// aten.clone.default(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor
inline Value clone(const Value &self, std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.clone.default", {self, memory_format});
}

/// aten.col2im.default(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor
inline Value col2im(const Value &self, const IntList<true> &output_size, const IntList<true> &kernel_size,
                    const IntList<true> &dilation, const IntList<true> &padding, const IntList<true> &stride) {
    return litz::call(detail::graph_of(self), "aten.col2im.default", {self, output_size, kernel_size, dilation,
                                        padding, stride});
}

/// aten.column_stack.default(Tensor[] tensors) -> Tensor
inline Value column_stack(const std::vector<Value> &tensors) {
    return litz::call(detail::graph_of(tensors), "aten.column_stack.default", {tensors});
}

/// aten.combinations.default(Tensor self, int r=2, bool with_replacement=False) -> Tensor
inline Value combinations(const Value &self, Size r = 2, Flag with_replacement = false) {
    return litz::call(detail::graph_of(self), "aten.combinations.default", {self, r, with_replacement});
}

/// aten.complex.default(Tensor real, Tensor imag) -> Tensor
inline Value complex_op(const Value &real, const Value &imag) {
    return litz::call(detail::graph_of(real, imag), "aten.complex.default", {real, imag});
}

/// aten.concat.default(Tensor[] tensors, int dim=0) -> Tensor
inline Value concat(const std::vector<Value> &tensors, Size dim = 0) {
    return litz::call(detail::graph_of(tensors), "aten.concat.default", {tensors, dim});
}

/// aten.concatenate.default(Tensor[] tensors, int dim=0) -> Tensor
inline Value concatenate(const std::vector<Value> &tensors, Size dim = 0) {
    return litz::call(detail::graph_of(tensors), "aten.concatenate.default", {tensors, dim});
}

/// aten.conj.default(Tensor self) -> Tensor
inline Value conj(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.conj.default", {self});
}

/// aten.conj_physical.default(Tensor self) -> Tensor
inline Value conj_physical(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.conj_physical.default", {self});
}

/// aten.conj_physical_.default(Tensor self) -> Tensor
inline Value conj_physical_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.conj_physical_.default", {self});
}

/// aten.constant_pad_nd.default(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor
inline Value constant_pad_nd(const Value &self, const IntList<> &pad, Scalar value = 0) {
    return litz::call(detail::graph_of(self), "aten.constant_pad_nd.default", {self, pad, value});
}

/// aten.contiguous.default(Tensor self, *, MemoryFormat memory_format=contiguous_format) -> Tensor
inline Value contiguous(const Value &self, MemoryFormat memory_format = static_cast<MemoryFormat>(1)) {
    return litz::call(detail::graph_of(self), "aten.contiguous.default", {self, memory_format});
}

/// aten.conv1d.default(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] dilation=[1], SymInt groups=1) -> Tensor
inline Value conv1d(const Value &input, const Value &weight, const Value &bias = Value(),
                    const IntList<true> &stride = {1}, const IntList<true> &padding = {0},
                    const IntList<true> &dilation = {1}, Size groups = 1) {
    return litz::call(detail::graph_of(input, weight, bias), "aten.conv1d.default", {input, weight,
                                        detail::optional(bias), stride, padding, dilation, groups});
}

/// aten.conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], str padding='valid', SymInt[1] dilation=[1], SymInt groups=1) -> Tensor
inline Value conv1d(const Value &input, const Value &weight, const Value &bias, const IntList<true> &stride,
                    const std::string &padding, const IntList<true> &dilation = {1}, Size groups = 1) {
    return litz::call(detail::graph_of(input, weight, bias), "aten.conv1d.padding", {input, weight,
                                        detail::optional(bias), stride, padding, dilation, groups});
}

/// aten.conv2d.default(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor
inline Value conv2d(const Value &input, const Value &weight, const Value &bias = Value(),
                    const IntList<true> &stride = {1, 1}, const IntList<true> &padding = {0, 0},
                    const IntList<true> &dilation = {1, 1}, Size groups = 1) {
    return litz::call(detail::graph_of(input, weight, bias), "aten.conv2d.default", {input, weight,
                                        detail::optional(bias), stride, padding, dilation, groups});
}

/// aten.conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], str padding='valid', SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor
inline Value conv2d(const Value &input, const Value &weight, const Value &bias, const IntList<true> &stride,
                    const std::string &padding, const IntList<true> &dilation = {1, 1}, Size groups = 1) {
    return litz::call(detail::graph_of(input, weight, bias), "aten.conv2d.padding", {input, weight,
                                        detail::optional(bias), stride, padding, dilation, groups});
}

/// aten.conv3d.default(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor
inline Value conv3d(const Value &input, const Value &weight, const Value &bias = Value(),
                    const IntList<true> &stride = {1, 1, 1}, const IntList<true> &padding = {0, 0, 0},
                    const IntList<true> &dilation = {1, 1, 1}, Size groups = 1) {
    return litz::call(detail::graph_of(input, weight, bias), "aten.conv3d.default", {input, weight,
                                        detail::optional(bias), stride, padding, dilation, groups});
}

/// aten.conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], str padding='valid', SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor
inline Value conv3d(const Value &input, const Value &weight, const Value &bias, const IntList<true> &stride,
                    const std::string &padding, const IntList<true> &dilation = {1, 1, 1}, Size groups = 1) {
    return litz::call(detail::graph_of(input, weight, bias), "aten.conv3d.padding", {input, weight,
                                        detail::optional(bias), stride, padding, dilation, groups});
}

/// aten.conv_transpose1d.default(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] output_padding=[0], SymInt groups=1, SymInt[1] dilation=[1]) -> Tensor
inline Value conv_transpose1d(const Value &input, const Value &weight, const Value &bias = Value(),
                              const IntList<true> &stride = {1}, const IntList<true> &padding = {0},
                              const IntList<true> &output_padding = {0}, Size groups = 1,
                              const IntList<true> &dilation = {1}) {
    return litz::call(detail::graph_of(input, weight, bias), "aten.conv_transpose1d.default", {input, weight,
                                        detail::optional(bias), stride, padding, output_padding, groups, dilation});
}

/// aten.conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] output_padding=[0, 0], SymInt groups=1, SymInt[2] dilation=[1, 1]) -> Tensor
inline Value conv_transpose2d(const Value &input, const Value &weight, const Value &bias = Value(),
                              const IntList<true> &stride = {1, 1}, const IntList<true> &padding = {0, 0},
                              const IntList<true> &output_padding = {0, 0}, Size groups = 1,
                              const IntList<true> &dilation = {1, 1}) {
    return litz::call(detail::graph_of(input, weight, bias), "aten.conv_transpose2d.input", {input, weight,
                                        detail::optional(bias), stride, padding, output_padding, groups, dilation});
}

/// aten.conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] output_padding=[0, 0, 0], SymInt groups=1, SymInt[3] dilation=[1, 1, 1]) -> Tensor
inline Value conv_transpose3d(const Value &input, const Value &weight, const Value &bias = Value(),
                              const IntList<true> &stride = {1, 1, 1}, const IntList<true> &padding = {0, 0, 0},
                              const IntList<true> &output_padding = {0, 0, 0}, Size groups = 1,
                              const IntList<true> &dilation = {1, 1, 1}) {
    return litz::call(detail::graph_of(input, weight, bias), "aten.conv_transpose3d.input", {input, weight,
                                        detail::optional(bias), stride, padding, output_padding, groups, dilation});
}

/// aten.convolution.default(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor
inline Value convolution(const Value &input, const Value &weight, const Value &bias, const IntList<> &stride,
                         const IntList<> &padding, const IntList<> &dilation, Flag transposed,
                         const IntList<> &output_padding, Size groups) {
    return litz::call(detail::graph_of(input, weight, bias), "aten.convolution.default", {input, weight,
                                        detail::optional(bias), stride, padding, dilation, transposed,
                                        output_padding, groups});
}

/// aten.convolution_backward.default(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> convolution_backward(const Value &grad_output, const Value &input, const Value &weight,
                                        const IntList<false, true> &bias_sizes, const IntList<> &stride,
                                        const IntList<> &padding, const IntList<> &dilation, Flag transposed,
                                        const IntList<> &output_padding, Size groups,
                                        const std::vector<bool> &output_mask) {
    return detail::fixed<3>(detail::graph_of(grad_output, input, weight), "aten.convolution_backward.default", {grad_output,
                                        input, weight, bias_sizes, stride, padding, dilation, transposed,
                                        output_padding, groups, detail::bools(output_mask)});
}

/// aten.copy.default(Tensor self, Tensor src, bool non_blocking=False) -> Tensor
inline Value copy(const Value &self, const Value &src, Flag non_blocking = false) {
    return litz::call(detail::graph_of(self, src), "aten.copy.default", {self, src, non_blocking});
}

/// aten.copy_.default(Tensor self, Tensor src, bool non_blocking=False) -> Tensor
inline Value copy_(const Value &self, const Value &src, Flag non_blocking = false) {
    return litz::call(detail::graph_of(self, src), "aten.copy_.default", {self, src, non_blocking});
}

/// aten.copysign.Scalar(Tensor self, Scalar other) -> Tensor
inline Value copysign(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.copysign.Scalar", {self, other});
}

/// aten.copysign.Tensor(Tensor self, Tensor other) -> Tensor
inline Value copysign(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.copysign.Tensor", {self, other});
}

/// aten.copysign_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value copysign_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.copysign_.Scalar", {self, other});
}

/// aten.copysign_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value copysign_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.copysign_.Tensor", {self, other});
}

/// aten.cos.default(Tensor self) -> Tensor
inline Value cos(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.cos.default", {self});
}

/// aten.cos_.default(Tensor self) -> Tensor
inline Value cos_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.cos_.default", {self});
}

/// aten.cosh.default(Tensor self) -> Tensor
inline Value cosh(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.cosh.default", {self});
}

/// aten.cosh_.default(Tensor self) -> Tensor
inline Value cosh_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.cosh_.default", {self});
}

/// aten.cosine_embedding_loss.default(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor
inline Value cosine_embedding_loss(const Value &input1, const Value &input2, const Value &target,
                                   double margin = 0.0, Size reduction = 1) {
    return litz::call(detail::graph_of(input1, input2, target), "aten.cosine_embedding_loss.default", {input1,
                                        input2, target, margin, reduction});
}

/// aten.cosine_similarity.default(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor
inline Value cosine_similarity(const Value &x1, const Value &x2, Size dim = 1, double eps = 1e-8) {
    return litz::call(detail::graph_of(x1, x2), "aten.cosine_similarity.default", {x1, x2, dim, eps});
}

/// aten.count_nonzero.default(Tensor self, int? dim=None) -> Tensor
inline Value count_nonzero(const Value &self, std::optional<Size> dim = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.count_nonzero.default", {self, dim});
}

/// aten.count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor
inline Value count_nonzero(const Value &self, const IntList<> &dim) {
    return litz::call(detail::graph_of(self), "aten.count_nonzero.dim_IntList", {self, dim});
}

/// aten.cross.default(Tensor self, Tensor other, int? dim=None) -> Tensor
inline Value cross(const Value &self, const Value &other, std::optional<Size> dim = std::nullopt) {
    return litz::call(detail::graph_of(self, other), "aten.cross.default", {self, other, dim});
}

/// aten.cross_entropy_loss.default(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float label_smoothing=0.) -> Tensor
inline Value cross_entropy_loss(const Value &self, const Value &target, const Value &weight = Value(),
                                Size reduction = 1, Size ignore_index = -100, double label_smoothing = 0.0) {
    return litz::call(detail::graph_of(self, target, weight), "aten.cross_entropy_loss.default", {self, target,
                                        detail::optional(weight), reduction, ignore_index, label_smoothing});
}

/// aten.cudnn_batch_norm.default(Tensor input, Tensor weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float exponential_average_factor, float epsilon) -> (Tensor, Tensor, Tensor, Tensor)
inline std::array<Value, 4> cudnn_batch_norm(const Value &input, const Value &weight, const Value &bias,
                                        const Value &running_mean, const Value &running_var, Flag training,
                                        double exponential_average_factor, double epsilon) {
    return detail::fixed<4>(detail::graph_of(input, weight, bias, running_mean, running_var), "aten.cudnn_batch_norm.default", {input,
                                        weight, detail::optional(bias), detail::optional(running_mean),
                                        detail::optional(running_var), training, exponential_average_factor,
                                        epsilon});
}

/// aten.cudnn_batch_norm_backward.default(Tensor input, Tensor grad_output, Tensor weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var, float epsilon, Tensor reserveSpace) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> cudnn_batch_norm_backward(const Value &input, const Value &grad_output,
                                        const Value &weight, const Value &running_mean, const Value &running_var,
                                        const Value &save_mean, const Value &save_var, double epsilon,
                                        const Value &reserveSpace) {
    return detail::fixed<3>(detail::graph_of(input, grad_output, weight, running_mean, running_var, save_mean, save_var, reserveSpace), "aten.cudnn_batch_norm_backward.default", {input,
                                        grad_output, weight, detail::optional(running_mean),
                                        detail::optional(running_var), detail::optional(save_mean),
                                        detail::optional(save_var), epsilon, reserveSpace});
}

/// aten.cummax.default(Tensor self, int dim) -> (Tensor values, Tensor indices)
inline std::array<Value, 2> cummax(const Value &self, Size dim) {
    return detail::fixed<2>(detail::graph_of(self), "aten.cummax.default", {self, dim});
}

/// aten.cummin.default(Tensor self, int dim) -> (Tensor values, Tensor indices)
inline std::array<Value, 2> cummin(const Value &self, Size dim) {
    return detail::fixed<2>(detail::graph_of(self), "aten.cummin.default", {self, dim});
}

/// aten.cumprod.default(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor
inline Value cumprod(const Value &self, Size dim, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.cumprod.default", {self, dim, dtype});
}

/// aten.cumprod_.default(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor
inline Value cumprod_(const Value &self, Size dim, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.cumprod_.default", {self, dim, dtype});
}

/// aten.cumsum.default(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor
inline Value cumsum(const Value &self, Size dim, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.cumsum.default", {self, dim, dtype});
}

/// aten.cumsum_.default(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor
inline Value cumsum_(const Value &self, Size dim, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.cumsum_.default", {self, dim, dtype});
}

/// aten.cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor
inline Value cumulative_trapezoid(const Value &y, Scalar dx = 1, Size dim = -1) {
    return litz::call(detail::graph_of(y), "aten.cumulative_trapezoid.dx", {y, dx, dim});
}

/// aten.cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor
inline Value cumulative_trapezoid(const Value &y, const Value &x, Size dim = -1) {
    return litz::call(detail::graph_of(y, x), "aten.cumulative_trapezoid.x", {y, x, dim});
}

/// aten.deg2rad.default(Tensor self) -> Tensor
inline Value deg2rad(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.deg2rad.default", {self});
}

/// aten.deg2rad_.default(Tensor self) -> Tensor
inline Value deg2rad_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.deg2rad_.default", {self});
}

/// aten.det.default(Tensor self) -> Tensor
inline Value det(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.det.default", {self});
}

/// aten.detach.default(Tensor self) -> Tensor
inline Value detach(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.detach.default", {self});
}

/// aten.detach_.default(Tensor self) -> Tensor
inline Value detach_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.detach_.default", {self});
}

/// aten.detach_copy.default(Tensor self) -> Tensor
inline Value detach_copy(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.detach_copy.default", {self});
}

/// aten.diag.default(Tensor self, int diagonal=0) -> Tensor
inline Value diag(const Value &self, Size diagonal = 0) {
    return litz::call(detail::graph_of(self), "aten.diag.default", {self, diagonal});
}

/// aten.diag_embed.default(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor
inline Value diag_embed(const Value &self, Size offset = 0, Size dim1 = -2, Size dim2 = -1) {
    return litz::call(detail::graph_of(self), "aten.diag_embed.default", {self, offset, dim1, dim2});
}

/// aten.diagflat.default(Tensor self, int offset=0) -> Tensor
inline Value diagflat(const Value &self, Size offset = 0) {
    return litz::call(detail::graph_of(self), "aten.diagflat.default", {self, offset});
}

/// aten.diagonal.default(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor
inline Value diagonal(const Value &self, Size offset = 0, Size dim1 = 0, Size dim2 = 1) {
    return litz::call(detail::graph_of(self), "aten.diagonal.default", {self, offset, dim1, dim2});
}

/// aten.diagonal_backward.default(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor
inline Value diagonal_backward(const Value &grad_output, const IntList<> &input_sizes, Size offset, Size dim1,
                               Size dim2) {
    return litz::call(detail::graph_of(grad_output), "aten.diagonal_backward.default", {grad_output, input_sizes,
                                        offset, dim1, dim2});
}

/// aten.diagonal_copy.default(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor
inline Value diagonal_copy(const Value &self, Size offset = 0, Size dim1 = 0, Size dim2 = 1) {
    return litz::call(detail::graph_of(self), "aten.diagonal_copy.default", {self, offset, dim1, dim2});
}

/// aten.diagonal_scatter.default(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor
inline Value diagonal_scatter(const Value &self, const Value &src, Size offset = 0, Size dim1 = 0, Size dim2 = 1) {
    return litz::call(detail::graph_of(self, src), "aten.diagonal_scatter.default", {self, src, offset, dim1, dim2});
}

/// aten.diff.default(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor
inline Value diff(const Value &self, Size n = 1, Size dim = -1, const Value &prepend = Value(),
                  const Value &append = Value()) {
    return litz::call(detail::graph_of(self, prepend, append), "aten.diff.default", {self, n, dim,
                                        detail::optional(prepend), detail::optional(append)});
}

/// aten.digamma.default(Tensor self) -> Tensor
inline Value digamma(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.digamma.default", {self});
}

/// aten.digamma_.default(Tensor self) -> Tensor
inline Value digamma_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.digamma_.default", {self});
}

/// aten.dist.default(Tensor self, Tensor other, Scalar p=2) -> Tensor
inline Value dist(const Value &self, const Value &other, Scalar p = 2) {
    return litz::call(detail::graph_of(self, other), "aten.dist.default", {self, other, p});
}

/// aten.div.Scalar(Tensor self, Scalar other) -> Tensor
inline Value div(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.div.Scalar", {self, other});
}

/// aten.div.Tensor(Tensor self, Tensor other) -> Tensor
inline Value div(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.div.Tensor", {self, other});
}

/// aten.div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor
inline Value div(const Value &self, Scalar other, const std::optional<std::string> &rounding_mode) {
    return litz::call(detail::graph_of(self), "aten.div.Scalar_mode", {self, other, rounding_mode});
}

/// aten.div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor
inline Value div(const Value &self, const Value &other, const std::optional<std::string> &rounding_mode) {
    return litz::call(detail::graph_of(self, other), "aten.div.Tensor_mode", {self, other, rounding_mode});
}

/// aten.div_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value div_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.div_.Scalar", {self, other});
}

/// aten.div_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value div_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.div_.Tensor", {self, other});
}

/// aten.div_.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor
inline Value div_(const Value &self, Scalar other, const std::optional<std::string> &rounding_mode) {
    return litz::call(detail::graph_of(self), "aten.div_.Scalar_mode", {self, other, rounding_mode});
}

/// aten.div_.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor
inline Value div_(const Value &self, const Value &other, const std::optional<std::string> &rounding_mode) {
    return litz::call(detail::graph_of(self, other), "aten.div_.Tensor_mode", {self, other, rounding_mode});
}

/// aten.divide.Scalar(Tensor self, Scalar other) -> Tensor
inline Value divide(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.divide.Scalar", {self, other});
}

/// aten.divide.Tensor(Tensor self, Tensor other) -> Tensor
inline Value divide(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.divide.Tensor", {self, other});
}

/// aten.divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor
inline Value divide(const Value &self, Scalar other, const std::optional<std::string> &rounding_mode) {
    return litz::call(detail::graph_of(self), "aten.divide.Scalar_mode", {self, other, rounding_mode});
}

/// aten.divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor
inline Value divide(const Value &self, const Value &other, const std::optional<std::string> &rounding_mode) {
    return litz::call(detail::graph_of(self, other), "aten.divide.Tensor_mode", {self, other, rounding_mode});
}

/// aten.divide_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value divide_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.divide_.Scalar", {self, other});
}

/// aten.divide_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value divide_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.divide_.Tensor", {self, other});
}

/// aten.divide_.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor
inline Value divide_(const Value &self, Scalar other, const std::optional<std::string> &rounding_mode) {
    return litz::call(detail::graph_of(self), "aten.divide_.Scalar_mode", {self, other, rounding_mode});
}

/// aten.divide_.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor
inline Value divide_(const Value &self, const Value &other, const std::optional<std::string> &rounding_mode) {
    return litz::call(detail::graph_of(self, other), "aten.divide_.Tensor_mode", {self, other, rounding_mode});
}

/// aten.dot.default(Tensor self, Tensor tensor) -> Tensor
inline Value dot(const Value &self, const Value &tensor) {
    return litz::call(detail::graph_of(self, tensor), "aten.dot.default", {self, tensor});
}

/// aten.dropout.default(Tensor input, float p, bool train) -> Tensor
inline Value dropout(const Value &input, double p, Flag train) {
    return litz::call(detail::graph_of(input), "aten.dropout.default", {input, p, train});
}

/// aten.dropout_.default(Tensor input, float p, bool train) -> Tensor
inline Value dropout_(const Value &input, double p, Flag train) {
    return litz::call(detail::graph_of(input), "aten.dropout_.default", {input, p, train});
}

/// aten.dsplit.array(Tensor self, int[] indices) -> Tensor[]
inline std::vector<Value> dsplit(const Value &self, const IntList<> &indices) {
    return litz::call_all(detail::graph_of(self), "aten.dsplit.array", {self, indices});
}

/// aten.dsplit.int(Tensor self, int sections) -> Tensor[]
inline std::vector<Value> dsplit(const Value &self, Size sections) {
    return litz::call_all(detail::graph_of(self), "aten.dsplit.int", {self, sections});
}

/// aten.dstack.default(Tensor[] tensors) -> Tensor
inline Value dstack(const std::vector<Value> &tensors) {
    return litz::call(detail::graph_of(tensors), "aten.dstack.default", {tensors});
}

/// aten.einsum.default(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor
inline Value einsum(const std::string &equation, const std::vector<Value> &tensors,
                    const IntList<false, true> &path = std::nullopt) {
    return litz::call(detail::graph_of(tensors), "aten.einsum.default", {equation, tensors, path});
}

/// aten.elu.default(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor
inline Value elu(const Value &self, Scalar alpha = 1, Scalar scale = 1, Scalar input_scale = 1) {
    return litz::call(detail::graph_of(self), "aten.elu.default", {self, alpha, scale, input_scale});
}

/// aten.elu_.default(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor
inline Value elu_(const Value &self, Scalar alpha = 1, Scalar scale = 1, Scalar input_scale = 1) {
    return litz::call(detail::graph_of(self), "aten.elu_.default", {self, alpha, scale, input_scale});
}

/// aten.elu_backward.default(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, Tensor self_or_result) -> Tensor
inline Value elu_backward(const Value &grad_output, Scalar alpha, Scalar scale, Scalar input_scale, Flag is_result,
                          const Value &self_or_result) {
    return litz::call(detail::graph_of(grad_output, self_or_result), "aten.elu_backward.default", {grad_output,
                                        alpha, scale, input_scale, is_result, self_or_result});
}

/// aten.embedding.default(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor
inline Value embedding(const Value &weight, const Value &indices, Size padding_idx = -1,
                       Flag scale_grad_by_freq = false, Flag sparse = false) {
    return litz::call(detail::graph_of(weight, indices), "aten.embedding.default", {weight, indices, padding_idx,
                                        scale_grad_by_freq, sparse});
}

/// aten.embedding_backward.default(Tensor grad, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq, bool sparse) -> Tensor
inline Value embedding_backward(const Value &grad, const Value &indices, Size num_weights, Size padding_idx,
                                Flag scale_grad_by_freq, Flag sparse) {
    return litz::call(detail::graph_of(grad, indices), "aten.embedding_backward.default", {grad, indices,
                                        num_weights, padding_idx, scale_grad_by_freq, sparse});
}

/// aten.embedding_bag.default(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)
inline std::array<Value, 4> embedding_bag(const Value &weight, const Value &indices, const Value &offsets,
                                        Flag scale_grad_by_freq = false, Size mode = 0, Flag sparse = false,
                                        const Value &per_sample_weights = Value(), Flag include_last_offset = false) {
    return detail::fixed<4>(detail::graph_of(weight, indices, offsets, per_sample_weights), "aten.embedding_bag.default", {weight,
                                        indices, offsets, scale_grad_by_freq, mode, sparse,
                                        detail::optional(per_sample_weights), include_last_offset});
}

/// aten.embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)
inline std::array<Value, 4> embedding_bag(const Value &weight, const Value &indices, const Value &offsets,
                                        Flag scale_grad_by_freq, Size mode, Flag sparse,
                                        const Value &per_sample_weights, Flag include_last_offset,
                                        std::optional<Size> padding_idx) {
    return detail::fixed<4>(detail::graph_of(weight, indices, offsets, per_sample_weights), "aten.embedding_bag.padding_idx", {weight,
                                        indices, offsets, scale_grad_by_freq, mode, sparse,
                                        detail::optional(per_sample_weights), include_last_offset, padding_idx});
}

/// aten.embedding_dense_backward.default(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq) -> Tensor
inline Value embedding_dense_backward(const Value &grad_output, const Value &indices, Size num_weights,
                                      Size padding_idx, Flag scale_grad_by_freq) {
    return litz::call(detail::graph_of(grad_output, indices), "aten.embedding_dense_backward.default", {grad_output,
                                        indices, num_weights, padding_idx, scale_grad_by_freq});
}

/// aten.embedding_renorm.default(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor
inline Value embedding_renorm(const Value &self, const Value &indices, double max_norm, double norm_type) {
    return litz::call(detail::graph_of(self, indices), "aten.embedding_renorm.default", {self, indices, max_norm,
                                        norm_type});
}

/// aten.embedding_renorm_.default(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor
inline Value embedding_renorm_(const Value &self, const Value &indices, double max_norm, double norm_type) {
    return litz::call(detail::graph_of(self, indices), "aten.embedding_renorm_.default", {self, indices, max_norm,
                                        norm_type});
}

/// aten.empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value empty(Graph &graph, const IntList<> &size, std::optional<Dtype> dtype = std::nullopt,
                   std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                   std::optional<Flag> pin_memory = std::nullopt,
                   std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(graph.get(), "aten.empty.memory_format", {size, dtype, layout, device, pin_memory,
                                        memory_format});
}

/// aten.empty_like.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value empty_like(const Value &self, std::optional<Dtype> dtype = std::nullopt,
                        std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                        std::optional<Flag> pin_memory = std::nullopt,
                        std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.empty_like.default", {self, dtype, layout, device, pin_memory,
                                        memory_format});
}

/// aten.empty_permuted.default(SymInt[] size, int[] physical_layout, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value empty_permuted(Graph &graph, const IntList<> &size, const IntList<> &physical_layout,
                            std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                            std::optional<DLDevice> device = std::nullopt,
                            std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.empty_permuted.default", {size, physical_layout, dtype, layout, device,
                                        pin_memory});
}

/// aten.empty_strided.default(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value empty_strided(Graph &graph, const IntList<> &size, const IntList<> &stride,
                           std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                           std::optional<DLDevice> device = std::nullopt,
                           std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.empty_strided.default", {size, stride, dtype, layout, device, pin_memory});
}

/// aten.eq.Scalar(Tensor self, Scalar other) -> Tensor
inline Value eq(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.eq.Scalar", {self, other});
}

/// aten.eq.Tensor(Tensor self, Tensor other) -> Tensor
inline Value eq(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.eq.Tensor", {self, other});
}

/// aten.eq_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value eq_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.eq_.Scalar", {self, other});
}

/// aten.eq_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value eq_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.eq_.Tensor", {self, other});
}

/// aten.erf.default(Tensor self) -> Tensor
inline Value erf(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.erf.default", {self});
}

/// aten.erf_.default(Tensor self) -> Tensor
inline Value erf_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.erf_.default", {self});
}

/// aten.erfc.default(Tensor self) -> Tensor
inline Value erfc(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.erfc.default", {self});
}

/// aten.erfc_.default(Tensor self) -> Tensor
inline Value erfc_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.erfc_.default", {self});
}

/// aten.erfinv.default(Tensor self) -> Tensor
inline Value erfinv(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.erfinv.default", {self});
}

/// aten.erfinv_.default(Tensor self) -> Tensor
inline Value erfinv_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.erfinv_.default", {self});
}

/// aten.exp.default(Tensor self) -> Tensor
inline Value exp(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.exp.default", {self});
}

/// aten.exp2.default(Tensor self) -> Tensor
inline Value exp2(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.exp2.default", {self});
}

/// aten.exp2_.default(Tensor self) -> Tensor
inline Value exp2_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.exp2_.default", {self});
}

/// aten.exp_.default(Tensor self) -> Tensor
inline Value exp_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.exp_.default", {self});
}

/// aten.expand.default(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor
inline Value expand(const Value &self, const IntList<> &size, Flag implicit = false) {
    return litz::call(detail::graph_of(self), "aten.expand.default", {self, size, implicit});
}

/// aten.expand_as.default(Tensor self, Tensor other) -> Tensor
inline Value expand_as(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.expand_as.default", {self, other});
}

/// aten.expand_copy.default(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor
inline Value expand_copy(const Value &self, const IntList<> &size, Flag implicit = false) {
    return litz::call(detail::graph_of(self), "aten.expand_copy.default", {self, size, implicit});
}

/// aten.expm1.default(Tensor self) -> Tensor
inline Value expm1(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.expm1.default", {self});
}

/// aten.expm1_.default(Tensor self) -> Tensor
inline Value expm1_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.expm1_.default", {self});
}

/// aten.exponential.default(Tensor self, float lambd=1., *, Generator? generator=None) -> Tensor
inline Value exponential(const Value &self, double lambd = 1.0) {
    return litz::call(detail::graph_of(self), "aten.exponential.default", {self, lambd});
}

/// aten.exponential_.default(Tensor self, float lambd=1., *, Generator? generator=None) -> Tensor
inline Value exponential_(const Value &self, double lambd = 1.0) {
    return litz::call(detail::graph_of(self), "aten.exponential_.default", {self, lambd});
}

/// aten.eye.default(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value eye(Graph &graph, Size n, std::optional<Dtype> dtype = std::nullopt,
                 std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                 std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.eye.default", {n, dtype, layout, device, pin_memory});
}

/// aten.eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value eye(Graph &graph, Size n, Size m, std::optional<Dtype> dtype = std::nullopt,
                 std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                 std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.eye.m", {n, m, dtype, layout, device, pin_memory});
}

/// aten.fake_quantize_per_channel_affine.default(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor
inline Value fake_quantize_per_channel_affine(const Value &self, const Value &scale, const Value &zero_point,
                                        Size axis, Size quant_min, Size quant_max) {
    return litz::call(detail::graph_of(self, scale, zero_point), "aten.fake_quantize_per_channel_affine.default", {self,
                                        scale, zero_point, axis, quant_min, quant_max});
}

/// aten.fake_quantize_per_tensor_affine.default(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor
inline Value fake_quantize_per_tensor_affine(const Value &self, double scale, Size zero_point, Size quant_min,
                                        Size quant_max) {
    return litz::call(detail::graph_of(self), "aten.fake_quantize_per_tensor_affine.default", {self, scale,
                                        zero_point, quant_min, quant_max});
}

/// aten.feature_alpha_dropout.default(Tensor input, float p, bool train) -> Tensor
inline Value feature_alpha_dropout(const Value &input, double p, Flag train) {
    return litz::call(detail::graph_of(input), "aten.feature_alpha_dropout.default", {input, p, train});
}

/// aten.feature_alpha_dropout_.default(Tensor input, float p, bool train) -> Tensor
inline Value feature_alpha_dropout_(const Value &input, double p, Flag train) {
    return litz::call(detail::graph_of(input), "aten.feature_alpha_dropout_.default", {input, p, train});
}

/// aten.feature_dropout.default(Tensor input, float p, bool train) -> Tensor
inline Value feature_dropout(const Value &input, double p, Flag train) {
    return litz::call(detail::graph_of(input), "aten.feature_dropout.default", {input, p, train});
}

/// aten.feature_dropout_.default(Tensor input, float p, bool train) -> Tensor
inline Value feature_dropout_(const Value &input, double p, Flag train) {
    return litz::call(detail::graph_of(input), "aten.feature_dropout_.default", {input, p, train});
}

/// aten.fft_fft.default(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor
inline Value fft_fft(const Value &self, std::optional<Size> n = std::nullopt, Size dim = -1,
                     const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_fft.default", {self, n, dim, norm});
}

/// aten.fft_fft2.default(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
inline Value fft_fft2(const Value &self, const IntList<true, true> &s = std::nullopt,
                      const IntList<true> &dim = {-2, -1}, const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_fft2.default", {self, s, dim, norm});
}

/// aten.fft_fftfreq.default(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value fft_fftfreq(Graph &graph, Size n, double d = 1.0, std::optional<Dtype> dtype = std::nullopt,
                         std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                         std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.fft_fftfreq.default", {n, d, dtype, layout, device, pin_memory});
}

/// aten.fft_fftn.default(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
inline Value fft_fftn(const Value &self, const IntList<true, true> &s = std::nullopt,
                      const IntList<true, true> &dim = std::nullopt,
                      const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_fftn.default", {self, s, dim, norm});
}

/// aten.fft_fftshift.default(Tensor self, int[1]? dim=None) -> Tensor
inline Value fft_fftshift(const Value &self, const IntList<true, true> &dim = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_fftshift.default", {self, dim});
}

/// aten.fft_hfft.default(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor
inline Value fft_hfft(const Value &self, std::optional<Size> n = std::nullopt, Size dim = -1,
                      const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_hfft.default", {self, n, dim, norm});
}

/// aten.fft_hfft2.default(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
inline Value fft_hfft2(const Value &self, const IntList<true, true> &s = std::nullopt,
                       const IntList<true> &dim = {-2, -1}, const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_hfft2.default", {self, s, dim, norm});
}

/// aten.fft_hfftn.default(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
inline Value fft_hfftn(const Value &self, const IntList<true, true> &s = std::nullopt,
                       const IntList<true, true> &dim = std::nullopt,
                       const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_hfftn.default", {self, s, dim, norm});
}

/// aten.fft_ifft.default(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor
inline Value fft_ifft(const Value &self, std::optional<Size> n = std::nullopt, Size dim = -1,
                      const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_ifft.default", {self, n, dim, norm});
}

/// aten.fft_ifft2.default(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
inline Value fft_ifft2(const Value &self, const IntList<true, true> &s = std::nullopt,
                       const IntList<true> &dim = {-2, -1}, const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_ifft2.default", {self, s, dim, norm});
}

/// aten.fft_ifftn.default(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
inline Value fft_ifftn(const Value &self, const IntList<true, true> &s = std::nullopt,
                       const IntList<true, true> &dim = std::nullopt,
                       const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_ifftn.default", {self, s, dim, norm});
}

/// aten.fft_ifftshift.default(Tensor self, int[1]? dim=None) -> Tensor
inline Value fft_ifftshift(const Value &self, const IntList<true, true> &dim = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_ifftshift.default", {self, dim});
}

/// aten.fft_ihfft.default(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor
inline Value fft_ihfft(const Value &self, std::optional<Size> n = std::nullopt, Size dim = -1,
                       const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_ihfft.default", {self, n, dim, norm});
}

/// aten.fft_ihfft2.default(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
inline Value fft_ihfft2(const Value &self, const IntList<true, true> &s = std::nullopt,
                        const IntList<true> &dim = {-2, -1}, const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_ihfft2.default", {self, s, dim, norm});
}

/// aten.fft_ihfftn.default(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
inline Value fft_ihfftn(const Value &self, const IntList<true, true> &s = std::nullopt,
                        const IntList<true, true> &dim = std::nullopt,
                        const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_ihfftn.default", {self, s, dim, norm});
}

/// aten.fft_irfft.default(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor
inline Value fft_irfft(const Value &self, std::optional<Size> n = std::nullopt, Size dim = -1,
                       const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_irfft.default", {self, n, dim, norm});
}

/// aten.fft_irfft2.default(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
inline Value fft_irfft2(const Value &self, const IntList<true, true> &s = std::nullopt,
                        const IntList<true> &dim = {-2, -1}, const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_irfft2.default", {self, s, dim, norm});
}

/// aten.fft_irfftn.default(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
inline Value fft_irfftn(const Value &self, const IntList<true, true> &s = std::nullopt,
                        const IntList<true, true> &dim = std::nullopt,
                        const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_irfftn.default", {self, s, dim, norm});
}

/// aten.fft_rfft.default(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor
inline Value fft_rfft(const Value &self, std::optional<Size> n = std::nullopt, Size dim = -1,
                      const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_rfft.default", {self, n, dim, norm});
}

/// aten.fft_rfft2.default(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
inline Value fft_rfft2(const Value &self, const IntList<true, true> &s = std::nullopt,
                       const IntList<true> &dim = {-2, -1}, const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_rfft2.default", {self, s, dim, norm});
}

/// aten.fft_rfftfreq.default(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value fft_rfftfreq(Graph &graph, Size n, double d = 1.0, std::optional<Dtype> dtype = std::nullopt,
                          std::optional<Layout> layout = std::nullopt,
                          std::optional<DLDevice> device = std::nullopt,
                          std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.fft_rfftfreq.default", {n, d, dtype, layout, device, pin_memory});
}

/// aten.fft_rfftn.default(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
inline Value fft_rfftn(const Value &self, const IntList<true, true> &s = std::nullopt,
                       const IntList<true, true> &dim = std::nullopt,
                       const std::optional<std::string> &norm = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.fft_rfftn.default", {self, s, dim, norm});
}

/// aten.fill.Scalar(Tensor self, Scalar value) -> Tensor
inline Value fill(const Value &self, Scalar value) {
    return litz::call(detail::graph_of(self), "aten.fill.Scalar", {self, value});
}

/// aten.fill.Tensor(Tensor self, Tensor value) -> Tensor
inline Value fill(const Value &self, const Value &value) {
    return litz::call(detail::graph_of(self, value), "aten.fill.Tensor", {self, value});
}

/// aten.fill_.Scalar(Tensor self, Scalar value) -> Tensor
inline Value fill_(const Value &self, Scalar value) {
    return litz::call(detail::graph_of(self), "aten.fill_.Scalar", {self, value});
}

/// aten.fill_.Tensor(Tensor self, Tensor value) -> Tensor
inline Value fill_(const Value &self, const Value &value) {
    return litz::call(detail::graph_of(self, value), "aten.fill_.Tensor", {self, value});
}

/// aten.fix.default(Tensor self) -> Tensor
inline Value fix(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.fix.default", {self});
}

/// aten.fix_.default(Tensor self) -> Tensor
inline Value fix_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.fix_.default", {self});
}

/// aten.flatten.using_ints(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor
inline Value flatten(const Value &self, Size start_dim = 0, Size end_dim = -1) {
    return litz::call(detail::graph_of(self), "aten.flatten.using_ints", {self, start_dim, end_dim});
}

/// aten.flip.default(Tensor self, int[] dims) -> Tensor
inline Value flip(const Value &self, const IntList<> &dims) {
    return litz::call(detail::graph_of(self), "aten.flip.default", {self, dims});
}

/// aten.fliplr.default(Tensor self) -> Tensor
inline Value fliplr(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.fliplr.default", {self});
}

/// aten.flipud.default(Tensor self) -> Tensor
inline Value flipud(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.flipud.default", {self});
}

/// aten.float_power.Scalar(Scalar self, Tensor exponent) -> Tensor
inline Value float_power(Scalar self, const Value &exponent) {
    return litz::call(detail::graph_of(exponent), "aten.float_power.Scalar", {self, exponent});
}

/// aten.float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
inline Value float_power(const Value &self, Scalar exponent) {
    return litz::call(detail::graph_of(self), "aten.float_power.Tensor_Scalar", {self, exponent});
}

/// aten.float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor
inline Value float_power(const Value &self, const Value &exponent) {
    return litz::call(detail::graph_of(self, exponent), "aten.float_power.Tensor_Tensor", {self, exponent});
}

/// aten.float_power_.Scalar(Tensor self, Scalar exponent) -> Tensor
inline Value float_power_(const Value &self, Scalar exponent) {
    return litz::call(detail::graph_of(self), "aten.float_power_.Scalar", {self, exponent});
}

/// aten.float_power_.Tensor(Tensor self, Tensor exponent) -> Tensor
inline Value float_power_(const Value &self, const Value &exponent) {
    return litz::call(detail::graph_of(self, exponent), "aten.float_power_.Tensor", {self, exponent});
}

/// aten.floor.default(Tensor self) -> Tensor
inline Value floor(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.floor.default", {self});
}

/// aten.floor_.default(Tensor self) -> Tensor
inline Value floor_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.floor_.default", {self});
}

/// aten.floor_divide.default(Tensor self, Tensor other) -> Tensor
inline Value floor_divide(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.floor_divide.default", {self, other});
}

/// aten.floor_divide.Scalar(Tensor self, Scalar other) -> Tensor
inline Value floor_divide(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.floor_divide.Scalar", {self, other});
}

/// aten.floor_divide_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value floor_divide_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.floor_divide_.Scalar", {self, other});
}

/// aten.floor_divide_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value floor_divide_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.floor_divide_.Tensor", {self, other});
}

/// aten.fmax.default(Tensor self, Tensor other) -> Tensor
inline Value fmax(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.fmax.default", {self, other});
}

/// aten.fmin.default(Tensor self, Tensor other) -> Tensor
inline Value fmin(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.fmin.default", {self, other});
}

/// aten.fmod.Scalar(Tensor self, Scalar other) -> Tensor
inline Value fmod(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.fmod.Scalar", {self, other});
}

/// aten.fmod.Tensor(Tensor self, Tensor other) -> Tensor
inline Value fmod(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.fmod.Tensor", {self, other});
}

/// aten.fmod_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value fmod_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.fmod_.Scalar", {self, other});
}

/// aten.fmod_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value fmod_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.fmod_.Tensor", {self, other});
}

/// aten.frac.default(Tensor self) -> Tensor
inline Value frac(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.frac.default", {self});
}

/// aten.frac_.default(Tensor self) -> Tensor
inline Value frac_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.frac_.default", {self});
}

/// aten.fractional_max_pool2d.default(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> (Tensor, Tensor)
inline std::array<Value, 2> fractional_max_pool2d(const Value &self, const IntList<true> &kernel_size,
                                        const IntList<true> &output_size, const Value &random_samples) {
    return detail::fixed<2>(detail::graph_of(self, random_samples), "aten.fractional_max_pool2d.default", {self,
                                        kernel_size, output_size, random_samples});
}

/// aten.fractional_max_pool2d_backward.default(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] output_size, Tensor indices) -> Tensor
inline Value fractional_max_pool2d_backward(const Value &grad_output, const Value &self,
                                        const IntList<true> &kernel_size, const IntList<true> &output_size,
                                        const Value &indices) {
    return litz::call(detail::graph_of(grad_output, self, indices), "aten.fractional_max_pool2d_backward.default", {grad_output,
                                        self, kernel_size, output_size, indices});
}

/// aten.fractional_max_pool3d.default(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> (Tensor, Tensor)
inline std::array<Value, 2> fractional_max_pool3d(const Value &self, const IntList<true> &kernel_size,
                                        const IntList<true> &output_size, const Value &random_samples) {
    return detail::fixed<2>(detail::graph_of(self, random_samples), "aten.fractional_max_pool3d.default", {self,
                                        kernel_size, output_size, random_samples});
}

/// aten.fractional_max_pool3d_backward.default(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] output_size, Tensor indices) -> Tensor
inline Value fractional_max_pool3d_backward(const Value &grad_output, const Value &self,
                                        const IntList<true> &kernel_size, const IntList<true> &output_size,
                                        const Value &indices) {
    return litz::call(detail::graph_of(grad_output, self, indices), "aten.fractional_max_pool3d_backward.default", {grad_output,
                                        self, kernel_size, output_size, indices});
}

/// aten.frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)
inline std::array<Value, 2> frexp(const Value &self) {
    return detail::fixed<2>(detail::graph_of(self), "aten.frexp.Tensor", {self});
}

/// aten.frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor
inline Value frobenius_norm(const Value &self, const IntList<true> &dim, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.frobenius_norm.dim", {self, dim, keepdim});
}

/// aten.full.default(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value full(Graph &graph, const IntList<> &size, Scalar fill_value, std::optional<Dtype> dtype = std::nullopt,
                  std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                  std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.full.default", {size, fill_value, dtype, layout, device, pin_memory});
}

/// aten.full_like.default(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value full_like(const Value &self, Scalar fill_value, std::optional<Dtype> dtype = std::nullopt,
                       std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                       std::optional<Flag> pin_memory = std::nullopt,
                       std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.full_like.default", {self, fill_value, dtype, layout, device,
                                        pin_memory, memory_format});
}

/// aten.gather.default(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor
inline Value gather(const Value &self, Size dim, const Value &index, Flag sparse_grad = false) {
    return litz::call(detail::graph_of(self, index), "aten.gather.default", {self, dim, index, sparse_grad});
}

/// aten.gcd.default(Tensor self, Tensor other) -> Tensor
inline Value gcd(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.gcd.default", {self, other});
}

/// aten.gcd_.default(Tensor self, Tensor other) -> Tensor
inline Value gcd_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.gcd_.default", {self, other});
}

/// aten.ge.Scalar(Tensor self, Scalar other) -> Tensor
inline Value ge(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.ge.Scalar", {self, other});
}

/// aten.ge.Tensor(Tensor self, Tensor other) -> Tensor
inline Value ge(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.ge.Tensor", {self, other});
}

/// aten.ge_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value ge_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.ge_.Scalar", {self, other});
}

/// aten.ge_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value ge_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.ge_.Tensor", {self, other});
}

/// aten.gelu.default(Tensor self, *, str approximate='none') -> Tensor
inline Value gelu(const Value &self, const std::string &approximate = "none") {
    return litz::call(detail::graph_of(self), "aten.gelu.default", {self, approximate});
}

/// aten.gelu_.default(Tensor self, *, str approximate='none') -> Tensor
inline Value gelu_(const Value &self, const std::string &approximate = "none") {
    return litz::call(detail::graph_of(self), "aten.gelu_.default", {self, approximate});
}

/// aten.gelu_backward.default(Tensor grad_output, Tensor self, *, str approximate='none') -> Tensor
inline Value gelu_backward(const Value &grad_output, const Value &self, const std::string &approximate = "none") {
    return litz::call(detail::graph_of(grad_output, self), "aten.gelu_backward.default", {grad_output, self,
                                        approximate});
}

/// aten.geometric.default(Tensor self, float p, *, Generator? generator=None) -> Tensor
inline Value geometric(const Value &self, double p) {
    return litz::call(detail::graph_of(self), "aten.geometric.default", {self, p});
}

/// aten.geometric_.default(Tensor self, float p, *, Generator? generator=None) -> Tensor
inline Value geometric_(const Value &self, double p) {
    return litz::call(detail::graph_of(self), "aten.geometric_.default", {self, p});
}

/// aten.geqrf.default(Tensor self) -> (Tensor a, Tensor tau)
inline std::array<Value, 2> geqrf(const Value &self) {
    return detail::fixed<2>(detail::graph_of(self), "aten.geqrf.default", {self});
}

/// aten.ger.default(Tensor self, Tensor vec2) -> Tensor
inline Value ger(const Value &self, const Value &vec2) {
    return litz::call(detail::graph_of(self, vec2), "aten.ger.default", {self, vec2});
}

/// aten.glu.default(Tensor self, int dim=-1) -> Tensor
inline Value glu(const Value &self, Size dim = -1) {
    return litz::call(detail::graph_of(self), "aten.glu.default", {self, dim});
}

/// aten.glu_backward.default(Tensor grad_output, Tensor self, int dim) -> Tensor
inline Value glu_backward(const Value &grad_output, const Value &self, Size dim) {
    return litz::call(detail::graph_of(grad_output, self), "aten.glu_backward.default", {grad_output, self, dim});
}

/// aten.gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]
inline std::vector<Value> gradient(const Value &self, const IntList<> &dim, Size edge_order = 1) {
    return litz::call_all(detail::graph_of(self), "aten.gradient.array", {self, dim, edge_order});
}

/// aten.gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]
inline std::vector<Value> gradient(const Value &self, Scalar spacing, const IntList<> &dim, Size edge_order = 1) {
    return litz::call_all(detail::graph_of(self), "aten.gradient.scalararray", {self, spacing, dim, edge_order});
}

/// aten.gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]
inline std::vector<Value> gradient(const Value &self, std::optional<Scalar> spacing = std::nullopt,
                                   std::optional<Size> dim = std::nullopt, Size edge_order = 1) {
    return litz::call_all(detail::graph_of(self), "aten.gradient.scalarint", {self, spacing, dim, edge_order});
}

/// aten.gradient.scalarrayarray(Tensor self, *, float[] spacing, int[] dim, int edge_order=1) -> Tensor[]
inline std::vector<Value> gradient(const Value &self, const std::vector<double> &spacing, const IntList<> &dim,
                                   Size edge_order = 1) {
    return litz::call_all(detail::graph_of(self), "aten.gradient.scalarrayarray", {self, spacing, dim, edge_order});
}

/// aten.gradient.scalarrayint(Tensor self, *, float[] spacing, int? dim=None, int edge_order=1) -> Tensor[]
inline std::vector<Value> gradient(const Value &self, const std::vector<double> &spacing, std::optional<Size> dim,
                                   Size edge_order) {
    return litz::call_all(detail::graph_of(self), "aten.gradient.scalarrayint", {self, spacing, dim, edge_order});
}

/// aten.gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]
inline std::vector<Value> gradient(const Value &self, const std::vector<Value> &spacing, const IntList<> &dim,
                                   Size edge_order = 1) {
    return litz::call_all(detail::graph_of(self, spacing), "aten.gradient.tensorarray", {self, spacing, dim,
                                        edge_order});
}

/// aten.gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]
inline std::vector<Value> gradient(const Value &self, const std::vector<Value> &spacing,
                                   std::optional<Size> dim = std::nullopt, Size edge_order = 1) {
    return litz::call_all(detail::graph_of(self, spacing), "aten.gradient.tensorarrayint", {self, spacing, dim,
                                        edge_order});
}

/// aten.greater.Scalar(Tensor self, Scalar other) -> Tensor
inline Value greater(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.greater.Scalar", {self, other});
}

/// aten.greater.Tensor(Tensor self, Tensor other) -> Tensor
inline Value greater(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.greater.Tensor", {self, other});
}

/// aten.greater_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value greater_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.greater_.Scalar", {self, other});
}

/// aten.greater_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value greater_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.greater_.Tensor", {self, other});
}

/// aten.greater_equal.Scalar(Tensor self, Scalar other) -> Tensor
inline Value greater_equal(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.greater_equal.Scalar", {self, other});
}

/// aten.greater_equal.Tensor(Tensor self, Tensor other) -> Tensor
inline Value greater_equal(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.greater_equal.Tensor", {self, other});
}

/// aten.greater_equal_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value greater_equal_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.greater_equal_.Scalar", {self, other});
}

/// aten.greater_equal_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value greater_equal_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.greater_equal_.Tensor", {self, other});
}

/// aten.grid_sampler.default(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor
inline Value grid_sampler(const Value &input, const Value &grid, Size interpolation_mode, Size padding_mode,
                          Flag align_corners) {
    return litz::call(detail::graph_of(input, grid), "aten.grid_sampler.default", {input, grid, interpolation_mode,
                                        padding_mode, align_corners});
}

/// aten.grid_sampler_2d.default(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor
inline Value grid_sampler_2d(const Value &input, const Value &grid, Size interpolation_mode, Size padding_mode,
                             Flag align_corners) {
    return litz::call(detail::graph_of(input, grid), "aten.grid_sampler_2d.default", {input, grid,
                                        interpolation_mode, padding_mode, align_corners});
}

/// aten.grid_sampler_2d_backward.default(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)
inline std::array<Value, 2> grid_sampler_2d_backward(const Value &grad_output, const Value &input,
                                        const Value &grid, Size interpolation_mode, Size padding_mode,
                                        Flag align_corners, const std::vector<bool> &output_mask) {
    return detail::fixed<2>(detail::graph_of(grad_output, input, grid), "aten.grid_sampler_2d_backward.default", {grad_output,
                                        input, grid, interpolation_mode, padding_mode, align_corners,
                                        detail::bools(output_mask)});
}

/// aten.grid_sampler_3d.default(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor
inline Value grid_sampler_3d(const Value &input, const Value &grid, Size interpolation_mode, Size padding_mode,
                             Flag align_corners) {
    return litz::call(detail::graph_of(input, grid), "aten.grid_sampler_3d.default", {input, grid,
                                        interpolation_mode, padding_mode, align_corners});
}

/// aten.grid_sampler_3d_backward.default(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)
inline std::array<Value, 2> grid_sampler_3d_backward(const Value &grad_output, const Value &input,
                                        const Value &grid, Size interpolation_mode, Size padding_mode,
                                        Flag align_corners, const std::vector<bool> &output_mask) {
    return detail::fixed<2>(detail::graph_of(grad_output, input, grid), "aten.grid_sampler_3d_backward.default", {grad_output,
                                        input, grid, interpolation_mode, padding_mode, align_corners,
                                        detail::bools(output_mask)});
}

/// aten.group_norm.default(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-5, bool cudnn_enabled=True) -> Tensor
inline Value group_norm(const Value &input, Size num_groups, const Value &weight = Value(),
                        const Value &bias = Value(), double eps = 1e-5, Flag cudnn_enabled = true) {
    return litz::call(detail::graph_of(input, weight, bias), "aten.group_norm.default", {input, num_groups,
                                        detail::optional(weight), detail::optional(bias), eps, cudnn_enabled});
}

/// aten.gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)
inline std::array<Value, 2> gru(const Value &input, const Value &hx, const std::vector<Value> &params,
                                Flag has_biases, Size num_layers, double dropout, Flag train, Flag bidirectional,
                                Flag batch_first) {
    return detail::fixed<2>(detail::graph_of(input, hx, params), "aten.gru.input", {input, hx, params, has_biases,
                                        num_layers, dropout, train, bidirectional, batch_first});
}

/// aten.gru_cell.default(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor
inline Value gru_cell(const Value &input, const Value &hx, const Value &w_ih, const Value &w_hh,
                      const Value &b_ih = Value(), const Value &b_hh = Value()) {
    return litz::call(detail::graph_of(input, hx, w_ih, w_hh, b_ih, b_hh), "aten.gru_cell.default", {input, hx,
                                        w_ih, w_hh, detail::optional(b_ih), detail::optional(b_hh)});
}

/// aten.gt.Scalar(Tensor self, Scalar other) -> Tensor
inline Value gt(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.gt.Scalar", {self, other});
}

/// aten.gt.Tensor(Tensor self, Tensor other) -> Tensor
inline Value gt(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.gt.Tensor", {self, other});
}

/// aten.gt_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value gt_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.gt_.Scalar", {self, other});
}

/// aten.gt_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value gt_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.gt_.Tensor", {self, other});
}

/// aten.hamming_window.default(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value hamming_window(Graph &graph, Size window_length, std::optional<Dtype> dtype = std::nullopt,
                            std::optional<Layout> layout = std::nullopt,
                            std::optional<DLDevice> device = std::nullopt,
                            std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.hamming_window.default", {window_length, dtype, layout, device, pin_memory});
}

/// aten.hamming_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value hamming_window(Graph &graph, Size window_length, Flag periodic,
                            std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                            std::optional<DLDevice> device = std::nullopt,
                            std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.hamming_window.periodic", {window_length, periodic, dtype, layout, device,
                                        pin_memory});
}

/// aten.hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value hamming_window(Graph &graph, Size window_length, Flag periodic, double alpha,
                            std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                            std::optional<DLDevice> device = std::nullopt,
                            std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.hamming_window.periodic_alpha", {window_length, periodic, alpha, dtype,
                                        layout, device, pin_memory});
}

/// aten.hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value hamming_window(Graph &graph, Size window_length, Flag periodic, double alpha, double beta,
                            std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                            std::optional<DLDevice> device = std::nullopt,
                            std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.hamming_window.periodic_alpha_beta", {window_length, periodic, alpha, beta,
                                        dtype, layout, device, pin_memory});
}

/// aten.hann_window.default(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value hann_window(Graph &graph, Size window_length, std::optional<Dtype> dtype = std::nullopt,
                         std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                         std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.hann_window.default", {window_length, dtype, layout, device, pin_memory});
}

/// aten.hann_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value hann_window(Graph &graph, Size window_length, Flag periodic, std::optional<Dtype> dtype = std::nullopt,
                         std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                         std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.hann_window.periodic", {window_length, periodic, dtype, layout, device,
                                        pin_memory});
}

/// aten.hardshrink.default(Tensor self, Scalar lambd=0.5) -> Tensor
inline Value hardshrink(const Value &self, Scalar lambd = 0.5) {
    return litz::call(detail::graph_of(self), "aten.hardshrink.default", {self, lambd});
}

/// aten.hardshrink_backward.default(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor
inline Value hardshrink_backward(const Value &grad_out, const Value &self, Scalar lambd) {
    return litz::call(detail::graph_of(grad_out, self), "aten.hardshrink_backward.default", {grad_out, self, lambd});
}

/// aten.hardsigmoid.default(Tensor self) -> Tensor
inline Value hardsigmoid(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.hardsigmoid.default", {self});
}

/// aten.hardsigmoid_.default(Tensor self) -> Tensor
inline Value hardsigmoid_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.hardsigmoid_.default", {self});
}

/// aten.hardsigmoid_backward.default(Tensor grad_output, Tensor self) -> Tensor
inline Value hardsigmoid_backward(const Value &grad_output, const Value &self) {
    return litz::call(detail::graph_of(grad_output, self), "aten.hardsigmoid_backward.default", {grad_output, self});
}

/// aten.hardswish.default(Tensor self) -> Tensor
inline Value hardswish(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.hardswish.default", {self});
}

/// aten.hardswish_.default(Tensor self) -> Tensor
inline Value hardswish_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.hardswish_.default", {self});
}

/// aten.hardswish_backward.default(Tensor grad_output, Tensor self) -> Tensor
inline Value hardswish_backward(const Value &grad_output, const Value &self) {
    return litz::call(detail::graph_of(grad_output, self), "aten.hardswish_backward.default", {grad_output, self});
}

/// aten.hardtanh.default(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor
inline Value hardtanh(const Value &self, Scalar min_val = -1, Scalar max_val = 1) {
    return litz::call(detail::graph_of(self), "aten.hardtanh.default", {self, min_val, max_val});
}

/// aten.hardtanh_.default(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor
inline Value hardtanh_(const Value &self, Scalar min_val = -1, Scalar max_val = 1) {
    return litz::call(detail::graph_of(self), "aten.hardtanh_.default", {self, min_val, max_val});
}

/// aten.hardtanh_backward.default(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor
inline Value hardtanh_backward(const Value &grad_output, const Value &self, Scalar min_val, Scalar max_val) {
    return litz::call(detail::graph_of(grad_output, self), "aten.hardtanh_backward.default", {grad_output, self,
                                        min_val, max_val});
}

/// aten.hash_tensor.default(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor
inline Value hash_tensor(const Value &self, const IntList<true> &dim = {}, Flag keepdim = false, Size mode = 0) {
    return litz::call(detail::graph_of(self), "aten.hash_tensor.default", {self, dim, keepdim, mode});
}

/// aten.heaviside.default(Tensor self, Tensor values) -> Tensor
inline Value heaviside(const Value &self, const Value &values) {
    return litz::call(detail::graph_of(self, values), "aten.heaviside.default", {self, values});
}

/// aten.heaviside_.default(Tensor self, Tensor values) -> Tensor
inline Value heaviside_(const Value &self, const Value &values) {
    return litz::call(detail::graph_of(self, values), "aten.heaviside_.default", {self, values});
}

/// aten.hinge_embedding_loss.default(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor
inline Value hinge_embedding_loss(const Value &self, const Value &target, double margin = 1.0, Size reduction = 1) {
    return litz::call(detail::graph_of(self, target), "aten.hinge_embedding_loss.default", {self, target, margin,
                                        reduction});
}

/// aten.histc.default(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor
inline Value histc(const Value &self, Size bins = 100, Scalar min = 0, Scalar max = 0) {
    return litz::call(detail::graph_of(self), "aten.histc.default", {self, bins, min, max});
}

/// aten.histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)
inline std::array<Value, 2> histogram(const Value &self, const Value &bins, const Value &weight = Value(),
                                      Flag density = false) {
    return detail::fixed<2>(detail::graph_of(self, bins, weight), "aten.histogram.bins_tensor", {self, bins,
                                        detail::optional(weight), density});
}

/// aten.histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)
inline std::array<Value, 2> histogram(const Value &self, Size bins = 100,
                                      const std::optional<std::vector<double>> &range = std::nullopt,
                                      const Value &weight = Value(), Flag density = false) {
    return detail::fixed<2>(detail::graph_of(self, weight), "aten.histogram.bin_ct", {self, bins, range,
                                        detail::optional(weight), density});
}

/// aten.histogramdd.default(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)
inline std::vector<Value> histogramdd(const Value &self, const IntList<> &bins,
                                      const std::optional<std::vector<double>> &range = std::nullopt,
                                      const Value &weight = Value(), Flag density = false) {
    return litz::call_all(detail::graph_of(self, weight), "aten.histogramdd.default", {self, bins, range,
                                        detail::optional(weight), density});
}

/// aten.histogramdd.TensorList_bins(Tensor self, Tensor[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)
inline std::vector<Value> histogramdd(const Value &self, const std::vector<Value> &bins,
                                      const std::optional<std::vector<double>> &range = std::nullopt,
                                      const Value &weight = Value(), Flag density = false) {
    return litz::call_all(detail::graph_of(self, bins, weight), "aten.histogramdd.TensorList_bins", {self, bins,
                                        range, detail::optional(weight), density});
}

/// aten.histogramdd.int_bins(Tensor self, int bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)
inline std::vector<Value> histogramdd(const Value &self, Size bins,
                                      const std::optional<std::vector<double>> &range = std::nullopt,
                                      const Value &weight = Value(), Flag density = false) {
    return litz::call_all(detail::graph_of(self, weight), "aten.histogramdd.int_bins", {self, bins, range,
                                        detail::optional(weight), density});
}

/// aten.hsplit.array(Tensor self, int[] indices) -> Tensor[]
inline std::vector<Value> hsplit(const Value &self, const IntList<> &indices) {
    return litz::call_all(detail::graph_of(self), "aten.hsplit.array", {self, indices});
}

/// aten.hsplit.int(Tensor self, int sections) -> Tensor[]
inline std::vector<Value> hsplit(const Value &self, Size sections) {
    return litz::call_all(detail::graph_of(self), "aten.hsplit.int", {self, sections});
}

/// aten.hstack.default(Tensor[] tensors) -> Tensor
inline Value hstack(const std::vector<Value> &tensors) {
    return litz::call(detail::graph_of(tensors), "aten.hstack.default", {tensors});
}

/// aten.huber_loss.default(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor
inline Value huber_loss(const Value &self, const Value &target, Size reduction = 1, double delta = 1.0) {
    return litz::call(detail::graph_of(self, target), "aten.huber_loss.default", {self, target, reduction, delta});
}

/// aten.huber_loss_backward.default(Tensor grad_output, Tensor self, Tensor target, int reduction, float delta) -> Tensor
inline Value huber_loss_backward(const Value &grad_output, const Value &self, const Value &target, Size reduction,
                                 double delta) {
    return litz::call(detail::graph_of(grad_output, self, target), "aten.huber_loss_backward.default", {grad_output,
                                        self, target, reduction, delta});
}

/// aten.hypot.default(Tensor self, Tensor other) -> Tensor
inline Value hypot(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.hypot.default", {self, other});
}

/// aten.hypot_.default(Tensor self, Tensor other) -> Tensor
inline Value hypot_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.hypot_.default", {self, other});
}

/// aten.i0.default(Tensor self) -> Tensor
inline Value i0(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.i0.default", {self});
}

/// aten.i0_.default(Tensor self) -> Tensor
inline Value i0_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.i0_.default", {self});
}

/// aten.igamma.default(Tensor self, Tensor other) -> Tensor
inline Value igamma(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.igamma.default", {self, other});
}

/// aten.igamma_.default(Tensor self, Tensor other) -> Tensor
inline Value igamma_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.igamma_.default", {self, other});
}

/// aten.igammac.default(Tensor self, Tensor other) -> Tensor
inline Value igammac(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.igammac.default", {self, other});
}

/// aten.igammac_.default(Tensor self, Tensor other) -> Tensor
inline Value igammac_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.igammac_.default", {self, other});
}

/// aten.im2col.default(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor
inline Value im2col(const Value &self, const IntList<true> &kernel_size, const IntList<true> &dilation,
                    const IntList<true> &padding, const IntList<true> &stride) {
    return litz::call(detail::graph_of(self), "aten.im2col.default", {self, kernel_size, dilation, padding, stride});
}

/// aten.imag.default(Tensor self) -> Tensor
inline Value imag(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.imag.default", {self});
}

/// aten.index.Tensor(Tensor self, Tensor?[] indices) -> Tensor
inline Value index(const Value &self, const std::vector<Value> &indices) {
    return litz::call(detail::graph_of(self, indices), "aten.index.Tensor", {self, indices});
}

/// aten.index_add.default(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor
inline Value index_add(const Value &self, Size dim, const Value &index, const Value &source, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, index, source), "aten.index_add.default", {self, dim, index, source,
                                        alpha});
}

/// aten.index_add_.default(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor
inline Value index_add_(const Value &self, Size dim, const Value &index, const Value &source, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, index, source), "aten.index_add_.default", {self, dim, index, source,
                                        alpha});
}

/// aten.index_copy.default(Tensor self, int dim, Tensor index, Tensor source) -> Tensor
inline Value index_copy(const Value &self, Size dim, const Value &index, const Value &source) {
    return litz::call(detail::graph_of(self, index, source), "aten.index_copy.default", {self, dim, index, source});
}

/// aten.index_copy_.default(Tensor self, int dim, Tensor index, Tensor source) -> Tensor
inline Value index_copy_(const Value &self, Size dim, const Value &index, const Value &source) {
    return litz::call(detail::graph_of(self, index, source), "aten.index_copy_.default", {self, dim, index, source});
}

/// aten.index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor
inline Value index_fill(const Value &self, Size dim, const Value &index, Scalar value) {
    return litz::call(detail::graph_of(self, index), "aten.index_fill.int_Scalar", {self, dim, index, value});
}

/// aten.index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor
inline Value index_fill(const Value &self, Size dim, const Value &index, const Value &value) {
    return litz::call(detail::graph_of(self, index, value), "aten.index_fill.int_Tensor", {self, dim, index, value});
}

/// aten.index_fill_.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor
inline Value index_fill_(const Value &self, Size dim, const Value &index, Scalar value) {
    return litz::call(detail::graph_of(self, index), "aten.index_fill_.int_Scalar", {self, dim, index, value});
}

/// aten.index_fill_.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor
inline Value index_fill_(const Value &self, Size dim, const Value &index, const Value &value) {
    return litz::call(detail::graph_of(self, index, value), "aten.index_fill_.int_Tensor", {self, dim, index, value});
}

/// aten.index_put.default(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor
inline Value index_put(const Value &self, const std::vector<Value> &indices, const Value &values,
                       Flag accumulate = false) {
    return litz::call(detail::graph_of(self, indices, values), "aten.index_put.default", {self, indices, values,
                                        accumulate});
}

/// aten.index_put_.default(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor
inline Value index_put_(const Value &self, const std::vector<Value> &indices, const Value &values,
                        Flag accumulate = false) {
    return litz::call(detail::graph_of(self, indices, values), "aten.index_put_.default", {self, indices, values,
                                        accumulate});
}

/// aten.index_reduce.default(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor
inline Value index_reduce(const Value &self, Size dim, const Value &index, const Value &source,
                          const std::string &reduce, Flag include_self = true) {
    return litz::call(detail::graph_of(self, index, source), "aten.index_reduce.default", {self, dim, index, source,
                                        reduce, include_self});
}

/// aten.index_reduce_.default(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor
inline Value index_reduce_(const Value &self, Size dim, const Value &index, const Value &source,
                           const std::string &reduce, Flag include_self = true) {
    return litz::call(detail::graph_of(self, index, source), "aten.index_reduce_.default", {self, dim, index,
                                        source, reduce, include_self});
}

/// aten.index_select.default(Tensor self, int dim, Tensor index) -> Tensor
inline Value index_select(const Value &self, Size dim, const Value &index) {
    return litz::call(detail::graph_of(self, index), "aten.index_select.default", {self, dim, index});
}

/// aten.index_select_backward.default(Tensor grad, SymInt[] self_sizes, int dim, Tensor index) -> Tensor
inline Value index_select_backward(const Value &grad, const IntList<> &self_sizes, Size dim, const Value &index) {
    return litz::call(detail::graph_of(grad, index), "aten.index_select_backward.default", {grad, self_sizes, dim,
                                        index});
}

/// aten.inner.default(Tensor self, Tensor other) -> Tensor
inline Value inner(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.inner.default", {self, other});
}

/// aten.instance_norm.default(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor
inline Value instance_norm(const Value &input, const Value &weight, const Value &bias, const Value &running_mean,
                           const Value &running_var, Flag use_input_stats, double momentum, double eps,
                           Flag cudnn_enabled) {
    return litz::call(detail::graph_of(input, weight, bias, running_mean, running_var), "aten.instance_norm.default", {input,
                                        detail::optional(weight), detail::optional(bias),
                                        detail::optional(running_mean), detail::optional(running_var),
                                        use_input_stats, momentum, eps, cudnn_enabled});
}

/// aten.inverse.default(Tensor self) -> Tensor
inline Value inverse(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.inverse.default", {self});
}

/// aten.isclose.default(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> Tensor
inline Value isclose(const Value &self, const Value &other, double rtol = 1e-5, double atol = 1e-8,
                     Flag equal_nan = false) {
    return litz::call(detail::graph_of(self, other), "aten.isclose.default", {self, other, rtol, atol, equal_nan});
}

/// aten.isfinite.default(Tensor self) -> Tensor
inline Value isfinite(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.isfinite.default", {self});
}

/// aten.isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor
inline Value isin(Scalar element, const Value &test_elements, Flag assume_unique = false, Flag invert = false) {
    return litz::call(detail::graph_of(test_elements), "aten.isin.Scalar_Tensor", {element, test_elements,
                                        assume_unique, invert});
}

/// aten.isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor
inline Value isin(const Value &elements, Scalar test_element, Flag assume_unique = false, Flag invert = false) {
    return litz::call(detail::graph_of(elements), "aten.isin.Tensor_Scalar", {elements, test_element, assume_unique,
                                        invert});
}

/// aten.isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor
inline Value isin(const Value &elements, const Value &test_elements, Flag assume_unique = false,
                  Flag invert = false) {
    return litz::call(detail::graph_of(elements, test_elements), "aten.isin.Tensor_Tensor", {elements,
                                        test_elements, assume_unique, invert});
}

/// aten.isinf.default(Tensor self) -> Tensor
inline Value isinf(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.isinf.default", {self});
}

/// aten.isnan.default(Tensor self) -> Tensor
inline Value isnan(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.isnan.default", {self});
}

/// aten.isneginf.default(Tensor self) -> Tensor
inline Value isneginf(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.isneginf.default", {self});
}

/// aten.isposinf.default(Tensor self) -> Tensor
inline Value isposinf(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.isposinf.default", {self});
}

/// aten.isreal.default(Tensor self) -> Tensor
inline Value isreal(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.isreal.default", {self});
}

/// aten.istft.default(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor
inline Value istft(const Value &self, Size n_fft, std::optional<Size> hop_length = std::nullopt,
                   std::optional<Size> win_length = std::nullopt, const Value &window = Value(), Flag center = true,
                   Flag normalized = false, std::optional<Flag> onesided = std::nullopt,
                   std::optional<Size> length = std::nullopt, Flag return_complex = false) {
    return litz::call(detail::graph_of(self, window), "aten.istft.default", {self, n_fft, hop_length, win_length,
                                        detail::optional(window), center, normalized, onesided, length,
                                        return_complex});
}

/// aten.kaiser_window.default(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value kaiser_window(Graph &graph, Size window_length, std::optional<Dtype> dtype = std::nullopt,
                           std::optional<Layout> layout = std::nullopt,
                           std::optional<DLDevice> device = std::nullopt,
                           std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.kaiser_window.default", {window_length, dtype, layout, device, pin_memory});
}

/// aten.kaiser_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value kaiser_window(Graph &graph, Size window_length, Flag periodic,
                           std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                           std::optional<DLDevice> device = std::nullopt,
                           std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.kaiser_window.periodic", {window_length, periodic, dtype, layout, device,
                                        pin_memory});
}

/// aten.kaiser_window.beta(int window_length, bool periodic, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value kaiser_window(Graph &graph, Size window_length, Flag periodic, double beta,
                           std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                           std::optional<DLDevice> device = std::nullopt,
                           std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.kaiser_window.beta", {window_length, periodic, beta, dtype, layout, device,
                                        pin_memory});
}

/// aten.kl_div.default(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor
inline Value kl_div(const Value &self, const Value &target, Size reduction = 1, Flag log_target = false) {
    return litz::call(detail::graph_of(self, target), "aten.kl_div.default", {self, target, reduction, log_target});
}

/// aten.kron.default(Tensor self, Tensor other) -> Tensor
inline Value kron(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.kron.default", {self, other});
}

/// aten.kthvalue.default(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)
inline std::array<Value, 2> kthvalue(const Value &self, Size k, Size dim = -1, Flag keepdim = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.kthvalue.default", {self, k, dim, keepdim});
}

/// aten.l1_loss.default(Tensor self, Tensor target, int reduction=1) -> Tensor
inline Value l1_loss(const Value &self, const Value &target, Size reduction = 1) {
    return litz::call(detail::graph_of(self, target), "aten.l1_loss.default", {self, target, reduction});
}

/// aten.layer_norm.default(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-5, bool cudnn_enable=True) -> Tensor
inline Value layer_norm(const Value &input, const IntList<> &normalized_shape, const Value &weight = Value(),
                        const Value &bias = Value(), double eps = 1e-5, Flag cudnn_enable = true) {
    return litz::call(detail::graph_of(input, weight, bias), "aten.layer_norm.default", {input, normalized_shape,
                                        detail::optional(weight), detail::optional(bias), eps, cudnn_enable});
}

/// aten.lcm.default(Tensor self, Tensor other) -> Tensor
inline Value lcm(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.lcm.default", {self, other});
}

/// aten.lcm_.default(Tensor self, Tensor other) -> Tensor
inline Value lcm_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.lcm_.default", {self, other});
}

/// aten.ldexp.Tensor(Tensor self, Tensor other) -> Tensor
inline Value ldexp(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.ldexp.Tensor", {self, other});
}

/// aten.ldexp_.default(Tensor self, Tensor other) -> Tensor
inline Value ldexp_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.ldexp_.default", {self, other});
}

/// aten.le.Scalar(Tensor self, Scalar other) -> Tensor
inline Value le(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.le.Scalar", {self, other});
}

/// aten.le.Tensor(Tensor self, Tensor other) -> Tensor
inline Value le(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.le.Tensor", {self, other});
}

/// aten.le_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value le_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.le_.Scalar", {self, other});
}

/// aten.le_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value le_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.le_.Tensor", {self, other});
}

/// aten.leaky_relu.default(Tensor self, Scalar negative_slope=0.01) -> Tensor
inline Value leaky_relu(const Value &self, Scalar negative_slope = 0.01) {
    return litz::call(detail::graph_of(self), "aten.leaky_relu.default", {self, negative_slope});
}

/// aten.leaky_relu_.default(Tensor self, Scalar negative_slope=0.01) -> Tensor
inline Value leaky_relu_(const Value &self, Scalar negative_slope = 0.01) {
    return litz::call(detail::graph_of(self), "aten.leaky_relu_.default", {self, negative_slope});
}

/// aten.leaky_relu_backward.default(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) -> Tensor
inline Value leaky_relu_backward(const Value &grad_output, const Value &self, Scalar negative_slope,
                                 Flag self_is_result) {
    return litz::call(detail::graph_of(grad_output, self), "aten.leaky_relu_backward.default", {grad_output, self,
                                        negative_slope, self_is_result});
}

/// aten.lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor
inline Value lerp(const Value &self, const Value &end, Scalar weight) {
    return litz::call(detail::graph_of(self, end), "aten.lerp.Scalar", {self, end, weight});
}

/// aten.lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor
inline Value lerp(const Value &self, const Value &end, const Value &weight) {
    return litz::call(detail::graph_of(self, end, weight), "aten.lerp.Tensor", {self, end, weight});
}

/// aten.lerp_.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor
inline Value lerp_(const Value &self, const Value &end, Scalar weight) {
    return litz::call(detail::graph_of(self, end), "aten.lerp_.Scalar", {self, end, weight});
}

/// aten.lerp_.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor
inline Value lerp_(const Value &self, const Value &end, const Value &weight) {
    return litz::call(detail::graph_of(self, end, weight), "aten.lerp_.Tensor", {self, end, weight});
}

/// aten.less.Scalar(Tensor self, Scalar other) -> Tensor
inline Value less(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.less.Scalar", {self, other});
}

/// aten.less.Tensor(Tensor self, Tensor other) -> Tensor
inline Value less(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.less.Tensor", {self, other});
}

/// aten.less_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value less_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.less_.Scalar", {self, other});
}

/// aten.less_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value less_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.less_.Tensor", {self, other});
}

/// aten.less_equal.Scalar(Tensor self, Scalar other) -> Tensor
inline Value less_equal(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.less_equal.Scalar", {self, other});
}

/// aten.less_equal.Tensor(Tensor self, Tensor other) -> Tensor
inline Value less_equal(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.less_equal.Tensor", {self, other});
}

/// aten.less_equal_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value less_equal_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.less_equal_.Scalar", {self, other});
}

/// aten.less_equal_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value less_equal_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.less_equal_.Tensor", {self, other});
}

/// aten.lgamma.default(Tensor self) -> Tensor
inline Value lgamma(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.lgamma.default", {self});
}

/// aten.lgamma_.default(Tensor self) -> Tensor
inline Value lgamma_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.lgamma_.default", {self});
}

/// aten.lift_fresh_copy.default(Tensor self) -> Tensor
inline Value lift_fresh_copy(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.lift_fresh_copy.default", {self});
}

/// aten.linalg_cholesky.default(Tensor self, *, bool upper=False) -> Tensor
inline Value linalg_cholesky(const Value &self, Flag upper = false) {
    return litz::call(detail::graph_of(self), "aten.linalg_cholesky.default", {self, upper});
}

/// aten.linalg_cholesky_ex.default(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)
inline std::array<Value, 2> linalg_cholesky_ex(const Value &self, Flag upper = false, Flag check_errors = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.linalg_cholesky_ex.default", {self, upper, check_errors});
}

/// aten.linalg_cond.default(Tensor self, Scalar? p=None) -> Tensor
inline Value linalg_cond(const Value &self, std::optional<Scalar> p = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.linalg_cond.default", {self, p});
}

/// aten.linalg_cond.p_str(Tensor self, str p) -> Tensor
inline Value linalg_cond(const Value &self, const std::string &p) {
    return litz::call(detail::graph_of(self), "aten.linalg_cond.p_str", {self, p});
}

/// aten.linalg_cross.default(Tensor self, Tensor other, *, int dim=-1) -> Tensor
inline Value linalg_cross(const Value &self, const Value &other, Size dim = -1) {
    return litz::call(detail::graph_of(self, other), "aten.linalg_cross.default", {self, other, dim});
}

/// aten.linalg_det.default(Tensor A) -> Tensor
inline Value linalg_det(const Value &A) {
    return litz::call(detail::graph_of(A), "aten.linalg_det.default", {A});
}

/// aten.linalg_diagonal.default(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor
inline Value linalg_diagonal(const Value &A, Size offset = 0, Size dim1 = -2, Size dim2 = -1) {
    return litz::call(detail::graph_of(A), "aten.linalg_diagonal.default", {A, offset, dim1, dim2});
}

/// aten.linalg_eig.default(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)
inline std::array<Value, 2> linalg_eig(const Value &self) {
    return detail::fixed<2>(detail::graph_of(self), "aten.linalg_eig.default", {self});
}

/// aten.linalg_eigh.default(Tensor self, str UPLO='L') -> (Tensor eigenvalues, Tensor eigenvectors)
inline std::array<Value, 2> linalg_eigh(const Value &self, const std::string &UPLO = "L") {
    return detail::fixed<2>(detail::graph_of(self), "aten.linalg_eigh.default", {self, UPLO});
}

/// aten.linalg_eigvals.default(Tensor self) -> Tensor
inline Value linalg_eigvals(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.linalg_eigvals.default", {self});
}

/// aten.linalg_eigvalsh.default(Tensor self, str UPLO='L') -> Tensor
inline Value linalg_eigvalsh(const Value &self, const std::string &UPLO = "L") {
    return litz::call(detail::graph_of(self), "aten.linalg_eigvalsh.default", {self, UPLO});
}

/// aten.linalg_householder_product.default(Tensor input, Tensor tau) -> Tensor
inline Value linalg_householder_product(const Value &input, const Value &tau) {
    return litz::call(detail::graph_of(input, tau), "aten.linalg_householder_product.default", {input, tau});
}

/// aten.linalg_inv.default(Tensor A) -> Tensor
inline Value linalg_inv(const Value &A) {
    return litz::call(detail::graph_of(A), "aten.linalg_inv.default", {A});
}

/// aten.linalg_inv_ex.default(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)
inline std::array<Value, 2> linalg_inv_ex(const Value &A, Flag check_errors = false) {
    return detail::fixed<2>(detail::graph_of(A), "aten.linalg_inv_ex.default", {A, check_errors});
}

/// aten.linalg_ldl_factor.default(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)
inline std::array<Value, 2> linalg_ldl_factor(const Value &self, Flag hermitian = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.linalg_ldl_factor.default", {self, hermitian});
}

/// aten.linalg_ldl_factor_ex.default(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)
inline std::array<Value, 3> linalg_ldl_factor_ex(const Value &self, Flag hermitian = false,
                                        Flag check_errors = false) {
    return detail::fixed<3>(detail::graph_of(self), "aten.linalg_ldl_factor_ex.default", {self, hermitian,
                                        check_errors});
}

/// aten.linalg_ldl_solve.default(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor
inline Value linalg_ldl_solve(const Value &LD, const Value &pivots, const Value &B, Flag hermitian = false) {
    return litz::call(detail::graph_of(LD, pivots, B), "aten.linalg_ldl_solve.default", {LD, pivots, B, hermitian});
}

/// aten.linalg_lstsq.default(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)
inline std::array<Value, 4> linalg_lstsq(const Value &self, const Value &b,
                                        std::optional<double> rcond = std::nullopt,
                                        const std::optional<std::string> &driver = std::nullopt) {
    return detail::fixed<4>(detail::graph_of(self, b), "aten.linalg_lstsq.default", {self, b, rcond, driver});
}

/// aten.linalg_lu.default(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)
inline std::array<Value, 3> linalg_lu(const Value &A, Flag pivot = true) {
    return detail::fixed<3>(detail::graph_of(A), "aten.linalg_lu.default", {A, pivot});
}

/// aten.linalg_lu_factor.default(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)
inline std::array<Value, 2> linalg_lu_factor(const Value &A, Flag pivot = true) {
    return detail::fixed<2>(detail::graph_of(A), "aten.linalg_lu_factor.default", {A, pivot});
}

/// aten.linalg_lu_factor_ex.default(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)
inline std::array<Value, 3> linalg_lu_factor_ex(const Value &A, Flag pivot = true, Flag check_errors = false) {
    return detail::fixed<3>(detail::graph_of(A), "aten.linalg_lu_factor_ex.default", {A, pivot, check_errors});
}

/// aten.linalg_lu_solve.default(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor
inline Value linalg_lu_solve(const Value &LU, const Value &pivots, const Value &B, Flag left = true,
                             Flag adjoint = false) {
    return litz::call(detail::graph_of(LU, pivots, B), "aten.linalg_lu_solve.default", {LU, pivots, B, left,
                                        adjoint});
}

/// aten.linalg_matmul.default(Tensor self, Tensor other) -> Tensor
inline Value linalg_matmul(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.linalg_matmul.default", {self, other});
}

/// aten.linalg_matrix_exp.default(Tensor self) -> Tensor
inline Value linalg_matrix_exp(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.linalg_matrix_exp.default", {self});
}

/// aten.linalg_matrix_norm.default(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
inline Value linalg_matrix_norm(const Value &self, Scalar ord, const IntList<> &dim = {-2, -1},
                                Flag keepdim = false, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.linalg_matrix_norm.default", {self, ord, dim, keepdim, dtype});
}

/// aten.linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
inline Value linalg_matrix_norm(const Value &self, const std::string &ord = "fro", const IntList<> &dim = {-2, -1},
                                Flag keepdim = false, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.linalg_matrix_norm.str_ord", {self, ord, dim, keepdim, dtype});
}

/// aten.linalg_matrix_power.default(Tensor self, int n) -> Tensor
inline Value linalg_matrix_power(const Value &self, Size n) {
    return litz::call(detail::graph_of(self), "aten.linalg_matrix_power.default", {self, n});
}

/// aten.linalg_matrix_rank.default(Tensor self, float tol, bool hermitian=False) -> Tensor
inline Value linalg_matrix_rank(const Value &self, double tol, Flag hermitian = false) {
    return litz::call(detail::graph_of(self), "aten.linalg_matrix_rank.default", {self, tol, hermitian});
}

/// aten.linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor
inline Value linalg_matrix_rank(const Value &input, const Value &tol, Flag hermitian = false) {
    return litz::call(detail::graph_of(input, tol), "aten.linalg_matrix_rank.tol_tensor", {input, tol, hermitian});
}

/// aten.linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor
inline Value linalg_matrix_rank(const Value &self, std::optional<double> atol, std::optional<double> rtol,
                                Flag hermitian = false) {
    return litz::call(detail::graph_of(self), "aten.linalg_matrix_rank.atol_rtol_float", {self, atol, rtol,
                                        hermitian});
}

/// aten.linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor
inline Value linalg_matrix_rank(const Value &input, const Value &atol, const Value &rtol, Flag hermitian = false) {
    return litz::call(detail::graph_of(input, atol, rtol), "aten.linalg_matrix_rank.atol_rtol_tensor", {input,
                                        detail::optional(atol), detail::optional(rtol), hermitian});
}

/// aten.linalg_matrix_sqrth.default(Tensor self) -> Tensor
inline Value linalg_matrix_sqrth(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.linalg_matrix_sqrth.default", {self});
}

/// aten.linalg_multi_dot.default(Tensor[] tensors) -> Tensor
inline Value linalg_multi_dot(const std::vector<Value> &tensors) {
    return litz::call(detail::graph_of(tensors), "aten.linalg_multi_dot.default", {tensors});
}

/// aten.linalg_norm.default(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
inline Value linalg_norm(const Value &self, std::optional<Scalar> ord = std::nullopt,
                         const IntList<true, true> &dim = std::nullopt, Flag keepdim = false,
                         std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.linalg_norm.default", {self, ord, dim, keepdim, dtype});
}

/// aten.linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
inline Value linalg_norm(const Value &self, const std::string &ord, const IntList<true, true> &dim = std::nullopt,
                         Flag keepdim = false, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.linalg_norm.ord_str", {self, ord, dim, keepdim, dtype});
}

/// aten.linalg_pinv.default(Tensor self, float rcond, bool hermitian=False) -> Tensor
inline Value linalg_pinv(const Value &self, double rcond, Flag hermitian = false) {
    return litz::call(detail::graph_of(self), "aten.linalg_pinv.default", {self, rcond, hermitian});
}

/// aten.linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor
inline Value linalg_pinv(const Value &self, const Value &rcond, Flag hermitian = false) {
    return litz::call(detail::graph_of(self, rcond), "aten.linalg_pinv.rcond_tensor", {self, rcond, hermitian});
}

/// aten.linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor
inline Value linalg_pinv(const Value &self, std::optional<double> atol, std::optional<double> rtol,
                         Flag hermitian = false) {
    return litz::call(detail::graph_of(self), "aten.linalg_pinv.atol_rtol_float", {self, atol, rtol, hermitian});
}

/// aten.linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor
inline Value linalg_pinv(const Value &self, const Value &atol, const Value &rtol, Flag hermitian = false) {
    return litz::call(detail::graph_of(self, atol, rtol), "aten.linalg_pinv.atol_rtol_tensor", {self,
                                        detail::optional(atol), detail::optional(rtol), hermitian});
}

/// aten.linalg_polar.default(Tensor A) -> (Tensor U, Tensor H)
inline std::array<Value, 2> linalg_polar(const Value &A) {
    return detail::fixed<2>(detail::graph_of(A), "aten.linalg_polar.default", {A});
}

/// aten.linalg_qr.default(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)
inline std::array<Value, 2> linalg_qr(const Value &A, const std::string &mode = "reduced") {
    return detail::fixed<2>(detail::graph_of(A), "aten.linalg_qr.default", {A, mode});
}

/// aten.linalg_slogdet.default(Tensor A) -> (Tensor sign, Tensor logabsdet)
inline std::array<Value, 2> linalg_slogdet(const Value &A) {
    return detail::fixed<2>(detail::graph_of(A), "aten.linalg_slogdet.default", {A});
}

/// aten.linalg_solve.default(Tensor A, Tensor B, *, bool left=True) -> Tensor
inline Value linalg_solve(const Value &A, const Value &B, Flag left = true) {
    return litz::call(detail::graph_of(A, B), "aten.linalg_solve.default", {A, B, left});
}

/// aten.linalg_solve_ex.default(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)
inline std::array<Value, 2> linalg_solve_ex(const Value &A, const Value &B, Flag left = true,
                                        Flag check_errors = false) {
    return detail::fixed<2>(detail::graph_of(A, B), "aten.linalg_solve_ex.default", {A, B, left, check_errors});
}

/// aten.linalg_solve_triangular.default(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor
inline Value linalg_solve_triangular(const Value &self, const Value &B, Flag upper, Flag left = true,
                                     Flag unitriangular = false) {
    return litz::call(detail::graph_of(self, B), "aten.linalg_solve_triangular.default", {self, B, upper, left,
                                        unitriangular});
}

/// aten.linalg_svd.default(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)
inline std::array<Value, 3> linalg_svd(const Value &A, Flag full_matrices = true,
                                       const std::optional<std::string> &driver = std::nullopt) {
    return detail::fixed<3>(detail::graph_of(A), "aten.linalg_svd.default", {A, full_matrices, driver});
}

/// aten.linalg_svdvals.default(Tensor A, *, str? driver=None) -> Tensor
inline Value linalg_svdvals(const Value &A, const std::optional<std::string> &driver = std::nullopt) {
    return litz::call(detail::graph_of(A), "aten.linalg_svdvals.default", {A, driver});
}

/// aten.linalg_tensorinv.default(Tensor self, int ind=2) -> Tensor
inline Value linalg_tensorinv(const Value &self, Size ind = 2) {
    return litz::call(detail::graph_of(self), "aten.linalg_tensorinv.default", {self, ind});
}

/// aten.linalg_tensorsolve.default(Tensor self, Tensor other, int[]? dims=None) -> Tensor
inline Value linalg_tensorsolve(const Value &self, const Value &other,
                                const IntList<false, true> &dims = std::nullopt) {
    return litz::call(detail::graph_of(self, other), "aten.linalg_tensorsolve.default", {self, other, dims});
}

/// aten.linalg_vander.default(Tensor x, *, SymInt? N=None) -> Tensor
inline Value linalg_vander(const Value &x, std::optional<Size> N = std::nullopt) {
    return litz::call(detail::graph_of(x), "aten.linalg_vander.default", {x, N});
}

/// aten.linalg_vecdot.default(Tensor x, Tensor y, *, int dim=-1) -> Tensor
inline Value linalg_vecdot(const Value &x, const Value &y, Size dim = -1) {
    return litz::call(detail::graph_of(x, y), "aten.linalg_vecdot.default", {x, y, dim});
}

/// aten.linalg_vector_norm.default(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
inline Value linalg_vector_norm(const Value &self, Scalar ord = 2, const IntList<true, true> &dim = std::nullopt,
                                Flag keepdim = false, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.linalg_vector_norm.default", {self, ord, dim, keepdim, dtype});
}

/// aten.linear.default(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor
inline Value linear(const Value &input, const Value &weight, const Value &bias = Value()) {
    return litz::call(detail::graph_of(input, weight, bias), "aten.linear.default", {input, weight,
                                        detail::optional(bias)});
}

/// aten.linspace.default(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value linspace(Graph &graph, Scalar start, Scalar end, Size steps, std::optional<Dtype> dtype = std::nullopt,
                      std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                      std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.linspace.default", {start, end, steps, dtype, layout, device, pin_memory});
}

/// aten.linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value linspace(Scalar start, const Value &end, Size steps, std::optional<Dtype> dtype = std::nullopt,
                      std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                      std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(detail::graph_of(end), "aten.linspace.Scalar_Tensor", {start, end, steps, dtype, layout,
                                        device, pin_memory});
}

/// aten.linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value linspace(const Value &start, Scalar end, Size steps, std::optional<Dtype> dtype = std::nullopt,
                      std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                      std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(detail::graph_of(start), "aten.linspace.Tensor_Scalar", {start, end, steps, dtype, layout,
                                        device, pin_memory});
}

/// aten.linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value linspace(const Value &start, const Value &end, Size steps, std::optional<Dtype> dtype = std::nullopt,
                      std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                      std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(detail::graph_of(start, end), "aten.linspace.Tensor_Tensor", {start, end, steps, dtype,
                                        layout, device, pin_memory});
}

/// aten.log.default(Tensor self) -> Tensor
inline Value log(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.log.default", {self});
}

/// aten.log10.default(Tensor self) -> Tensor
inline Value log10(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.log10.default", {self});
}

/// aten.log10_.default(Tensor self) -> Tensor
inline Value log10_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.log10_.default", {self});
}

/// aten.log1p.default(Tensor self) -> Tensor
inline Value log1p(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.log1p.default", {self});
}

/// aten.log1p_.default(Tensor self) -> Tensor
inline Value log1p_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.log1p_.default", {self});
}

/// aten.log2.default(Tensor self) -> Tensor
inline Value log2(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.log2.default", {self});
}

/// aten.log2_.default(Tensor self) -> Tensor
inline Value log2_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.log2_.default", {self});
}

/// aten.log_.default(Tensor self) -> Tensor
inline Value log_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.log_.default", {self});
}

/// aten.log_normal.default(Tensor self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor
inline Value log_normal(const Value &self, double mean = 1.0, double std = 2.0) {
    return litz::call(detail::graph_of(self), "aten.log_normal.default", {self, mean, std});
}

/// aten.log_normal_.default(Tensor self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor
inline Value log_normal_(const Value &self, double mean = 1.0, double std = 2.0) {
    return litz::call(detail::graph_of(self), "aten.log_normal_.default", {self, mean, std});
}

/// aten.log_sigmoid.default(Tensor self) -> Tensor
inline Value log_sigmoid(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.log_sigmoid.default", {self});
}

/// aten.log_sigmoid_backward.default(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor
inline Value log_sigmoid_backward(const Value &grad_output, const Value &self, const Value &buffer) {
    return litz::call(detail::graph_of(grad_output, self, buffer), "aten.log_sigmoid_backward.default", {grad_output,
                                        self, buffer});
}

/// aten.log_sigmoid_forward.default(Tensor self) -> (Tensor output, Tensor buffer)
inline std::array<Value, 2> log_sigmoid_forward(const Value &self) {
    return detail::fixed<2>(detail::graph_of(self), "aten.log_sigmoid_forward.default", {self});
}

/// aten.log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
inline Value log_softmax(const Value &self, Size dim, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.log_softmax.int", {self, dim, dtype});
}

/// aten.logaddexp.default(Tensor self, Tensor other) -> Tensor
inline Value logaddexp(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.logaddexp.default", {self, other});
}

/// aten.logaddexp2.default(Tensor self, Tensor other) -> Tensor
inline Value logaddexp2(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.logaddexp2.default", {self, other});
}

/// aten.logcumsumexp.default(Tensor self, int dim) -> Tensor
inline Value logcumsumexp(const Value &self, Size dim) {
    return litz::call(detail::graph_of(self), "aten.logcumsumexp.default", {self, dim});
}

/// aten.logdet.default(Tensor self) -> Tensor
inline Value logdet(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.logdet.default", {self});
}

/// aten.logical_and.default(Tensor self, Tensor other) -> Tensor
inline Value logical_and(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.logical_and.default", {self, other});
}

/// aten.logical_and_.default(Tensor self, Tensor other) -> Tensor
inline Value logical_and_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.logical_and_.default", {self, other});
}

/// aten.logical_not.default(Tensor self) -> Tensor
inline Value logical_not(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.logical_not.default", {self});
}

/// aten.logical_not_.default(Tensor self) -> Tensor
inline Value logical_not_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.logical_not_.default", {self});
}

/// aten.logical_or.default(Tensor self, Tensor other) -> Tensor
inline Value logical_or(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.logical_or.default", {self, other});
}

/// aten.logical_or_.default(Tensor self, Tensor other) -> Tensor
inline Value logical_or_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.logical_or_.default", {self, other});
}

/// aten.logical_xor.default(Tensor self, Tensor other) -> Tensor
inline Value logical_xor(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.logical_xor.default", {self, other});
}

/// aten.logical_xor_.default(Tensor self, Tensor other) -> Tensor
inline Value logical_xor_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.logical_xor_.default", {self, other});
}

/// aten.logit.default(Tensor self, float? eps=None) -> Tensor
inline Value logit(const Value &self, std::optional<double> eps = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.logit.default", {self, eps});
}

/// aten.logit_.default(Tensor self, float? eps=None) -> Tensor
inline Value logit_(const Value &self, std::optional<double> eps = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.logit_.default", {self, eps});
}

/// aten.logit_backward.default(Tensor grad_output, Tensor self, float? eps=None) -> Tensor
inline Value logit_backward(const Value &grad_output, const Value &self, std::optional<double> eps = std::nullopt) {
    return litz::call(detail::graph_of(grad_output, self), "aten.logit_backward.default", {grad_output, self, eps});
}

/// aten.logspace.default(Scalar start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value logspace(Graph &graph, Scalar start, Scalar end, Size steps, double base = 10.0,
                      std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                      std::optional<DLDevice> device = std::nullopt, std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.logspace.default", {start, end, steps, base, dtype, layout, device,
                                        pin_memory});
}

/// aten.logspace.Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value logspace(Scalar start, const Value &end, Size steps, double base = 10.0,
                      std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                      std::optional<DLDevice> device = std::nullopt, std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(detail::graph_of(end), "aten.logspace.Scalar_Tensor", {start, end, steps, base, dtype, layout,
                                        device, pin_memory});
}

/// aten.logspace.Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value logspace(const Value &start, Scalar end, Size steps, double base = 10.0,
                      std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                      std::optional<DLDevice> device = std::nullopt, std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(detail::graph_of(start), "aten.logspace.Tensor_Scalar", {start, end, steps, base, dtype,
                                        layout, device, pin_memory});
}

/// aten.logspace.Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value logspace(const Value &start, const Value &end, Size steps, double base = 10.0,
                      std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                      std::optional<DLDevice> device = std::nullopt, std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(detail::graph_of(start, end), "aten.logspace.Tensor_Tensor", {start, end, steps, base, dtype,
                                        layout, device, pin_memory});
}

/// aten.logsumexp.default(Tensor self, int[1] dim, bool keepdim=False) -> Tensor
inline Value logsumexp(const Value &self, const IntList<true> &dim, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.logsumexp.default", {self, dim, keepdim});
}

/// aten.lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> lstm(const Value &input, const std::vector<Value> &hx, const std::vector<Value> &params,
                                 Flag has_biases, Size num_layers, double dropout, Flag train, Flag bidirectional,
                                 Flag batch_first) {
    return detail::fixed<3>(detail::graph_of(input, hx, params), "aten.lstm.input", {input, hx, params, has_biases,
                                        num_layers, dropout, train, bidirectional, batch_first});
}

/// aten.lstm_cell.default(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)
inline std::array<Value, 2> lstm_cell(const Value &input, const std::vector<Value> &hx, const Value &w_ih,
                                      const Value &w_hh, const Value &b_ih = Value(), const Value &b_hh = Value()) {
    return detail::fixed<2>(detail::graph_of(input, hx, w_ih, w_hh, b_ih, b_hh), "aten.lstm_cell.default", {input,
                                        hx, w_ih, w_hh, detail::optional(b_ih), detail::optional(b_hh)});
}

/// aten.lt.Scalar(Tensor self, Scalar other) -> Tensor
inline Value lt(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.lt.Scalar", {self, other});
}

/// aten.lt.Tensor(Tensor self, Tensor other) -> Tensor
inline Value lt(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.lt.Tensor", {self, other});
}

/// aten.lt_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value lt_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.lt_.Scalar", {self, other});
}

/// aten.lt_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value lt_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.lt_.Tensor", {self, other});
}

/// aten.lu_solve.default(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor
inline Value lu_solve(const Value &self, const Value &LU_data, const Value &LU_pivots) {
    return litz::call(detail::graph_of(self, LU_data, LU_pivots), "aten.lu_solve.default", {self, LU_data,
                                        LU_pivots});
}

/// aten.lu_unpack.default(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)
inline std::array<Value, 3> lu_unpack(const Value &LU_data, const Value &LU_pivots, Flag unpack_data = true,
                                      Flag unpack_pivots = true) {
    return detail::fixed<3>(detail::graph_of(LU_data, LU_pivots), "aten.lu_unpack.default", {LU_data, LU_pivots,
                                        unpack_data, unpack_pivots});
}

/// aten.mH.default(Tensor self) -> Tensor
inline Value mH(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.mH.default", {self});
}

/// aten.mT.default(Tensor self) -> Tensor
inline Value mT(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.mT.default", {self});
}

/// aten.margin_ranking_loss.default(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor
inline Value margin_ranking_loss(const Value &input1, const Value &input2, const Value &target, double margin = 0.0,
                                 Size reduction = 1) {
    return litz::call(detail::graph_of(input1, input2, target), "aten.margin_ranking_loss.default", {input1, input2,
                                        target, margin, reduction});
}

/// aten.masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor
inline Value masked_fill(const Value &self, const Value &mask, Scalar value) {
    return litz::call(detail::graph_of(self, mask), "aten.masked_fill.Scalar", {self, mask, value});
}

/// aten.masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor
inline Value masked_fill(const Value &self, const Value &mask, const Value &value) {
    return litz::call(detail::graph_of(self, mask, value), "aten.masked_fill.Tensor", {self, mask, value});
}

/// aten.masked_fill_.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor
inline Value masked_fill_(const Value &self, const Value &mask, Scalar value) {
    return litz::call(detail::graph_of(self, mask), "aten.masked_fill_.Scalar", {self, mask, value});
}

/// aten.masked_fill_.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor
inline Value masked_fill_(const Value &self, const Value &mask, const Value &value) {
    return litz::call(detail::graph_of(self, mask, value), "aten.masked_fill_.Tensor", {self, mask, value});
}

/// aten.masked_scatter.default(Tensor self, Tensor mask, Tensor source) -> Tensor
inline Value masked_scatter(const Value &self, const Value &mask, const Value &source) {
    return litz::call(detail::graph_of(self, mask, source), "aten.masked_scatter.default", {self, mask, source});
}

/// aten.masked_scatter_.default(Tensor self, Tensor mask, Tensor source) -> Tensor
inline Value masked_scatter_(const Value &self, const Value &mask, const Value &source) {
    return litz::call(detail::graph_of(self, mask, source), "aten.masked_scatter_.default", {self, mask, source});
}

/// aten.masked_select.default(Tensor self, Tensor mask) -> Tensor
inline Value masked_select(const Value &self, const Value &mask) {
    return litz::call(detail::graph_of(self, mask), "aten.masked_select.default", {self, mask});
}

/// aten.matmul.default(Tensor self, Tensor other) -> Tensor
inline Value matmul(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.matmul.default", {self, other});
}

/// aten.matrix_H.default(Tensor self) -> Tensor
inline Value matrix_H(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.matrix_H.default", {self});
}

/// aten.matrix_exp.default(Tensor self) -> Tensor
inline Value matrix_exp(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.matrix_exp.default", {self});
}

/// aten.matrix_power.default(Tensor self, int n) -> Tensor
inline Value matrix_power(const Value &self, Size n) {
    return litz::call(detail::graph_of(self), "aten.matrix_power.default", {self, n});
}

/// aten.max.default(Tensor self) -> Tensor
inline Value max(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.max.default", {self});
}

/// aten.max.other(Tensor self, Tensor other) -> Tensor
inline Value max(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.max.other", {self, other});
}

/// aten.max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
inline std::array<Value, 2> max(const Value &self, Size dim, Flag keepdim = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.max.dim", {self, dim, keepdim});
}

/// aten.max_pool1d.default(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> Tensor
inline Value max_pool1d(const Value &self, const IntList<true> &kernel_size, const IntList<true> &stride = {},
                        const IntList<true> &padding = {0}, const IntList<true> &dilation = {1},
                        Flag ceil_mode = false) {
    return litz::call(detail::graph_of(self), "aten.max_pool1d.default", {self, kernel_size, stride, padding,
                                        dilation, ceil_mode});
}

/// aten.max_pool1d_with_indices.default(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> (Tensor, Tensor)
inline std::array<Value, 2> max_pool1d_with_indices(const Value &self, const IntList<true> &kernel_size,
                                        const IntList<true> &stride = {}, const IntList<true> &padding = {0},
                                        const IntList<true> &dilation = {1}, Flag ceil_mode = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.max_pool1d_with_indices.default", {self, kernel_size,
                                        stride, padding, dilation, ceil_mode});
}

/// aten.max_pool2d.default(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor
inline Value max_pool2d(const Value &self, const IntList<true> &kernel_size, const IntList<true> &stride = {},
                        const IntList<true> &padding = {0, 0}, const IntList<true> &dilation = {1, 1},
                        Flag ceil_mode = false) {
    return litz::call(detail::graph_of(self), "aten.max_pool2d.default", {self, kernel_size, stride, padding,
                                        dilation, ceil_mode});
}

/// aten.max_pool2d_with_indices.default(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)
inline std::array<Value, 2> max_pool2d_with_indices(const Value &self, const IntList<true> &kernel_size,
                                        const IntList<true> &stride = {}, const IntList<true> &padding = {0, 0},
                                        const IntList<true> &dilation = {1, 1}, Flag ceil_mode = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.max_pool2d_with_indices.default", {self, kernel_size,
                                        stride, padding, dilation, ceil_mode});
}

/// aten.max_pool2d_with_indices_backward.default(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor
inline Value max_pool2d_with_indices_backward(const Value &grad_output, const Value &self,
                                        const IntList<true> &kernel_size, const IntList<true> &stride,
                                        const IntList<true> &padding, const IntList<true> &dilation, Flag ceil_mode,
                                        const Value &indices) {
    return litz::call(detail::graph_of(grad_output, self, indices), "aten.max_pool2d_with_indices_backward.default", {grad_output,
                                        self, kernel_size, stride, padding, dilation, ceil_mode, indices});
}

/// aten.max_pool3d.default(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor
inline Value max_pool3d(const Value &self, const IntList<true> &kernel_size, const IntList<true> &stride = {},
                        const IntList<true> &padding = {0, 0, 0}, const IntList<true> &dilation = {1, 1, 1},
                        Flag ceil_mode = false) {
    return litz::call(detail::graph_of(self), "aten.max_pool3d.default", {self, kernel_size, stride, padding,
                                        dilation, ceil_mode});
}

/// aten.max_pool3d_with_indices.default(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)
inline std::array<Value, 2> max_pool3d_with_indices(const Value &self, const IntList<true> &kernel_size,
                                        const IntList<true> &stride = {}, const IntList<true> &padding = {0, 0, 0},
                                        const IntList<true> &dilation = {1, 1, 1}, Flag ceil_mode = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.max_pool3d_with_indices.default", {self, kernel_size,
                                        stride, padding, dilation, ceil_mode});
}

/// aten.max_pool3d_with_indices_backward.default(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, int[3] dilation, bool ceil_mode, Tensor indices) -> Tensor
inline Value max_pool3d_with_indices_backward(const Value &grad_output, const Value &self,
                                        const IntList<true> &kernel_size, const IntList<true> &stride,
                                        const IntList<true> &padding, const IntList<true> &dilation, Flag ceil_mode,
                                        const Value &indices) {
    return litz::call(detail::graph_of(grad_output, self, indices), "aten.max_pool3d_with_indices_backward.default", {grad_output,
                                        self, kernel_size, stride, padding, dilation, ceil_mode, indices});
}

/// aten.max_unpool2d.default(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor
inline Value max_unpool2d(const Value &self, const Value &indices, const IntList<true> &output_size) {
    return litz::call(detail::graph_of(self, indices), "aten.max_unpool2d.default", {self, indices, output_size});
}

/// aten.max_unpool3d.default(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> Tensor
inline Value max_unpool3d(const Value &self, const Value &indices, const IntList<true> &output_size,
                          const IntList<true> &stride, const IntList<true> &padding) {
    return litz::call(detail::graph_of(self, indices), "aten.max_unpool3d.default", {self, indices, output_size,
                                        stride, padding});
}

/// aten.maximum.default(Tensor self, Tensor other) -> Tensor
inline Value maximum(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.maximum.default", {self, other});
}

/// aten.mean.default(Tensor self, *, ScalarType? dtype=None) -> Tensor
inline Value mean(const Value &self, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.mean.default", {self, dtype});
}

/// aten.mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
inline Value mean(const Value &self, const IntList<true, true> &dim, Flag keepdim = false,
                  std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.mean.dim", {self, dim, keepdim, dtype});
}

/// aten.median.default(Tensor self) -> Tensor
inline Value median(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.median.default", {self});
}

/// aten.median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
inline std::array<Value, 2> median(const Value &self, Size dim, Flag keepdim = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.median.dim", {self, dim, keepdim});
}

/// aten.meshgrid.default(Tensor[] tensors) -> Tensor[]
inline std::vector<Value> meshgrid(const std::vector<Value> &tensors) {
    return litz::call_all(detail::graph_of(tensors), "aten.meshgrid.default", {tensors});
}

/// aten.meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]
inline std::vector<Value> meshgrid(const std::vector<Value> &tensors, const std::string &indexing) {
    return litz::call_all(detail::graph_of(tensors), "aten.meshgrid.indexing", {tensors, indexing});
}

/// aten.min.default(Tensor self) -> Tensor
inline Value min(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.min.default", {self});
}

/// aten.min.other(Tensor self, Tensor other) -> Tensor
inline Value min(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.min.other", {self, other});
}

/// aten.min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
inline std::array<Value, 2> min(const Value &self, Size dim, Flag keepdim = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.min.dim", {self, dim, keepdim});
}

/// aten.minimum.default(Tensor self, Tensor other) -> Tensor
inline Value minimum(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.minimum.default", {self, other});
}

/// aten.mish.default(Tensor self) -> Tensor
inline Value mish(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.mish.default", {self});
}

/// aten.mish_.default(Tensor self) -> Tensor
inline Value mish_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.mish_.default", {self});
}

/// aten.mish_backward.default(Tensor grad_output, Tensor self) -> Tensor
inline Value mish_backward(const Value &grad_output, const Value &self) {
    return litz::call(detail::graph_of(grad_output, self), "aten.mish_backward.default", {grad_output, self});
}

/// aten.mm.default(Tensor self, Tensor mat2) -> Tensor
inline Value mm(const Value &self, const Value &mat2) {
    return litz::call(detail::graph_of(self, mat2), "aten.mm.default", {self, mat2});
}

/// aten.mode.default(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)
inline std::array<Value, 2> mode(const Value &self, Size dim = -1, Flag keepdim = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.mode.default", {self, dim, keepdim});
}

/// aten.moveaxis.int(Tensor self, int source, int destination) -> Tensor
inline Value moveaxis(const Value &self, Size source, Size destination) {
    return litz::call(detail::graph_of(self), "aten.moveaxis.int", {self, source, destination});
}

/// aten.moveaxis.intlist(Tensor self, int[] source, int[] destination) -> Tensor
inline Value moveaxis(const Value &self, const IntList<> &source, const IntList<> &destination) {
    return litz::call(detail::graph_of(self), "aten.moveaxis.intlist", {self, source, destination});
}

/// aten.movedim.int(Tensor self, int source, int destination) -> Tensor
inline Value movedim(const Value &self, Size source, Size destination) {
    return litz::call(detail::graph_of(self), "aten.movedim.int", {self, source, destination});
}

/// aten.movedim.intlist(Tensor self, int[] source, int[] destination) -> Tensor
inline Value movedim(const Value &self, const IntList<> &source, const IntList<> &destination) {
    return litz::call(detail::graph_of(self), "aten.movedim.intlist", {self, source, destination});
}

/// aten.mse_loss.default(Tensor self, Tensor target, int reduction=1) -> Tensor
inline Value mse_loss(const Value &self, const Value &target, Size reduction = 1) {
    return litz::call(detail::graph_of(self, target), "aten.mse_loss.default", {self, target, reduction});
}

/// aten.mse_loss_backward.default(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor
inline Value mse_loss_backward(const Value &grad_output, const Value &self, const Value &target, Size reduction) {
    return litz::call(detail::graph_of(grad_output, self, target), "aten.mse_loss_backward.default", {grad_output,
                                        self, target, reduction});
}

/// aten.msort.default(Tensor self) -> Tensor
inline Value msort(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.msort.default", {self});
}

/// aten.mul.Scalar(Tensor self, Scalar other) -> Tensor
inline Value mul(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.mul.Scalar", {self, other});
}

/// aten.mul.Tensor(Tensor self, Tensor other) -> Tensor
inline Value mul(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.mul.Tensor", {self, other});
}

/// aten.mul_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value mul_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.mul_.Scalar", {self, other});
}

/// aten.mul_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value mul_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.mul_.Tensor", {self, other});
}

/// aten.multi_margin_loss.default(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) -> Tensor
inline Value multi_margin_loss(const Value &self, const Value &target, Scalar p = 1, Scalar margin = 1,
                               const Value &weight = Value(), Size reduction = 1) {
    return litz::call(detail::graph_of(self, target, weight), "aten.multi_margin_loss.default", {self, target, p,
                                        margin, detail::optional(weight), reduction});
}

/// aten.multilabel_margin_loss.default(Tensor self, Tensor target, int reduction=1) -> Tensor
inline Value multilabel_margin_loss(const Value &self, const Value &target, Size reduction = 1) {
    return litz::call(detail::graph_of(self, target), "aten.multilabel_margin_loss.default", {self, target,
                                        reduction});
}

/// aten.multinomial.default(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor
inline Value multinomial(const Value &self, Size num_samples, Flag replacement = false) {
    return litz::call(detail::graph_of(self), "aten.multinomial.default", {self, num_samples, replacement});
}

/// aten.multiply.Scalar(Tensor self, Scalar other) -> Tensor
inline Value multiply(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.multiply.Scalar", {self, other});
}

/// aten.multiply.Tensor(Tensor self, Tensor other) -> Tensor
inline Value multiply(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.multiply.Tensor", {self, other});
}

/// aten.multiply_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value multiply_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.multiply_.Scalar", {self, other});
}

/// aten.multiply_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value multiply_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.multiply_.Tensor", {self, other});
}

/// aten.mv.default(Tensor self, Tensor vec) -> Tensor
inline Value mv(const Value &self, const Value &vec) {
    return litz::call(detail::graph_of(self, vec), "aten.mv.default", {self, vec});
}

/// aten.mvlgamma.default(Tensor self, int p) -> Tensor
inline Value mvlgamma(const Value &self, Size p) {
    return litz::call(detail::graph_of(self), "aten.mvlgamma.default", {self, p});
}

/// aten.mvlgamma_.default(Tensor self, int p) -> Tensor
inline Value mvlgamma_(const Value &self, Size p) {
    return litz::call(detail::graph_of(self), "aten.mvlgamma_.default", {self, p});
}

/// aten.nan_to_num.default(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor
inline Value nan_to_num(const Value &self, std::optional<double> nan = std::nullopt,
                        std::optional<double> posinf = std::nullopt, std::optional<double> neginf = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.nan_to_num.default", {self, nan, posinf, neginf});
}

/// aten.nan_to_num_.default(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor
inline Value nan_to_num_(const Value &self, std::optional<double> nan = std::nullopt,
                         std::optional<double> posinf = std::nullopt, std::optional<double> neginf = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.nan_to_num_.default", {self, nan, posinf, neginf});
}

/// aten.nanmean.default(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
inline Value nanmean(const Value &self, const IntList<true, true> &dim = std::nullopt, Flag keepdim = false,
                     std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.nanmean.default", {self, dim, keepdim, dtype});
}

/// aten.nanmedian.default(Tensor self) -> Tensor
inline Value nanmedian(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.nanmedian.default", {self});
}

/// aten.nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
inline std::array<Value, 2> nanmedian(const Value &self, Size dim, Flag keepdim = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.nanmedian.dim", {self, dim, keepdim});
}

/// aten.nanquantile.default(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor
inline Value nanquantile(const Value &self, const Value &q, std::optional<Size> dim = std::nullopt,
                         Flag keepdim = false, const std::string &interpolation = "linear") {
    return litz::call(detail::graph_of(self, q), "aten.nanquantile.default", {self, q, dim, keepdim, interpolation});
}

/// aten.nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor
inline Value nanquantile(const Value &self, double q, std::optional<Size> dim = std::nullopt, Flag keepdim = false,
                         const std::string &interpolation = "linear") {
    return litz::call(detail::graph_of(self), "aten.nanquantile.scalar", {self, q, dim, keepdim, interpolation});
}

/// aten.nansum.default(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
inline Value nansum(const Value &self, const IntList<true, true> &dim = std::nullopt, Flag keepdim = false,
                    std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.nansum.default", {self, dim, keepdim, dtype});
}

/// aten.narrow.default(Tensor self, int dim, SymInt start, SymInt length) -> Tensor
inline Value narrow(const Value &self, Size dim, Size start, Size length) {
    return litz::call(detail::graph_of(self), "aten.narrow.default", {self, dim, start, length});
}

/// aten.narrow_copy.default(Tensor self, int dim, SymInt start, SymInt length) -> Tensor
inline Value narrow_copy(const Value &self, Size dim, Size start, Size length) {
    return litz::call(detail::graph_of(self), "aten.narrow_copy.default", {self, dim, start, length});
}

/// aten.native_batch_norm.default(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> native_batch_norm(const Value &input, const Value &weight, const Value &bias,
                                        const Value &running_mean, const Value &running_var, Flag training,
                                        double momentum, double eps) {
    return detail::fixed<3>(detail::graph_of(input, weight, bias, running_mean, running_var), "aten.native_batch_norm.default", {input,
                                        detail::optional(weight), detail::optional(bias),
                                        detail::optional(running_mean), detail::optional(running_var), training,
                                        momentum, eps});
}

/// aten.native_batch_norm_backward.default(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> native_batch_norm_backward(const Value &grad_out, const Value &input,
                                        const Value &weight, const Value &running_mean, const Value &running_var,
                                        const Value &save_mean, const Value &save_invstd, Flag train, double eps,
                                        const std::vector<bool> &output_mask) {
    return detail::fixed<3>(detail::graph_of(grad_out, input, weight, running_mean, running_var, save_mean, save_invstd), "aten.native_batch_norm_backward.default", {grad_out,
                                        input, detail::optional(weight), detail::optional(running_mean),
                                        detail::optional(running_var), detail::optional(save_mean),
                                        detail::optional(save_invstd), train, eps, detail::bools(output_mask)});
}

/// aten.native_channel_shuffle.default(Tensor self, SymInt groups) -> Tensor
inline Value native_channel_shuffle(const Value &self, Size groups) {
    return litz::call(detail::graph_of(self), "aten.native_channel_shuffle.default", {self, groups});
}

/// aten.native_dropout.default(Tensor input, float p, bool? train) -> (Tensor, Tensor)
inline std::array<Value, 2> native_dropout(const Value &input, double p, std::optional<Flag> train = std::nullopt) {
    return detail::fixed<2>(detail::graph_of(input), "aten.native_dropout.default", {input, p, train});
}

/// aten.native_dropout_backward.default(Tensor grad_output, Tensor mask, float scale) -> Tensor
inline Value native_dropout_backward(const Value &grad_output, const Value &mask, double scale) {
    return litz::call(detail::graph_of(grad_output, mask), "aten.native_dropout_backward.default", {grad_output,
                                        mask, scale});
}

/// aten.native_group_norm.default(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> native_group_norm(const Value &input, const Value &weight, const Value &bias, Size N,
                                        Size C, Size HxW, Size group, double eps) {
    return detail::fixed<3>(detail::graph_of(input, weight, bias), "aten.native_group_norm.default", {input,
                                        detail::optional(weight), detail::optional(bias), N, C, HxW, group, eps});
}

/// aten.native_group_norm_backward.default(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, SymInt N, SymInt C, SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> native_group_norm_backward(const Value &grad_out, const Value &input, const Value &mean,
                                        const Value &rstd, const Value &weight, Size N, Size C, Size HxW,
                                        Size group, const std::vector<bool> &output_mask) {
    return detail::fixed<3>(detail::graph_of(grad_out, input, mean, rstd, weight), "aten.native_group_norm_backward.default", {grad_out,
                                        input, mean, rstd, detail::optional(weight), N, C, HxW, group,
                                        detail::bools(output_mask)});
}

/// aten.native_layer_norm.default(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> native_layer_norm(const Value &input, const IntList<> &normalized_shape,
                                        const Value &weight, const Value &bias, double eps) {
    return detail::fixed<3>(detail::graph_of(input, weight, bias), "aten.native_layer_norm.default", {input,
                                        normalized_shape, detail::optional(weight), detail::optional(bias), eps});
}

/// aten.native_layer_norm_backward.default(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> native_layer_norm_backward(const Value &grad_out, const Value &input,
                                        const IntList<> &normalized_shape, const Value &mean, const Value &rstd,
                                        const Value &weight, const Value &bias,
                                        const std::vector<bool> &output_mask) {
    return detail::fixed<3>(detail::graph_of(grad_out, input, mean, rstd, weight, bias), "aten.native_layer_norm_backward.default", {grad_out,
                                        input, normalized_shape, mean, rstd, detail::optional(weight),
                                        detail::optional(bias), detail::bools(output_mask)});
}

/// aten.ne.Scalar(Tensor self, Scalar other) -> Tensor
inline Value ne(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.ne.Scalar", {self, other});
}

/// aten.ne.Tensor(Tensor self, Tensor other) -> Tensor
inline Value ne(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.ne.Tensor", {self, other});
}

/// aten.ne_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value ne_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.ne_.Scalar", {self, other});
}

/// aten.ne_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value ne_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.ne_.Tensor", {self, other});
}

/// aten.neg.default(Tensor self) -> Tensor
inline Value neg(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.neg.default", {self});
}

/// aten.neg_.default(Tensor self) -> Tensor
inline Value neg_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.neg_.default", {self});
}

/// aten.negative.default(Tensor self) -> Tensor
inline Value negative(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.negative.default", {self});
}

/// aten.negative_.default(Tensor self) -> Tensor
inline Value negative_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.negative_.default", {self});
}

/// aten.new_empty.default(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value new_empty(const Value &self, const IntList<> &size, std::optional<Dtype> dtype = std::nullopt,
                       std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                       std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.new_empty.default", {self, size, dtype, layout, device,
                                        pin_memory});
}

/// aten.new_empty_strided.default(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value new_empty_strided(const Value &self, const IntList<> &size, const IntList<> &stride,
                               std::optional<Dtype> dtype = std::nullopt,
                               std::optional<Layout> layout = std::nullopt,
                               std::optional<DLDevice> device = std::nullopt,
                               std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.new_empty_strided.default", {self, size, stride, dtype, layout,
                                        device, pin_memory});
}

/// aten.new_full.default(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value new_full(const Value &self, const IntList<> &size, Scalar fill_value,
                      std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                      std::optional<DLDevice> device = std::nullopt, std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.new_full.default", {self, size, fill_value, dtype, layout,
                                        device, pin_memory});
}

/// aten.new_ones.default(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value new_ones(const Value &self, const IntList<> &size, std::optional<Dtype> dtype = std::nullopt,
                      std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                      std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.new_ones.default", {self, size, dtype, layout, device,
                                        pin_memory});
}

/// aten.new_zeros.default(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value new_zeros(const Value &self, const IntList<> &size, std::optional<Dtype> dtype = std::nullopt,
                       std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                       std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.new_zeros.default", {self, size, dtype, layout, device,
                                        pin_memory});
}

/// aten.nextafter.default(Tensor self, Tensor other) -> Tensor
inline Value nextafter(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.nextafter.default", {self, other});
}

/// aten.nextafter_.default(Tensor self, Tensor other) -> Tensor
inline Value nextafter_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.nextafter_.default", {self, other});
}

/// aten.nll_loss.default(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor
inline Value nll_loss(const Value &self, const Value &target, const Value &weight = Value(), Size reduction = 1,
                      Size ignore_index = -100) {
    return litz::call(detail::graph_of(self, target, weight), "aten.nll_loss.default", {self, target,
                                        detail::optional(weight), reduction, ignore_index});
}

/// aten.nll_loss2d.default(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor
inline Value nll_loss2d(const Value &self, const Value &target, const Value &weight = Value(), Size reduction = 1,
                        Size ignore_index = -100) {
    return litz::call(detail::graph_of(self, target, weight), "aten.nll_loss2d.default", {self, target,
                                        detail::optional(weight), reduction, ignore_index});
}

/// aten.nll_loss2d_backward.default(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor
inline Value nll_loss2d_backward(const Value &grad_output, const Value &self, const Value &target,
                                 const Value &weight, Size reduction, Size ignore_index, const Value &total_weight) {
    return litz::call(detail::graph_of(grad_output, self, target, weight, total_weight), "aten.nll_loss2d_backward.default", {grad_output,
                                        self, target, detail::optional(weight), reduction, ignore_index,
                                        total_weight});
}

/// aten.nll_loss2d_forward.default(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)
inline std::array<Value, 2> nll_loss2d_forward(const Value &self, const Value &target, const Value &weight,
                                        Size reduction, Size ignore_index) {
    return detail::fixed<2>(detail::graph_of(self, target, weight), "aten.nll_loss2d_forward.default", {self,
                                        target, detail::optional(weight), reduction, ignore_index});
}

/// aten.nll_loss_backward.default(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor
inline Value nll_loss_backward(const Value &grad_output, const Value &self, const Value &target,
                               const Value &weight, Size reduction, Size ignore_index, const Value &total_weight) {
    return litz::call(detail::graph_of(grad_output, self, target, weight, total_weight), "aten.nll_loss_backward.default", {grad_output,
                                        self, target, detail::optional(weight), reduction, ignore_index,
                                        total_weight});
}

/// aten.nll_loss_forward.default(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)
inline std::array<Value, 2> nll_loss_forward(const Value &self, const Value &target, const Value &weight,
                                        Size reduction, Size ignore_index) {
    return detail::fixed<2>(detail::graph_of(self, target, weight), "aten.nll_loss_forward.default", {self, target,
                                        detail::optional(weight), reduction, ignore_index});
}

/// aten.nll_loss_nd.default(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor
inline Value nll_loss_nd(const Value &self, const Value &target, const Value &weight = Value(), Size reduction = 1,
                         Size ignore_index = -100) {
    return litz::call(detail::graph_of(self, target, weight), "aten.nll_loss_nd.default", {self, target,
                                        detail::optional(weight), reduction, ignore_index});
}

/// aten.nonzero.default(Tensor self) -> Tensor
inline Value nonzero(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.nonzero.default", {self});
}

/// aten.nonzero_numpy.default(Tensor self) -> Tensor[]
inline std::vector<Value> nonzero_numpy(const Value &self) {
    return litz::call_all(detail::graph_of(self), "aten.nonzero_numpy.default", {self});
}

/// aten.nonzero_static.default(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor
inline Value nonzero_static(const Value &self, Size size, Size fill_value = -1) {
    return litz::call(detail::graph_of(self), "aten.nonzero_static.default", {self, size, fill_value});
}

/// aten.norm.Scalar(Tensor self, Scalar p=2) -> Tensor
inline Value norm(const Value &self, Scalar p = 2) {
    return litz::call(detail::graph_of(self), "aten.norm.Scalar", {self, p});
}

/// aten.norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor
inline Value norm(const Value &self, std::optional<Scalar> p, Dtype dtype) {
    return litz::call(detail::graph_of(self), "aten.norm.ScalarOpt_dtype", {self, p, dtype});
}

/// aten.norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor
inline Value norm(const Value &self, std::optional<Scalar> p, const IntList<true> &dim, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.norm.ScalarOpt_dim", {self, p, dim, keepdim});
}

/// aten.norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor
inline Value norm(const Value &self, std::optional<Scalar> p, const IntList<true> &dim, Flag keepdim, Dtype dtype) {
    return litz::call(detail::graph_of(self), "aten.norm.ScalarOpt_dim_dtype", {self, p, dim, keepdim, dtype});
}

/// aten.norm_except_dim.default(Tensor v, int pow=2, int dim=0) -> Tensor
inline Value norm_except_dim(const Value &v, Size pow = 2, Size dim = 0) {
    return litz::call(detail::graph_of(v), "aten.norm_except_dim.default", {v, pow, dim});
}

/// aten.normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor
inline Value normal(const Value &mean, const Value &std) {
    return litz::call(detail::graph_of(mean, std), "aten.normal.Tensor_Tensor", {mean, std});
}

/// aten.normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor
inline Value normal(const Value &mean, double std = 1.0) {
    return litz::call(detail::graph_of(mean), "aten.normal.Tensor_float", {mean, std});
}

/// aten.normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor
inline Value normal(double mean, const Value &std) {
    return litz::call(detail::graph_of(std), "aten.normal.float_Tensor", {mean, std});
}

/// aten.normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value normal(Graph &graph, double mean, double std, const IntList<> &size,
                    std::optional<Dtype> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                    std::optional<DLDevice> device = std::nullopt, std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.normal.float_float", {mean, std, size, dtype, layout, device, pin_memory});
}

/// aten.normal_.default(Tensor self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor
inline Value normal_(const Value &self, double mean = 0.0, double std = 1.0) {
    return litz::call(detail::graph_of(self), "aten.normal_.default", {self, mean, std});
}

/// aten.normal_functional.default(Tensor self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor
inline Value normal_functional(const Value &self, double mean = 0.0, double std = 1.0) {
    return litz::call(detail::graph_of(self), "aten.normal_functional.default", {self, mean, std});
}

/// aten.not_equal.Scalar(Tensor self, Scalar other) -> Tensor
inline Value not_equal(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.not_equal.Scalar", {self, other});
}

/// aten.not_equal.Tensor(Tensor self, Tensor other) -> Tensor
inline Value not_equal(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.not_equal.Tensor", {self, other});
}

/// aten.not_equal_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value not_equal_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.not_equal_.Scalar", {self, other});
}

/// aten.not_equal_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value not_equal_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.not_equal_.Tensor", {self, other});
}

/// aten.nuclear_norm.default(Tensor self, bool keepdim=False) -> Tensor
inline Value nuclear_norm(const Value &self, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.nuclear_norm.default", {self, keepdim});
}

/// aten.nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor
inline Value nuclear_norm(const Value &self, const IntList<true> &dim, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.nuclear_norm.dim", {self, dim, keepdim});
}

/// aten.numpy_T.default(Tensor self) -> Tensor
inline Value numpy_T(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.numpy_T.default", {self});
}

/// aten.one_hot.default(Tensor self, int num_classes=-1) -> Tensor
inline Value one_hot(const Value &self, Size num_classes = -1) {
    return litz::call(detail::graph_of(self), "aten.one_hot.default", {self, num_classes});
}

/// aten.ones.default(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value ones(Graph &graph, const IntList<> &size, std::optional<Dtype> dtype = std::nullopt,
                  std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                  std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.ones.default", {size, dtype, layout, device, pin_memory});
}

/// aten.ones_like.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value ones_like(const Value &self, std::optional<Dtype> dtype = std::nullopt,
                       std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                       std::optional<Flag> pin_memory = std::nullopt,
                       std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.ones_like.default", {self, dtype, layout, device, pin_memory,
                                        memory_format});
}

/// aten.orgqr.default(Tensor self, Tensor input2) -> Tensor
inline Value orgqr(const Value &self, const Value &input2) {
    return litz::call(detail::graph_of(self, input2), "aten.orgqr.default", {self, input2});
}

/// aten.ormqr.default(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor
inline Value ormqr(const Value &self, const Value &input2, const Value &input3, Flag left = true,
                   Flag transpose = false) {
    return litz::call(detail::graph_of(self, input2, input3), "aten.ormqr.default", {self, input2, input3, left,
                                        transpose});
}

/// aten.outer.default(Tensor self, Tensor vec2) -> Tensor
inline Value outer(const Value &self, const Value &vec2) {
    return litz::call(detail::graph_of(self, vec2), "aten.outer.default", {self, vec2});
}

/// aten.pad.default(Tensor self, SymInt[] pad, str mode="constant", float? value=None) -> Tensor
inline Value pad(const Value &self, const IntList<> &pad, const std::string &mode = "constant",
                 std::optional<double> value = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.pad.default", {self, pad, mode, value});
}

/// aten.pairwise_distance.default(Tensor x1, Tensor x2, float p=2., float eps=1e-6, bool keepdim=False) -> Tensor
inline Value pairwise_distance(const Value &x1, const Value &x2, double p = 2.0, double eps = 1e-6,
                               Flag keepdim = false) {
    return litz::call(detail::graph_of(x1, x2), "aten.pairwise_distance.default", {x1, x2, p, eps, keepdim});
}

/// aten.pdist.default(Tensor self, float p=2.) -> Tensor
inline Value pdist(const Value &self, double p = 2.0) {
    return litz::call(detail::graph_of(self), "aten.pdist.default", {self, p});
}

/// aten.permute.default(Tensor self, int[] dims) -> Tensor
inline Value permute(const Value &self, const IntList<> &dims) {
    return litz::call(detail::graph_of(self), "aten.permute.default", {self, dims});
}

/// aten.permute_copy.default(Tensor self, int[] dims) -> Tensor
inline Value permute_copy(const Value &self, const IntList<> &dims) {
    return litz::call(detail::graph_of(self), "aten.permute_copy.default", {self, dims});
}

/// aten.pinverse.default(Tensor self, float rcond=1e-15) -> Tensor
inline Value pinverse(const Value &self, double rcond = 1e-15) {
    return litz::call(detail::graph_of(self), "aten.pinverse.default", {self, rcond});
}

/// aten.pixel_shuffle.default(Tensor self, int upscale_factor) -> Tensor
inline Value pixel_shuffle(const Value &self, Size upscale_factor) {
    return litz::call(detail::graph_of(self), "aten.pixel_shuffle.default", {self, upscale_factor});
}

/// aten.pixel_unshuffle.default(Tensor self, int downscale_factor) -> Tensor
inline Value pixel_unshuffle(const Value &self, Size downscale_factor) {
    return litz::call(detail::graph_of(self), "aten.pixel_unshuffle.default", {self, downscale_factor});
}

/// aten.poisson_nll_loss.default(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor
inline Value poisson_nll_loss(const Value &input, const Value &target, Flag log_input, Flag full, double eps,
                              Size reduction) {
    return litz::call(detail::graph_of(input, target), "aten.poisson_nll_loss.default", {input, target, log_input,
                                        full, eps, reduction});
}

/// aten.polar.default(Tensor abs, Tensor angle) -> Tensor
inline Value polar(const Value &abs, const Value &angle) {
    return litz::call(detail::graph_of(abs, angle), "aten.polar.default", {abs, angle});
}

/// aten.polygamma.default(int n, Tensor self) -> Tensor
inline Value polygamma(Size n, const Value &self) {
    return litz::call(detail::graph_of(self), "aten.polygamma.default", {n, self});
}

/// aten.positive.default(Tensor self) -> Tensor
inline Value positive(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.positive.default", {self});
}

/// aten.pow.Scalar(Scalar self, Tensor exponent) -> Tensor
inline Value pow(Scalar self, const Value &exponent) {
    return litz::call(detail::graph_of(exponent), "aten.pow.Scalar", {self, exponent});
}

/// aten.pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
inline Value pow(const Value &self, Scalar exponent) {
    return litz::call(detail::graph_of(self), "aten.pow.Tensor_Scalar", {self, exponent});
}

/// aten.pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor
inline Value pow(const Value &self, const Value &exponent) {
    return litz::call(detail::graph_of(self, exponent), "aten.pow.Tensor_Tensor", {self, exponent});
}

/// aten.pow_.Scalar(Tensor self, Scalar exponent) -> Tensor
inline Value pow_(const Value &self, Scalar exponent) {
    return litz::call(detail::graph_of(self), "aten.pow_.Scalar", {self, exponent});
}

/// aten.pow_.Tensor(Tensor self, Tensor exponent) -> Tensor
inline Value pow_(const Value &self, const Value &exponent) {
    return litz::call(detail::graph_of(self, exponent), "aten.pow_.Tensor", {self, exponent});
}

/// aten.prelu.default(Tensor self, Tensor weight) -> Tensor
inline Value prelu(const Value &self, const Value &weight) {
    return litz::call(detail::graph_of(self, weight), "aten.prelu.default", {self, weight});
}

/// aten.prod.default(Tensor self, *, ScalarType? dtype=None) -> Tensor
inline Value prod(const Value &self, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.prod.default", {self, dtype});
}

/// aten.prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
inline Value prod(const Value &self, Size dim, Flag keepdim = false, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.prod.dim_int", {self, dim, keepdim, dtype});
}

/// aten.put.default(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor
inline Value put(const Value &self, const Value &index, const Value &source, Flag accumulate = false) {
    return litz::call(detail::graph_of(self, index, source), "aten.put.default", {self, index, source, accumulate});
}

/// aten.put_.default(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor
inline Value put_(const Value &self, const Value &index, const Value &source, Flag accumulate = false) {
    return litz::call(detail::graph_of(self, index, source), "aten.put_.default", {self, index, source, accumulate});
}

/// aten.qr.default(Tensor self, bool some=True) -> (Tensor Q, Tensor R)
inline std::array<Value, 2> qr(const Value &self, Flag some = true) {
    return detail::fixed<2>(detail::graph_of(self), "aten.qr.default", {self, some});
}

/// aten.quantile.default(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor
inline Value quantile(const Value &self, const Value &q, std::optional<Size> dim = std::nullopt,
                      Flag keepdim = false, const std::string &interpolation = "linear") {
    return litz::call(detail::graph_of(self, q), "aten.quantile.default", {self, q, dim, keepdim, interpolation});
}

/// aten.quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor
inline Value quantile(const Value &self, double q, std::optional<Size> dim = std::nullopt, Flag keepdim = false,
                      const std::string &interpolation = "linear") {
    return litz::call(detail::graph_of(self), "aten.quantile.scalar", {self, q, dim, keepdim, interpolation});
}

/// aten.rad2deg.default(Tensor self) -> Tensor
inline Value rad2deg(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.rad2deg.default", {self});
}

/// aten.rad2deg_.default(Tensor self) -> Tensor
inline Value rad2deg_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.rad2deg_.default", {self});
}

/// aten.rand.default(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value rand(Graph &graph, const IntList<> &size, std::optional<Dtype> dtype = std::nullopt,
                  std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                  std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.rand.default", {size, dtype, layout, device, pin_memory});
}

/// aten.rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value rand_generator(Graph &graph, const IntList<> &size, std::optional<Dtype> dtype = std::nullopt,
                            std::optional<Layout> layout = std::nullopt,
                            std::optional<DLDevice> device = std::nullopt,
                            std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.rand.generator", {size, dtype, layout, device, pin_memory});
}

/// aten.rand_like.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value rand_like(const Value &self, std::optional<Dtype> dtype = std::nullopt,
                       std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                       std::optional<Flag> pin_memory = std::nullopt,
                       std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.rand_like.default", {self, dtype, layout, device, pin_memory,
                                        memory_format});
}

/// aten.rand_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value rand_like_generator(const Value &self, std::optional<Dtype> dtype = std::nullopt,
                                 std::optional<Layout> layout = std::nullopt,
                                 std::optional<DLDevice> device = std::nullopt,
                                 std::optional<Flag> pin_memory = std::nullopt,
                                 std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.rand_like.generator", {self, dtype, layout, device, pin_memory,
                                        memory_format});
}

/// aten.randint.default(SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value randint(Graph &graph, Size high, const IntList<> &size,
                     std::optional<Dtype> dtype = static_cast<Dtype>(5),
                     std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                     std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.randint.default", {high, size, dtype, layout, device, pin_memory});
}

/// aten.randint.generator(SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value randint_generator(Graph &graph, Size high, const IntList<> &size,
                               std::optional<Dtype> dtype = static_cast<Dtype>(5),
                               std::optional<Layout> layout = std::nullopt,
                               std::optional<DLDevice> device = std::nullopt,
                               std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.randint.generator", {high, size, dtype, layout, device, pin_memory});
}

/// aten.randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value randint(Graph &graph, Size low, Size high, const IntList<> &size,
                     std::optional<Dtype> dtype = static_cast<Dtype>(5),
                     std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                     std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.randint.low", {low, high, size, dtype, layout, device, pin_memory});
}

/// aten.randint.low_generator(SymInt low, SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value randint_low_generator(Graph &graph, Size low, Size high, const IntList<> &size,
                                   std::optional<Dtype> dtype = static_cast<Dtype>(5),
                                   std::optional<Layout> layout = std::nullopt,
                                   std::optional<DLDevice> device = std::nullopt,
                                   std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.randint.low_generator", {low, high, size, dtype, layout, device,
                                        pin_memory});
}

/// aten.randint_like.default(Tensor self, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value randint_like(const Value &self, Size high, std::optional<Dtype> dtype = std::nullopt,
                          std::optional<Layout> layout = std::nullopt,
                          std::optional<DLDevice> device = std::nullopt,
                          std::optional<Flag> pin_memory = std::nullopt,
                          std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.randint_like.default", {self, high, dtype, layout, device,
                                        pin_memory, memory_format});
}

/// aten.randint_like.Tensor(Tensor self, Tensor high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value randint_like(const Value &self, const Value &high, std::optional<Dtype> dtype = std::nullopt,
                          std::optional<Layout> layout = std::nullopt,
                          std::optional<DLDevice> device = std::nullopt,
                          std::optional<Flag> pin_memory = std::nullopt,
                          std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self, high), "aten.randint_like.Tensor", {self, high, dtype, layout, device,
                                        pin_memory, memory_format});
}

/// aten.randint_like.Tensor_generator(Tensor self, Tensor high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value randint_like_Tensor_generator(const Value &self, const Value &high,
                                        std::optional<Dtype> dtype = std::nullopt,
                                        std::optional<Layout> layout = std::nullopt,
                                        std::optional<DLDevice> device = std::nullopt,
                                        std::optional<Flag> pin_memory = std::nullopt,
                                        std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self, high), "aten.randint_like.Tensor_generator", {self, high, dtype,
                                        layout, device, pin_memory, memory_format});
}

/// aten.randint_like.generator(Tensor self, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value randint_like_generator(const Value &self, Size high, std::optional<Dtype> dtype = std::nullopt,
                                    std::optional<Layout> layout = std::nullopt,
                                    std::optional<DLDevice> device = std::nullopt,
                                    std::optional<Flag> pin_memory = std::nullopt,
                                    std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.randint_like.generator", {self, high, dtype, layout, device,
                                        pin_memory, memory_format});
}

/// aten.randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value randint_like(const Value &self, Size low, Size high, std::optional<Dtype> dtype = std::nullopt,
                          std::optional<Layout> layout = std::nullopt,
                          std::optional<DLDevice> device = std::nullopt,
                          std::optional<Flag> pin_memory = std::nullopt,
                          std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.randint_like.low_dtype", {self, low, high, dtype, layout,
                                        device, pin_memory, memory_format});
}

/// aten.randint_like.low_generator_dtype(Tensor self, SymInt low, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value randint_like_low_generator_dtype(const Value &self, Size low, Size high,
                                        std::optional<Dtype> dtype = std::nullopt,
                                        std::optional<Layout> layout = std::nullopt,
                                        std::optional<DLDevice> device = std::nullopt,
                                        std::optional<Flag> pin_memory = std::nullopt,
                                        std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.randint_like.low_generator_dtype", {self, low, high, dtype,
                                        layout, device, pin_memory, memory_format});
}

/// aten.randn.default(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value randn(Graph &graph, const IntList<> &size, std::optional<Dtype> dtype = std::nullopt,
                   std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                   std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.randn.default", {size, dtype, layout, device, pin_memory});
}

/// aten.randn.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value randn_generator(Graph &graph, const IntList<> &size, std::optional<Dtype> dtype = std::nullopt,
                             std::optional<Layout> layout = std::nullopt,
                             std::optional<DLDevice> device = std::nullopt,
                             std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.randn.generator", {size, dtype, layout, device, pin_memory});
}

/// aten.randn_like.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value randn_like(const Value &self, std::optional<Dtype> dtype = std::nullopt,
                        std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                        std::optional<Flag> pin_memory = std::nullopt,
                        std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.randn_like.default", {self, dtype, layout, device, pin_memory,
                                        memory_format});
}

/// aten.randn_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value randn_like_generator(const Value &self, std::optional<Dtype> dtype = std::nullopt,
                                  std::optional<Layout> layout = std::nullopt,
                                  std::optional<DLDevice> device = std::nullopt,
                                  std::optional<Flag> pin_memory = std::nullopt,
                                  std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.randn_like.generator", {self, dtype, layout, device, pin_memory,
                                        memory_format});
}

/// aten.random.default(Tensor self, *, Generator? generator=None) -> Tensor
inline Value random(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.random.default", {self});
}

/// aten.random.to(Tensor self, int to, *, Generator? generator=None) -> Tensor
inline Value random(const Value &self, Size to) {
    return litz::call(detail::graph_of(self), "aten.random.to", {self, to});
}

/// aten.random.from(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor
inline Value random(const Value &self, Size from, std::optional<Size> to) {
    return litz::call(detail::graph_of(self), "aten.random.from", {self, from, to});
}

/// aten.random_.default(Tensor self, *, Generator? generator=None) -> Tensor
inline Value random_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.random_.default", {self});
}

/// aten.random_.to(Tensor self, int to, *, Generator? generator=None) -> Tensor
inline Value random_(const Value &self, Size to) {
    return litz::call(detail::graph_of(self), "aten.random_.to", {self, to});
}

/// aten.random_.from(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor
inline Value random_(const Value &self, Size from, std::optional<Size> to) {
    return litz::call(detail::graph_of(self), "aten.random_.from", {self, from, to});
}

/// aten.randperm.default(SymInt n, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value randperm(Graph &graph, Size n, std::optional<Dtype> dtype = static_cast<Dtype>(5),
                      std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                      std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.randperm.default", {n, dtype, layout, device, pin_memory});
}

/// aten.randperm.generator(SymInt n, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value randperm_generator(Graph &graph, Size n, std::optional<Dtype> dtype = static_cast<Dtype>(5),
                                std::optional<Layout> layout = std::nullopt,
                                std::optional<DLDevice> device = std::nullopt,
                                std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.randperm.generator", {n, dtype, layout, device, pin_memory});
}

/// aten.ravel.default(Tensor self) -> Tensor
inline Value ravel(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.ravel.default", {self});
}

/// aten.real.default(Tensor self) -> Tensor
inline Value real(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.real.default", {self});
}

/// aten.reciprocal.default(Tensor self) -> Tensor
inline Value reciprocal(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.reciprocal.default", {self});
}

/// aten.reciprocal_.default(Tensor self) -> Tensor
inline Value reciprocal_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.reciprocal_.default", {self});
}

/// aten.reflection_pad1d.default(Tensor self, SymInt[2] padding) -> Tensor
inline Value reflection_pad1d(const Value &self, const IntList<true> &padding) {
    return litz::call(detail::graph_of(self), "aten.reflection_pad1d.default", {self, padding});
}

/// aten.reflection_pad1d_backward.default(Tensor grad_output, Tensor self, SymInt[2] padding) -> Tensor
inline Value reflection_pad1d_backward(const Value &grad_output, const Value &self, const IntList<true> &padding) {
    return litz::call(detail::graph_of(grad_output, self), "aten.reflection_pad1d_backward.default", {grad_output,
                                        self, padding});
}

/// aten.reflection_pad2d.default(Tensor self, SymInt[4] padding) -> Tensor
inline Value reflection_pad2d(const Value &self, const IntList<true> &padding) {
    return litz::call(detail::graph_of(self), "aten.reflection_pad2d.default", {self, padding});
}

/// aten.reflection_pad2d_backward.default(Tensor grad_output, Tensor self, SymInt[4] padding) -> Tensor
inline Value reflection_pad2d_backward(const Value &grad_output, const Value &self, const IntList<true> &padding) {
    return litz::call(detail::graph_of(grad_output, self), "aten.reflection_pad2d_backward.default", {grad_output,
                                        self, padding});
}

/// aten.reflection_pad3d.default(Tensor self, SymInt[6] padding) -> Tensor
inline Value reflection_pad3d(const Value &self, const IntList<true> &padding) {
    return litz::call(detail::graph_of(self), "aten.reflection_pad3d.default", {self, padding});
}

/// aten.reflection_pad3d_backward.default(Tensor grad_output, Tensor self, SymInt[6] padding) -> Tensor
inline Value reflection_pad3d_backward(const Value &grad_output, const Value &self, const IntList<true> &padding) {
    return litz::call(detail::graph_of(grad_output, self), "aten.reflection_pad3d_backward.default", {grad_output,
                                        self, padding});
}

/// aten.relu.default(Tensor self) -> Tensor
inline Value relu(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.relu.default", {self});
}

/// aten.relu6.default(Tensor self) -> Tensor
inline Value relu6(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.relu6.default", {self});
}

/// aten.relu6_.default(Tensor self) -> Tensor
inline Value relu6_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.relu6_.default", {self});
}

/// aten.relu_.default(Tensor self) -> Tensor
inline Value relu_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.relu_.default", {self});
}

/// aten.remainder.Scalar(Tensor self, Scalar other) -> Tensor
inline Value remainder(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.remainder.Scalar", {self, other});
}

/// aten.remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
inline Value remainder(Scalar self, const Value &other) {
    return litz::call(detail::graph_of(other), "aten.remainder.Scalar_Tensor", {self, other});
}

/// aten.remainder.Tensor(Tensor self, Tensor other) -> Tensor
inline Value remainder(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.remainder.Tensor", {self, other});
}

/// aten.remainder_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value remainder_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.remainder_.Scalar", {self, other});
}

/// aten.remainder_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value remainder_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.remainder_.Tensor", {self, other});
}

/// aten.renorm.default(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor
inline Value renorm(const Value &self, Scalar p, Size dim, Scalar maxnorm) {
    return litz::call(detail::graph_of(self), "aten.renorm.default", {self, p, dim, maxnorm});
}

/// aten.renorm_.default(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor
inline Value renorm_(const Value &self, Scalar p, Size dim, Scalar maxnorm) {
    return litz::call(detail::graph_of(self), "aten.renorm_.default", {self, p, dim, maxnorm});
}

/// aten.repeat.default(Tensor self, SymInt[] repeats) -> Tensor
inline Value repeat(const Value &self, const IntList<> &repeats) {
    return litz::call(detail::graph_of(self), "aten.repeat.default", {self, repeats});
}

/// aten.repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor
inline Value repeat_interleave(const Value &repeats, std::optional<Size> output_size = std::nullopt) {
    return litz::call(detail::graph_of(repeats), "aten.repeat_interleave.Tensor", {repeats, output_size});
}

/// aten.repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor
inline Value repeat_interleave(const Value &self, const Value &repeats, std::optional<Size> dim = std::nullopt,
                               std::optional<Size> output_size = std::nullopt) {
    return litz::call(detail::graph_of(self, repeats), "aten.repeat_interleave.self_Tensor", {self, repeats, dim,
                                        output_size});
}

/// aten.repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor
inline Value repeat_interleave(const Value &self, Size repeats, std::optional<Size> dim,
                               std::optional<Size> output_size = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.repeat_interleave.self_int", {self, repeats, dim, output_size});
}

/// aten.replication_pad1d.default(Tensor self, SymInt[2] padding) -> Tensor
inline Value replication_pad1d(const Value &self, const IntList<true> &padding) {
    return litz::call(detail::graph_of(self), "aten.replication_pad1d.default", {self, padding});
}

/// aten.replication_pad1d_backward.default(Tensor grad_output, Tensor self, SymInt[2] padding) -> Tensor
inline Value replication_pad1d_backward(const Value &grad_output, const Value &self, const IntList<true> &padding) {
    return litz::call(detail::graph_of(grad_output, self), "aten.replication_pad1d_backward.default", {grad_output,
                                        self, padding});
}

/// aten.replication_pad2d.default(Tensor self, SymInt[4] padding) -> Tensor
inline Value replication_pad2d(const Value &self, const IntList<true> &padding) {
    return litz::call(detail::graph_of(self), "aten.replication_pad2d.default", {self, padding});
}

/// aten.replication_pad2d_backward.default(Tensor grad_output, Tensor self, SymInt[4] padding) -> Tensor
inline Value replication_pad2d_backward(const Value &grad_output, const Value &self, const IntList<true> &padding) {
    return litz::call(detail::graph_of(grad_output, self), "aten.replication_pad2d_backward.default", {grad_output,
                                        self, padding});
}

/// aten.replication_pad3d.default(Tensor self, SymInt[6] padding) -> Tensor
inline Value replication_pad3d(const Value &self, const IntList<true> &padding) {
    return litz::call(detail::graph_of(self), "aten.replication_pad3d.default", {self, padding});
}

/// aten.replication_pad3d_backward.default(Tensor grad_output, Tensor self, SymInt[6] padding) -> Tensor
inline Value replication_pad3d_backward(const Value &grad_output, const Value &self, const IntList<true> &padding) {
    return litz::call(detail::graph_of(grad_output, self), "aten.replication_pad3d_backward.default", {grad_output,
                                        self, padding});
}

/// aten.reshape.default(Tensor self, SymInt[] shape) -> Tensor
inline Value reshape(const Value &self, const IntList<> &shape) {
    return litz::call(detail::graph_of(self), "aten.reshape.default", {self, shape});
}

/// aten.reshape_as.default(Tensor self, Tensor other) -> Tensor
inline Value reshape_as(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.reshape_as.default", {self, other});
}

/// aten.resize.default(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor
inline Value resize(const Value &self, const IntList<> &size,
                    std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.resize.default", {self, size, memory_format});
}

/// aten.resize_.default(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor
inline Value resize_(const Value &self, const IntList<> &size,
                     std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.resize_.default", {self, size, memory_format});
}

/// aten.resize_as.default(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor
inline Value resize_as(const Value &self, const Value &the_template,
                       std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self, the_template), "aten.resize_as.default", {self, the_template,
                                        memory_format});
}

/// aten.resize_as_.default(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor
inline Value resize_as_(const Value &self, const Value &the_template,
                        std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self, the_template), "aten.resize_as_.default", {self, the_template,
                                        memory_format});
}

/// aten.resolve_conj.default(Tensor self) -> Tensor
inline Value resolve_conj(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.resolve_conj.default", {self});
}

/// aten.resolve_neg.default(Tensor self) -> Tensor
inline Value resolve_neg(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.resolve_neg.default", {self});
}

/// aten.rms_norm.default(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor
inline Value rms_norm(const Value &input, const IntList<> &normalized_shape, const Value &weight = Value(),
                      std::optional<double> eps = std::nullopt) {
    return litz::call(detail::graph_of(input, weight), "aten.rms_norm.default", {input, normalized_shape,
                                        detail::optional(weight), eps});
}

/// aten.rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)
inline std::array<Value, 2> rnn_relu(const Value &input, const Value &hx, const std::vector<Value> &params,
                                     Flag has_biases, Size num_layers, double dropout, Flag train,
                                     Flag bidirectional, Flag batch_first) {
    return detail::fixed<2>(detail::graph_of(input, hx, params), "aten.rnn_relu.input", {input, hx, params,
                                        has_biases, num_layers, dropout, train, bidirectional, batch_first});
}

/// aten.rnn_relu_cell.default(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor
inline Value rnn_relu_cell(const Value &input, const Value &hx, const Value &w_ih, const Value &w_hh,
                           const Value &b_ih = Value(), const Value &b_hh = Value()) {
    return litz::call(detail::graph_of(input, hx, w_ih, w_hh, b_ih, b_hh), "aten.rnn_relu_cell.default", {input, hx,
                                        w_ih, w_hh, detail::optional(b_ih), detail::optional(b_hh)});
}

/// aten.rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)
inline std::array<Value, 2> rnn_tanh(const Value &input, const Value &hx, const std::vector<Value> &params,
                                     Flag has_biases, Size num_layers, double dropout, Flag train,
                                     Flag bidirectional, Flag batch_first) {
    return detail::fixed<2>(detail::graph_of(input, hx, params), "aten.rnn_tanh.input", {input, hx, params,
                                        has_biases, num_layers, dropout, train, bidirectional, batch_first});
}

/// aten.rnn_tanh_cell.default(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor
inline Value rnn_tanh_cell(const Value &input, const Value &hx, const Value &w_ih, const Value &w_hh,
                           const Value &b_ih = Value(), const Value &b_hh = Value()) {
    return litz::call(detail::graph_of(input, hx, w_ih, w_hh, b_ih, b_hh), "aten.rnn_tanh_cell.default", {input, hx,
                                        w_ih, w_hh, detail::optional(b_ih), detail::optional(b_hh)});
}

/// aten.roll.default(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor
inline Value roll(const Value &self, const IntList<true> &shifts, const IntList<true> &dims = {}) {
    return litz::call(detail::graph_of(self), "aten.roll.default", {self, shifts, dims});
}

/// aten.rot90.default(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor
inline Value rot90(const Value &self, Size k = 1, const IntList<> &dims = {0, 1}) {
    return litz::call(detail::graph_of(self), "aten.rot90.default", {self, k, dims});
}

/// aten.round.default(Tensor self) -> Tensor
inline Value round(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.round.default", {self});
}

/// aten.round.decimals(Tensor self, *, int decimals) -> Tensor
inline Value round(const Value &self, Size decimals) {
    return litz::call(detail::graph_of(self), "aten.round.decimals", {self, decimals});
}

/// aten.round_.default(Tensor self) -> Tensor
inline Value round_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.round_.default", {self});
}

/// aten.round_.decimals(Tensor self, *, int decimals) -> Tensor
inline Value round_(const Value &self, Size decimals) {
    return litz::call(detail::graph_of(self), "aten.round_.decimals", {self, decimals});
}

/// aten.row_stack.default(Tensor[] tensors) -> Tensor
inline Value row_stack(const std::vector<Value> &tensors) {
    return litz::call(detail::graph_of(tensors), "aten.row_stack.default", {tensors});
}

/// aten.rrelu.default(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor
inline Value rrelu(const Value &self, Scalar lower = 0.125, Scalar upper = 0.3333333333333333,
                   Flag training = false) {
    return litz::call(detail::graph_of(self), "aten.rrelu.default", {self, lower, upper, training});
}

/// aten.rrelu_.default(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor
inline Value rrelu_(const Value &self, Scalar lower = 0.125, Scalar upper = 0.3333333333333333,
                    Flag training = false) {
    return litz::call(detail::graph_of(self), "aten.rrelu_.default", {self, lower, upper, training});
}

/// aten.rrelu_with_noise.default(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor
inline Value rrelu_with_noise(const Value &self, const Value &noise, Scalar lower = 0.125,
                              Scalar upper = 0.3333333333333333, Flag training = false) {
    return litz::call(detail::graph_of(self, noise), "aten.rrelu_with_noise.default", {self, noise, lower, upper,
                                        training});
}

/// aten.rrelu_with_noise_.default(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor
inline Value rrelu_with_noise_(const Value &self, const Value &noise, Scalar lower = 0.125,
                               Scalar upper = 0.3333333333333333, Flag training = false) {
    return litz::call(detail::graph_of(self, noise), "aten.rrelu_with_noise_.default", {self, noise, lower, upper,
                                        training});
}

/// aten.rrelu_with_noise_functional.default(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> (Tensor, Tensor)
inline std::array<Value, 2> rrelu_with_noise_functional(const Value &self, const Value &noise, Scalar lower = 0.125,
                                        Scalar upper = 0.3333333333333333, Flag training = false) {
    return detail::fixed<2>(detail::graph_of(self, noise), "aten.rrelu_with_noise_functional.default", {self, noise,
                                        lower, upper, training});
}

/// aten.rsqrt.default(Tensor self) -> Tensor
inline Value rsqrt(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.rsqrt.default", {self});
}

/// aten.rsqrt_.default(Tensor self) -> Tensor
inline Value rsqrt_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.rsqrt_.default", {self});
}

/// aten.rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
inline Value rsub(const Value &self, Scalar other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self), "aten.rsub.Scalar", {self, other, alpha});
}

/// aten.rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
inline Value rsub(const Value &self, const Value &other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, other), "aten.rsub.Tensor", {self, other, alpha});
}

/// aten.scalar_tensor.default(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value scalar_tensor(Graph &graph, Scalar s, std::optional<Dtype> dtype = std::nullopt,
                           std::optional<Layout> layout = std::nullopt,
                           std::optional<DLDevice> device = std::nullopt,
                           std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.scalar_tensor.default", {s, dtype, layout, device, pin_memory});
}

/// aten.scaled_dot_product_attention.default(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor
inline Value scaled_dot_product_attention(const Value &query, const Value &key, const Value &value,
                                        const Value &attn_mask = Value(), double dropout_p = 0.0,
                                        Flag is_causal = false, std::optional<double> scale = std::nullopt,
                                        Flag enable_gqa = false) {
    return litz::call(detail::graph_of(query, key, value, attn_mask), "aten.scaled_dot_product_attention.default", {query,
                                        key, value, detail::optional(attn_mask), dropout_p, is_causal, scale,
                                        enable_gqa});
}

/// aten.scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor
inline Value scatter(const Value &self, Size dim, const Value &index, const Value &src) {
    return litz::call(detail::graph_of(self, index, src), "aten.scatter.src", {self, dim, index, src});
}

/// aten.scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor
inline Value scatter(const Value &self, Size dim, const Value &index, Scalar value) {
    return litz::call(detail::graph_of(self, index), "aten.scatter.value", {self, dim, index, value});
}

/// aten.scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor
inline Value scatter(const Value &self, Size dim, const Value &index, const Value &src, const std::string &reduce) {
    return litz::call(detail::graph_of(self, index, src), "aten.scatter.reduce", {self, dim, index, src, reduce});
}

/// aten.scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor
inline Value scatter(const Value &self, Size dim, const Value &index, Scalar value, const std::string &reduce) {
    return litz::call(detail::graph_of(self, index), "aten.scatter.value_reduce", {self, dim, index, value, reduce});
}

/// aten.scatter_.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor
inline Value scatter_(const Value &self, Size dim, const Value &index, const Value &src) {
    return litz::call(detail::graph_of(self, index, src), "aten.scatter_.src", {self, dim, index, src});
}

/// aten.scatter_.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor
inline Value scatter_(const Value &self, Size dim, const Value &index, Scalar value) {
    return litz::call(detail::graph_of(self, index), "aten.scatter_.value", {self, dim, index, value});
}

/// aten.scatter_.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor
inline Value scatter_(const Value &self, Size dim, const Value &index, const Value &src, const std::string &reduce) {
    return litz::call(detail::graph_of(self, index, src), "aten.scatter_.reduce", {self, dim, index, src, reduce});
}

/// aten.scatter_.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor
inline Value scatter_(const Value &self, Size dim, const Value &index, Scalar value, const std::string &reduce) {
    return litz::call(detail::graph_of(self, index), "aten.scatter_.value_reduce", {self, dim, index, value, reduce});
}

/// aten.scatter_add.default(Tensor self, int dim, Tensor index, Tensor src) -> Tensor
inline Value scatter_add(const Value &self, Size dim, const Value &index, const Value &src) {
    return litz::call(detail::graph_of(self, index, src), "aten.scatter_add.default", {self, dim, index, src});
}

/// aten.scatter_add_.default(Tensor self, int dim, Tensor index, Tensor src) -> Tensor
inline Value scatter_add_(const Value &self, Size dim, const Value &index, const Value &src) {
    return litz::call(detail::graph_of(self, index, src), "aten.scatter_add_.default", {self, dim, index, src});
}

/// aten.scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor
inline Value scatter_reduce(const Value &self, Size dim, const Value &index, const Value &src,
                            const std::string &reduce, Flag include_self = true) {
    return litz::call(detail::graph_of(self, index, src), "aten.scatter_reduce.two", {self, dim, index, src, reduce,
                                        include_self});
}

/// aten.scatter_reduce_.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor
inline Value scatter_reduce_(const Value &self, Size dim, const Value &index, const Value &src,
                             const std::string &reduce, Flag include_self = true) {
    return litz::call(detail::graph_of(self, index, src), "aten.scatter_reduce_.two", {self, dim, index, src,
                                        reduce, include_self});
}

/// aten.searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor
inline Value searchsorted(const Value &sorted_sequence, Scalar self, Flag out_int32 = false, Flag right = false,
                          const std::optional<std::string> &side = std::nullopt, const Value &sorter = Value()) {
    return litz::call(detail::graph_of(sorted_sequence, sorter), "aten.searchsorted.Scalar", {sorted_sequence, self,
                                        out_int32, right, side, detail::optional(sorter)});
}

/// aten.searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor
inline Value searchsorted(const Value &sorted_sequence, const Value &self, Flag out_int32 = false,
                          Flag right = false, const std::optional<std::string> &side = std::nullopt,
                          const Value &sorter = Value()) {
    return litz::call(detail::graph_of(sorted_sequence, self, sorter), "aten.searchsorted.Tensor", {sorted_sequence,
                                        self, out_int32, right, side, detail::optional(sorter)});
}

/// aten.segment_reduce.default(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor
inline Value segment_reduce(const Value &data, const std::string &reduce, const Value &lengths = Value(),
                            const Value &indices = Value(), const Value &offsets = Value(), Size axis = 0,
                            Flag unsafe = false, std::optional<Scalar> initial = std::nullopt) {
    return litz::call(detail::graph_of(data, lengths, indices, offsets), "aten.segment_reduce.default", {data,
                                        reduce, detail::optional(lengths), detail::optional(indices),
                                        detail::optional(offsets), axis, unsafe, initial});
}

/// aten.select.int(Tensor self, int dim, SymInt index) -> Tensor
inline Value select(const Value &self, Size dim, Size index) {
    return litz::call(detail::graph_of(self), "aten.select.int", {self, dim, index});
}

/// aten.select_backward.default(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor
inline Value select_backward(const Value &grad_output, const IntList<> &input_sizes, Size dim, Size index) {
    return litz::call(detail::graph_of(grad_output), "aten.select_backward.default", {grad_output, input_sizes, dim,
                                        index});
}

/// aten.select_copy.int(Tensor self, int dim, SymInt index) -> Tensor
inline Value select_copy(const Value &self, Size dim, Size index) {
    return litz::call(detail::graph_of(self), "aten.select_copy.int", {self, dim, index});
}

/// aten.select_scatter.default(Tensor self, Tensor src, int dim, SymInt index) -> Tensor
inline Value select_scatter(const Value &self, const Value &src, Size dim, Size index) {
    return litz::call(detail::graph_of(self, src), "aten.select_scatter.default", {self, src, dim, index});
}

/// aten.selu.default(Tensor self) -> Tensor
inline Value selu(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.selu.default", {self});
}

/// aten.selu_.default(Tensor self) -> Tensor
inline Value selu_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.selu_.default", {self});
}

/// aten.sgn.default(Tensor self) -> Tensor
inline Value sgn(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sgn.default", {self});
}

/// aten.sgn_.default(Tensor self) -> Tensor
inline Value sgn_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sgn_.default", {self});
}

/// aten.sigmoid.default(Tensor self) -> Tensor
inline Value sigmoid(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sigmoid.default", {self});
}

/// aten.sigmoid_.default(Tensor self) -> Tensor
inline Value sigmoid_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sigmoid_.default", {self});
}

/// aten.sigmoid_backward.default(Tensor grad_output, Tensor output) -> Tensor
inline Value sigmoid_backward(const Value &grad_output, const Value &output) {
    return litz::call(detail::graph_of(grad_output, output), "aten.sigmoid_backward.default", {grad_output, output});
}

/// aten.sign.default(Tensor self) -> Tensor
inline Value sign(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sign.default", {self});
}

/// aten.sign_.default(Tensor self) -> Tensor
inline Value sign_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sign_.default", {self});
}

/// aten.signbit.default(Tensor self) -> Tensor
inline Value signbit(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.signbit.default", {self});
}

/// aten.silu.default(Tensor self) -> Tensor
inline Value silu(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.silu.default", {self});
}

/// aten.silu_.default(Tensor self) -> Tensor
inline Value silu_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.silu_.default", {self});
}

/// aten.silu_backward.default(Tensor grad_output, Tensor self) -> Tensor
inline Value silu_backward(const Value &grad_output, const Value &self) {
    return litz::call(detail::graph_of(grad_output, self), "aten.silu_backward.default", {grad_output, self});
}

/// aten.sin.default(Tensor self) -> Tensor
inline Value sin(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sin.default", {self});
}

/// aten.sin_.default(Tensor self) -> Tensor
inline Value sin_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sin_.default", {self});
}

/// aten.sinc.default(Tensor self) -> Tensor
inline Value sinc(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sinc.default", {self});
}

/// aten.sinc_.default(Tensor self) -> Tensor
inline Value sinc_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sinc_.default", {self});
}

/// aten.sinh.default(Tensor self) -> Tensor
inline Value sinh(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sinh.default", {self});
}

/// aten.sinh_.default(Tensor self) -> Tensor
inline Value sinh_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sinh_.default", {self});
}

/// aten.slice.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor
inline Value slice(const Value &self, Size dim = 0, std::optional<Size> start = std::nullopt,
                   std::optional<Size> end = std::nullopt, Size step = 1) {
    return litz::call(detail::graph_of(self), "aten.slice.Tensor", {self, dim, start, end, step});
}

/// aten.slice_backward.default(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt step) -> Tensor
inline Value slice_backward(const Value &grad_output, const IntList<> &input_sizes, Size dim, Size start, Size end,
                            Size step) {
    return litz::call(detail::graph_of(grad_output), "aten.slice_backward.default", {grad_output, input_sizes, dim,
                                        start, end, step});
}

/// aten.slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor
inline Value slice_copy(const Value &self, Size dim = 0, std::optional<Size> start = std::nullopt,
                        std::optional<Size> end = std::nullopt, Size step = 1) {
    return litz::call(detail::graph_of(self), "aten.slice_copy.Tensor", {self, dim, start, end, step});
}

/// aten.slice_scatter.default(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor
inline Value slice_scatter(const Value &self, const Value &src, Size dim = 0,
                           std::optional<Size> start = std::nullopt, std::optional<Size> end = std::nullopt,
                           Size step = 1) {
    return litz::call(detail::graph_of(self, src), "aten.slice_scatter.default", {self, src, dim, start, end, step});
}

/// aten.slogdet.default(Tensor self) -> (Tensor sign, Tensor logabsdet)
inline std::array<Value, 2> slogdet(const Value &self) {
    return detail::fixed<2>(detail::graph_of(self), "aten.slogdet.default", {self});
}

/// aten.smooth_l1_loss.default(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor
inline Value smooth_l1_loss(const Value &self, const Value &target, Size reduction = 1, double beta = 1.0) {
    return litz::call(detail::graph_of(self, target), "aten.smooth_l1_loss.default", {self, target, reduction, beta});
}

/// aten.smooth_l1_loss_backward.default(Tensor grad_output, Tensor self, Tensor target, int reduction, float beta) -> Tensor
inline Value smooth_l1_loss_backward(const Value &grad_output, const Value &self, const Value &target,
                                     Size reduction, double beta) {
    return litz::call(detail::graph_of(grad_output, self, target), "aten.smooth_l1_loss_backward.default", {grad_output,
                                        self, target, reduction, beta});
}

/// aten.soft_margin_loss.default(Tensor self, Tensor target, int reduction=1) -> Tensor
inline Value soft_margin_loss(const Value &self, const Value &target, Size reduction = 1) {
    return litz::call(detail::graph_of(self, target), "aten.soft_margin_loss.default", {self, target, reduction});
}

/// aten.soft_margin_loss_backward.default(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor
inline Value soft_margin_loss_backward(const Value &grad_output, const Value &self, const Value &target,
                                       Size reduction) {
    return litz::call(detail::graph_of(grad_output, self, target), "aten.soft_margin_loss_backward.default", {grad_output,
                                        self, target, reduction});
}

/// aten.softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
inline Value softmax(const Value &self, Size dim, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.softmax.int", {self, dim, dtype});
}

/// aten.softplus.default(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor
inline Value softplus(const Value &self, Scalar beta = 1, Scalar threshold = 20) {
    return litz::call(detail::graph_of(self), "aten.softplus.default", {self, beta, threshold});
}

/// aten.softplus_backward.default(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor
inline Value softplus_backward(const Value &grad_output, const Value &self, Scalar beta, Scalar threshold) {
    return litz::call(detail::graph_of(grad_output, self), "aten.softplus_backward.default", {grad_output, self,
                                        beta, threshold});
}

/// aten.softshrink.default(Tensor self, Scalar lambd=0.5) -> Tensor
inline Value softshrink(const Value &self, Scalar lambd = 0.5) {
    return litz::call(detail::graph_of(self), "aten.softshrink.default", {self, lambd});
}

/// aten.softshrink_backward.default(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor
inline Value softshrink_backward(const Value &grad_output, const Value &self, Scalar lambd) {
    return litz::call(detail::graph_of(grad_output, self), "aten.softshrink_backward.default", {grad_output, self,
                                        lambd});
}

/// aten.sort.default(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)
inline std::array<Value, 2> sort(const Value &self, Size dim = -1, Flag descending = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.sort.default", {self, dim, descending});
}

/// aten.sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)
inline std::array<Value, 2> sort(const Value &self, std::optional<Flag> stable, Size dim = -1,
                                 Flag descending = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.sort.stable", {self, stable, dim, descending});
}

/// aten.special_airy_ai.default(Tensor x) -> Tensor
inline Value special_airy_ai(const Value &x) {
    return litz::call(detail::graph_of(x), "aten.special_airy_ai.default", {x});
}

/// aten.special_bessel_j0.default(Tensor self) -> Tensor
inline Value special_bessel_j0(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_bessel_j0.default", {self});
}

/// aten.special_bessel_j1.default(Tensor self) -> Tensor
inline Value special_bessel_j1(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_bessel_j1.default", {self});
}

/// aten.special_bessel_y0.default(Tensor self) -> Tensor
inline Value special_bessel_y0(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_bessel_y0.default", {self});
}

/// aten.special_bessel_y1.default(Tensor self) -> Tensor
inline Value special_bessel_y1(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_bessel_y1.default", {self});
}

/// aten.special_chebyshev_polynomial_t.default(Tensor x, Tensor n) -> Tensor
inline Value special_chebyshev_polynomial_t(const Value &x, const Value &n) {
    return litz::call(detail::graph_of(x, n), "aten.special_chebyshev_polynomial_t.default", {x, n});
}

/// aten.special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor
inline Value special_chebyshev_polynomial_t(const Value &x, Scalar n) {
    return litz::call(detail::graph_of(x), "aten.special_chebyshev_polynomial_t.n_scalar", {x, n});
}

/// aten.special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor
inline Value special_chebyshev_polynomial_t(Scalar x, const Value &n) {
    return litz::call(detail::graph_of(n), "aten.special_chebyshev_polynomial_t.x_scalar", {x, n});
}

/// aten.special_chebyshev_polynomial_u.default(Tensor x, Tensor n) -> Tensor
inline Value special_chebyshev_polynomial_u(const Value &x, const Value &n) {
    return litz::call(detail::graph_of(x, n), "aten.special_chebyshev_polynomial_u.default", {x, n});
}

/// aten.special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor
inline Value special_chebyshev_polynomial_u(const Value &x, Scalar n) {
    return litz::call(detail::graph_of(x), "aten.special_chebyshev_polynomial_u.n_scalar", {x, n});
}

/// aten.special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor
inline Value special_chebyshev_polynomial_u(Scalar x, const Value &n) {
    return litz::call(detail::graph_of(n), "aten.special_chebyshev_polynomial_u.x_scalar", {x, n});
}

/// aten.special_chebyshev_polynomial_v.default(Tensor x, Tensor n) -> Tensor
inline Value special_chebyshev_polynomial_v(const Value &x, const Value &n) {
    return litz::call(detail::graph_of(x, n), "aten.special_chebyshev_polynomial_v.default", {x, n});
}

/// aten.special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor
inline Value special_chebyshev_polynomial_v(const Value &x, Scalar n) {
    return litz::call(detail::graph_of(x), "aten.special_chebyshev_polynomial_v.n_scalar", {x, n});
}

/// aten.special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor
inline Value special_chebyshev_polynomial_v(Scalar x, const Value &n) {
    return litz::call(detail::graph_of(n), "aten.special_chebyshev_polynomial_v.x_scalar", {x, n});
}

/// aten.special_chebyshev_polynomial_w.default(Tensor x, Tensor n) -> Tensor
inline Value special_chebyshev_polynomial_w(const Value &x, const Value &n) {
    return litz::call(detail::graph_of(x, n), "aten.special_chebyshev_polynomial_w.default", {x, n});
}

/// aten.special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor
inline Value special_chebyshev_polynomial_w(const Value &x, Scalar n) {
    return litz::call(detail::graph_of(x), "aten.special_chebyshev_polynomial_w.n_scalar", {x, n});
}

/// aten.special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor
inline Value special_chebyshev_polynomial_w(Scalar x, const Value &n) {
    return litz::call(detail::graph_of(n), "aten.special_chebyshev_polynomial_w.x_scalar", {x, n});
}

/// aten.special_digamma.default(Tensor self) -> Tensor
inline Value special_digamma(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_digamma.default", {self});
}

/// aten.special_entr.default(Tensor self) -> Tensor
inline Value special_entr(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_entr.default", {self});
}

/// aten.special_erf.default(Tensor self) -> Tensor
inline Value special_erf(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_erf.default", {self});
}

/// aten.special_erfc.default(Tensor self) -> Tensor
inline Value special_erfc(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_erfc.default", {self});
}

/// aten.special_erfcx.default(Tensor self) -> Tensor
inline Value special_erfcx(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_erfcx.default", {self});
}

/// aten.special_erfinv.default(Tensor self) -> Tensor
inline Value special_erfinv(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_erfinv.default", {self});
}

/// aten.special_exp2.default(Tensor self) -> Tensor
inline Value special_exp2(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_exp2.default", {self});
}

/// aten.special_expit.default(Tensor self) -> Tensor
inline Value special_expit(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_expit.default", {self});
}

/// aten.special_expm1.default(Tensor self) -> Tensor
inline Value special_expm1(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_expm1.default", {self});
}

/// aten.special_gammainc.default(Tensor self, Tensor other) -> Tensor
inline Value special_gammainc(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.special_gammainc.default", {self, other});
}

/// aten.special_gammaincc.default(Tensor self, Tensor other) -> Tensor
inline Value special_gammaincc(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.special_gammaincc.default", {self, other});
}

/// aten.special_gammaln.default(Tensor self) -> Tensor
inline Value special_gammaln(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_gammaln.default", {self});
}

/// aten.special_hermite_polynomial_h.default(Tensor x, Tensor n) -> Tensor
inline Value special_hermite_polynomial_h(const Value &x, const Value &n) {
    return litz::call(detail::graph_of(x, n), "aten.special_hermite_polynomial_h.default", {x, n});
}

/// aten.special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor
inline Value special_hermite_polynomial_h(const Value &x, Scalar n) {
    return litz::call(detail::graph_of(x), "aten.special_hermite_polynomial_h.n_scalar", {x, n});
}

/// aten.special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor
inline Value special_hermite_polynomial_h(Scalar x, const Value &n) {
    return litz::call(detail::graph_of(n), "aten.special_hermite_polynomial_h.x_scalar", {x, n});
}

/// aten.special_hermite_polynomial_he.default(Tensor x, Tensor n) -> Tensor
inline Value special_hermite_polynomial_he(const Value &x, const Value &n) {
    return litz::call(detail::graph_of(x, n), "aten.special_hermite_polynomial_he.default", {x, n});
}

/// aten.special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor
inline Value special_hermite_polynomial_he(const Value &x, Scalar n) {
    return litz::call(detail::graph_of(x), "aten.special_hermite_polynomial_he.n_scalar", {x, n});
}

/// aten.special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor
inline Value special_hermite_polynomial_he(Scalar x, const Value &n) {
    return litz::call(detail::graph_of(n), "aten.special_hermite_polynomial_he.x_scalar", {x, n});
}

/// aten.special_i0.default(Tensor self) -> Tensor
inline Value special_i0(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_i0.default", {self});
}

/// aten.special_i0e.default(Tensor self) -> Tensor
inline Value special_i0e(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_i0e.default", {self});
}

/// aten.special_i1.default(Tensor self) -> Tensor
inline Value special_i1(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_i1.default", {self});
}

/// aten.special_i1e.default(Tensor self) -> Tensor
inline Value special_i1e(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_i1e.default", {self});
}

/// aten.special_laguerre_polynomial_l.default(Tensor x, Tensor n) -> Tensor
inline Value special_laguerre_polynomial_l(const Value &x, const Value &n) {
    return litz::call(detail::graph_of(x, n), "aten.special_laguerre_polynomial_l.default", {x, n});
}

/// aten.special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor
inline Value special_laguerre_polynomial_l(const Value &x, Scalar n) {
    return litz::call(detail::graph_of(x), "aten.special_laguerre_polynomial_l.n_scalar", {x, n});
}

/// aten.special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor
inline Value special_laguerre_polynomial_l(Scalar x, const Value &n) {
    return litz::call(detail::graph_of(n), "aten.special_laguerre_polynomial_l.x_scalar", {x, n});
}

/// aten.special_legendre_polynomial_p.default(Tensor x, Tensor n) -> Tensor
inline Value special_legendre_polynomial_p(const Value &x, const Value &n) {
    return litz::call(detail::graph_of(x, n), "aten.special_legendre_polynomial_p.default", {x, n});
}

/// aten.special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor
inline Value special_legendre_polynomial_p(const Value &x, Scalar n) {
    return litz::call(detail::graph_of(x), "aten.special_legendre_polynomial_p.n_scalar", {x, n});
}

/// aten.special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor
inline Value special_legendre_polynomial_p(Scalar x, const Value &n) {
    return litz::call(detail::graph_of(n), "aten.special_legendre_polynomial_p.x_scalar", {x, n});
}

/// aten.special_log1p.default(Tensor self) -> Tensor
inline Value special_log1p(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_log1p.default", {self});
}

/// aten.special_log_ndtr.default(Tensor self) -> Tensor
inline Value special_log_ndtr(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_log_ndtr.default", {self});
}

/// aten.special_log_softmax.default(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor
inline Value special_log_softmax(const Value &self, Size dim, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.special_log_softmax.default", {self, dim, dtype});
}

/// aten.special_logit.default(Tensor self, float? eps=None) -> Tensor
inline Value special_logit(const Value &self, std::optional<double> eps = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.special_logit.default", {self, eps});
}

/// aten.special_logsumexp.default(Tensor self, int[1] dim, bool keepdim=False) -> Tensor
inline Value special_logsumexp(const Value &self, const IntList<true> &dim, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.special_logsumexp.default", {self, dim, keepdim});
}

/// aten.special_modified_bessel_i0.default(Tensor self) -> Tensor
inline Value special_modified_bessel_i0(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_modified_bessel_i0.default", {self});
}

/// aten.special_modified_bessel_i1.default(Tensor self) -> Tensor
inline Value special_modified_bessel_i1(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_modified_bessel_i1.default", {self});
}

/// aten.special_modified_bessel_k0.default(Tensor self) -> Tensor
inline Value special_modified_bessel_k0(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_modified_bessel_k0.default", {self});
}

/// aten.special_modified_bessel_k1.default(Tensor self) -> Tensor
inline Value special_modified_bessel_k1(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_modified_bessel_k1.default", {self});
}

/// aten.special_multigammaln.default(Tensor self, int p) -> Tensor
inline Value special_multigammaln(const Value &self, Size p) {
    return litz::call(detail::graph_of(self), "aten.special_multigammaln.default", {self, p});
}

/// aten.special_ndtr.default(Tensor self) -> Tensor
inline Value special_ndtr(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_ndtr.default", {self});
}

/// aten.special_ndtri.default(Tensor self) -> Tensor
inline Value special_ndtri(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_ndtri.default", {self});
}

/// aten.special_polygamma.default(int n, Tensor self) -> Tensor
inline Value special_polygamma(Size n, const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_polygamma.default", {n, self});
}

/// aten.special_psi.default(Tensor self) -> Tensor
inline Value special_psi(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_psi.default", {self});
}

/// aten.special_scaled_modified_bessel_k0.default(Tensor x) -> Tensor
inline Value special_scaled_modified_bessel_k0(const Value &x) {
    return litz::call(detail::graph_of(x), "aten.special_scaled_modified_bessel_k0.default", {x});
}

/// aten.special_scaled_modified_bessel_k1.default(Tensor x) -> Tensor
inline Value special_scaled_modified_bessel_k1(const Value &x) {
    return litz::call(detail::graph_of(x), "aten.special_scaled_modified_bessel_k1.default", {x});
}

/// aten.special_shifted_chebyshev_polynomial_t.default(Tensor x, Tensor n) -> Tensor
inline Value special_shifted_chebyshev_polynomial_t(const Value &x, const Value &n) {
    return litz::call(detail::graph_of(x, n), "aten.special_shifted_chebyshev_polynomial_t.default", {x, n});
}

/// aten.special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor
inline Value special_shifted_chebyshev_polynomial_t(const Value &x, Scalar n) {
    return litz::call(detail::graph_of(x), "aten.special_shifted_chebyshev_polynomial_t.n_scalar", {x, n});
}

/// aten.special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor
inline Value special_shifted_chebyshev_polynomial_t(Scalar x, const Value &n) {
    return litz::call(detail::graph_of(n), "aten.special_shifted_chebyshev_polynomial_t.x_scalar", {x, n});
}

/// aten.special_shifted_chebyshev_polynomial_u.default(Tensor x, Tensor n) -> Tensor
inline Value special_shifted_chebyshev_polynomial_u(const Value &x, const Value &n) {
    return litz::call(detail::graph_of(x, n), "aten.special_shifted_chebyshev_polynomial_u.default", {x, n});
}

/// aten.special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor
inline Value special_shifted_chebyshev_polynomial_u(const Value &x, Scalar n) {
    return litz::call(detail::graph_of(x), "aten.special_shifted_chebyshev_polynomial_u.n_scalar", {x, n});
}

/// aten.special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor
inline Value special_shifted_chebyshev_polynomial_u(Scalar x, const Value &n) {
    return litz::call(detail::graph_of(n), "aten.special_shifted_chebyshev_polynomial_u.x_scalar", {x, n});
}

/// aten.special_shifted_chebyshev_polynomial_v.default(Tensor x, Tensor n) -> Tensor
inline Value special_shifted_chebyshev_polynomial_v(const Value &x, const Value &n) {
    return litz::call(detail::graph_of(x, n), "aten.special_shifted_chebyshev_polynomial_v.default", {x, n});
}

/// aten.special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor
inline Value special_shifted_chebyshev_polynomial_v(const Value &x, Scalar n) {
    return litz::call(detail::graph_of(x), "aten.special_shifted_chebyshev_polynomial_v.n_scalar", {x, n});
}

/// aten.special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor
inline Value special_shifted_chebyshev_polynomial_v(Scalar x, const Value &n) {
    return litz::call(detail::graph_of(n), "aten.special_shifted_chebyshev_polynomial_v.x_scalar", {x, n});
}

/// aten.special_shifted_chebyshev_polynomial_w.default(Tensor x, Tensor n) -> Tensor
inline Value special_shifted_chebyshev_polynomial_w(const Value &x, const Value &n) {
    return litz::call(detail::graph_of(x, n), "aten.special_shifted_chebyshev_polynomial_w.default", {x, n});
}

/// aten.special_shifted_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor
inline Value special_shifted_chebyshev_polynomial_w(const Value &x, Scalar n) {
    return litz::call(detail::graph_of(x), "aten.special_shifted_chebyshev_polynomial_w.n_scalar", {x, n});
}

/// aten.special_shifted_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor
inline Value special_shifted_chebyshev_polynomial_w(Scalar x, const Value &n) {
    return litz::call(detail::graph_of(n), "aten.special_shifted_chebyshev_polynomial_w.x_scalar", {x, n});
}

/// aten.special_sinc.default(Tensor self) -> Tensor
inline Value special_sinc(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.special_sinc.default", {self});
}

/// aten.special_softmax.default(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
inline Value special_softmax(const Value &self, Size dim, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.special_softmax.default", {self, dim, dtype});
}

/// aten.special_spherical_bessel_j0.default(Tensor x) -> Tensor
inline Value special_spherical_bessel_j0(const Value &x) {
    return litz::call(detail::graph_of(x), "aten.special_spherical_bessel_j0.default", {x});
}

/// aten.special_xlog1py.default(Tensor self, Tensor other) -> Tensor
inline Value special_xlog1py(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.special_xlog1py.default", {self, other});
}

/// aten.special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor
inline Value special_xlog1py(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.special_xlog1py.other_scalar", {self, other});
}

/// aten.special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor
inline Value special_xlog1py(Scalar self, const Value &other) {
    return litz::call(detail::graph_of(other), "aten.special_xlog1py.self_scalar", {self, other});
}

/// aten.special_xlogy.default(Tensor self, Tensor other) -> Tensor
inline Value special_xlogy(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.special_xlogy.default", {self, other});
}

/// aten.special_xlogy.other_scalar(Tensor self, Scalar other) -> Tensor
inline Value special_xlogy(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.special_xlogy.other_scalar", {self, other});
}

/// aten.special_xlogy.self_scalar(Scalar self, Tensor other) -> Tensor
inline Value special_xlogy(Scalar self, const Value &other) {
    return litz::call(detail::graph_of(other), "aten.special_xlogy.self_scalar", {self, other});
}

/// aten.special_zeta.default(Tensor self, Tensor other) -> Tensor
inline Value special_zeta(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.special_zeta.default", {self, other});
}

/// aten.special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor
inline Value special_zeta(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.special_zeta.other_scalar", {self, other});
}

/// aten.special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor
inline Value special_zeta(Scalar self, const Value &other) {
    return litz::call(detail::graph_of(other), "aten.special_zeta.self_scalar", {self, other});
}

/// aten.split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]
inline std::vector<Value> split(const Value &self, Size split_size, Size dim = 0) {
    return litz::call_all(detail::graph_of(self), "aten.split.Tensor", {self, split_size, dim});
}

/// aten.split.sizes(Tensor self, SymInt[] split_size, int dim=0) -> Tensor[]
inline std::vector<Value> split(const Value &self, const IntList<> &split_size, Size dim = 0) {
    return litz::call_all(detail::graph_of(self), "aten.split.sizes", {self, split_size, dim});
}

/// aten.split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]
inline std::vector<Value> split_copy(const Value &self, Size split_size, Size dim = 0) {
    return litz::call_all(detail::graph_of(self), "aten.split_copy.Tensor", {self, split_size, dim});
}

/// aten.split_with_sizes.default(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]
inline std::vector<Value> split_with_sizes(const Value &self, const IntList<> &split_sizes, Size dim = 0) {
    return litz::call_all(detail::graph_of(self), "aten.split_with_sizes.default", {self, split_sizes, dim});
}

/// aten.split_with_sizes_copy.default(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]
inline std::vector<Value> split_with_sizes_copy(const Value &self, const IntList<> &split_sizes, Size dim = 0) {
    return litz::call_all(detail::graph_of(self), "aten.split_with_sizes_copy.default", {self, split_sizes, dim});
}

/// aten.sqrt.default(Tensor self) -> Tensor
inline Value sqrt(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sqrt.default", {self});
}

/// aten.sqrt_.default(Tensor self) -> Tensor
inline Value sqrt_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.sqrt_.default", {self});
}

/// aten.square.default(Tensor self) -> Tensor
inline Value square(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.square.default", {self});
}

/// aten.square_.default(Tensor self) -> Tensor
inline Value square_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.square_.default", {self});
}

/// aten.squeeze.default(Tensor self) -> Tensor
inline Value squeeze(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.squeeze.default", {self});
}

/// aten.squeeze.dim(Tensor self, int dim) -> Tensor
inline Value squeeze(const Value &self, Size dim) {
    return litz::call(detail::graph_of(self), "aten.squeeze.dim", {self, dim});
}

/// aten.squeeze.dims(Tensor self, int[] dim) -> Tensor
inline Value squeeze(const Value &self, const IntList<> &dim) {
    return litz::call(detail::graph_of(self), "aten.squeeze.dims", {self, dim});
}

/// aten.squeeze_copy.default(Tensor self) -> Tensor
inline Value squeeze_copy(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.squeeze_copy.default", {self});
}

/// aten.squeeze_copy.dim(Tensor self, int dim) -> Tensor
inline Value squeeze_copy(const Value &self, Size dim) {
    return litz::call(detail::graph_of(self), "aten.squeeze_copy.dim", {self, dim});
}

/// aten.squeeze_copy.dims(Tensor self, int[] dim) -> Tensor
inline Value squeeze_copy(const Value &self, const IntList<> &dim) {
    return litz::call(detail::graph_of(self), "aten.squeeze_copy.dims", {self, dim});
}

/// aten.stack.default(Tensor[] tensors, int dim=0) -> Tensor
inline Value stack(const std::vector<Value> &tensors, Size dim = 0) {
    return litz::call(detail::graph_of(tensors), "aten.stack.default", {tensors, dim});
}

/// aten.std.default(Tensor self, bool unbiased=True) -> Tensor
inline Value std(const Value &self, Flag unbiased = true) {
    return litz::call(detail::graph_of(self), "aten.std.default", {self, unbiased});
}

/// aten.std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor
inline Value std(const Value &self, const IntList<true, true> &dim, std::optional<Number> correction = std::nullopt,
                 Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.std.correction", {self, dim, correction, keepdim});
}

/// aten.std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor
inline Value std(const Value &self, const IntList<true, true> &dim, Flag unbiased, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.std.dim", {self, dim, unbiased, keepdim});
}

/// aten.std_mean.default(Tensor self, bool unbiased=True) -> (Tensor, Tensor)
inline std::array<Value, 2> std_mean(const Value &self, Flag unbiased = true) {
    return detail::fixed<2>(detail::graph_of(self), "aten.std_mean.default", {self, unbiased});
}

/// aten.std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)
inline std::array<Value, 2> std_mean(const Value &self, const IntList<true, true> &dim,
                                     std::optional<Number> correction = std::nullopt, Flag keepdim = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.std_mean.correction", {self, dim, correction, keepdim});
}

/// aten.std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)
inline std::array<Value, 2> std_mean(const Value &self, const IntList<true, true> &dim, Flag unbiased,
                                     Flag keepdim = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.std_mean.dim", {self, dim, unbiased, keepdim});
}

/// aten.stft.default(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor
inline Value stft(const Value &self, Size n_fft, std::optional<Size> hop_length = std::nullopt,
                  std::optional<Size> win_length = std::nullopt, const Value &window = Value(),
                  Flag normalized = false, std::optional<Flag> onesided = std::nullopt,
                  std::optional<Flag> return_complex = std::nullopt,
                  std::optional<Flag> align_to_window = std::nullopt) {
    return litz::call(detail::graph_of(self, window), "aten.stft.default", {self, n_fft, hop_length, win_length,
                                        detail::optional(window), normalized, onesided, return_complex,
                                        align_to_window});
}

/// aten.stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode='reflect', bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor
inline Value stft(const Value &self, Size n_fft, std::optional<Size> hop_length, std::optional<Size> win_length,
                  const Value &window, Flag center, const std::string &pad_mode, Flag normalized = false,
                  std::optional<Flag> onesided = std::nullopt, std::optional<Flag> return_complex = std::nullopt,
                  std::optional<Flag> align_to_window = std::nullopt) {
    return litz::call(detail::graph_of(self, window), "aten.stft.center", {self, n_fft, hop_length, win_length,
                                        detail::optional(window), center, pad_mode, normalized, onesided,
                                        return_complex, align_to_window});
}

/// aten.sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
inline Value sub(const Value &self, Scalar other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self), "aten.sub.Scalar", {self, other, alpha});
}

/// aten.sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
inline Value sub(const Value &self, const Value &other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, other), "aten.sub.Tensor", {self, other, alpha});
}

/// aten.sub_.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
inline Value sub_(const Value &self, Scalar other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self), "aten.sub_.Scalar", {self, other, alpha});
}

/// aten.sub_.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
inline Value sub_(const Value &self, const Value &other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, other), "aten.sub_.Tensor", {self, other, alpha});
}

/// aten.subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
inline Value subtract(const Value &self, Scalar other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self), "aten.subtract.Scalar", {self, other, alpha});
}

/// aten.subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
inline Value subtract(const Value &self, const Value &other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, other), "aten.subtract.Tensor", {self, other, alpha});
}

/// aten.subtract_.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
inline Value subtract_(const Value &self, Scalar other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self), "aten.subtract_.Scalar", {self, other, alpha});
}

/// aten.subtract_.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
inline Value subtract_(const Value &self, const Value &other, Scalar alpha = 1) {
    return litz::call(detail::graph_of(self, other), "aten.subtract_.Tensor", {self, other, alpha});
}

/// aten.sum.default(Tensor self, *, ScalarType? dtype=None) -> Tensor
inline Value sum(const Value &self, std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.sum.default", {self, dtype});
}

/// aten.sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
inline Value sum(const Value &self, const IntList<true, true> &dim, Flag keepdim = false,
                 std::optional<Dtype> dtype = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.sum.dim_IntList", {self, dim, keepdim, dtype});
}

/// aten.sum_to_size.default(Tensor self, SymInt[] size) -> Tensor
inline Value sum_to_size(const Value &self, const IntList<> &size) {
    return litz::call(detail::graph_of(self), "aten.sum_to_size.default", {self, size});
}

/// aten.svd.default(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)
inline std::array<Value, 3> svd(const Value &self, Flag some = true, Flag compute_uv = true) {
    return detail::fixed<3>(detail::graph_of(self), "aten.svd.default", {self, some, compute_uv});
}

/// aten.swapaxes.default(Tensor self, int axis0, int axis1) -> Tensor
inline Value swapaxes(const Value &self, Size axis0, Size axis1) {
    return litz::call(detail::graph_of(self), "aten.swapaxes.default", {self, axis0, axis1});
}

/// aten.swapdims.default(Tensor self, int dim0, int dim1) -> Tensor
inline Value swapdims(const Value &self, Size dim0, Size dim1) {
    return litz::call(detail::graph_of(self), "aten.swapdims.default", {self, dim0, dim1});
}

/// aten.t.default(Tensor self) -> Tensor
inline Value t(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.t.default", {self});
}

/// aten.t_copy.default(Tensor self) -> Tensor
inline Value t_copy(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.t_copy.default", {self});
}

/// aten.take.default(Tensor self, Tensor index) -> Tensor
inline Value take(const Value &self, const Value &index) {
    return litz::call(detail::graph_of(self, index), "aten.take.default", {self, index});
}

/// aten.take_along_dim.default(Tensor self, Tensor indices, int? dim=None) -> Tensor
inline Value take_along_dim(const Value &self, const Value &indices, std::optional<Size> dim = std::nullopt) {
    return litz::call(detail::graph_of(self, indices), "aten.take_along_dim.default", {self, indices, dim});
}

/// aten.tan.default(Tensor self) -> Tensor
inline Value tan(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.tan.default", {self});
}

/// aten.tan_.default(Tensor self) -> Tensor
inline Value tan_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.tan_.default", {self});
}

/// aten.tanh.default(Tensor self) -> Tensor
inline Value tanh(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.tanh.default", {self});
}

/// aten.tanh_.default(Tensor self) -> Tensor
inline Value tanh_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.tanh_.default", {self});
}

/// aten.tanh_backward.default(Tensor grad_output, Tensor output) -> Tensor
inline Value tanh_backward(const Value &grad_output, const Value &output) {
    return litz::call(detail::graph_of(grad_output, output), "aten.tanh_backward.default", {grad_output, output});
}

/// aten.tensor_split.indices(Tensor self, SymInt[] indices, int dim=0) -> Tensor[]
inline std::vector<Value> tensor_split(const Value &self, const IntList<> &indices, Size dim = 0) {
    return litz::call_all(detail::graph_of(self), "aten.tensor_split.indices", {self, indices, dim});
}

/// aten.tensor_split.sections(Tensor self, SymInt sections, int dim=0) -> Tensor[]
inline std::vector<Value> tensor_split(const Value &self, Size sections, Size dim = 0) {
    return litz::call_all(detail::graph_of(self), "aten.tensor_split.sections", {self, sections, dim});
}

/// aten.tensor_split.tensor_indices_or_sections(Tensor self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor[]
inline std::vector<Value> tensor_split(const Value &self, const Value &tensor_indices_or_sections, Size dim = 0) {
    return litz::call_all(detail::graph_of(self, tensor_indices_or_sections), "aten.tensor_split.tensor_indices_or_sections", {self,
                                        tensor_indices_or_sections, dim});
}

/// aten.tensordot.default(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor
inline Value tensordot(const Value &self, const Value &other, const IntList<> &dims_self,
                       const IntList<> &dims_other) {
    return litz::call(detail::graph_of(self, other), "aten.tensordot.default", {self, other, dims_self, dims_other});
}

/// aten.threshold.default(Tensor self, Scalar threshold, Scalar value) -> Tensor
inline Value threshold(const Value &self, Scalar threshold, Scalar value) {
    return litz::call(detail::graph_of(self), "aten.threshold.default", {self, threshold, value});
}

/// aten.threshold_.default(Tensor self, Scalar threshold, Scalar value) -> Tensor
inline Value threshold_(const Value &self, Scalar threshold, Scalar value) {
    return litz::call(detail::graph_of(self), "aten.threshold_.default", {self, threshold, value});
}

/// aten.threshold_backward.default(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor
inline Value threshold_backward(const Value &grad_output, const Value &self, Scalar threshold) {
    return litz::call(detail::graph_of(grad_output, self), "aten.threshold_backward.default", {grad_output, self,
                                        threshold});
}

/// aten.tile.default(Tensor self, SymInt[] dims) -> Tensor
inline Value tile(const Value &self, const IntList<> &dims) {
    return litz::call(detail::graph_of(self), "aten.tile.default", {self, dims});
}

/// aten.to.dtype(Tensor self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor
inline Value to(const Value &self, Dtype dtype, Flag non_blocking = false, Flag copy = false,
                std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.to.dtype", {self, dtype, non_blocking, copy, memory_format});
}

/// aten.to.other(Tensor self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor
inline Value to(const Value &self, const Value &other, Flag non_blocking = false, Flag copy = false,
                std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self, other), "aten.to.other", {self, other, non_blocking, copy,
                                        memory_format});
}

/// aten.to.device(Tensor self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor
inline Value to(const Value &self, DLDevice device, Dtype dtype, Flag non_blocking = false, Flag copy = false,
                std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.to.device", {self, device, dtype, non_blocking, copy,
                                        memory_format});
}

/// aten.to.dtype_layout(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor
inline Value to(const Value &self, std::optional<Dtype> dtype, std::optional<Layout> layout,
                std::optional<DLDevice> device = std::nullopt, std::optional<Flag> pin_memory = std::nullopt,
                Flag non_blocking = false, Flag copy = false,
                std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.to.dtype_layout", {self, dtype, layout, device, pin_memory,
                                        non_blocking, copy, memory_format});
}

/// aten.topk.default(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)
inline std::array<Value, 2> topk(const Value &self, Size k, Size dim = -1, Flag largest = true, Flag sorted = true) {
    return detail::fixed<2>(detail::graph_of(self), "aten.topk.default", {self, k, dim, largest, sorted});
}

/// aten.trace.default(Tensor self) -> Tensor
inline Value trace(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.trace.default", {self});
}

/// aten.trace_backward.default(Tensor grad, SymInt[] sizes) -> Tensor
inline Value trace_backward(const Value &grad, const IntList<> &sizes) {
    return litz::call(detail::graph_of(grad), "aten.trace_backward.default", {grad, sizes});
}

/// aten.transpose.int(Tensor self, int dim0, int dim1) -> Tensor
inline Value transpose(const Value &self, Size dim0, Size dim1) {
    return litz::call(detail::graph_of(self), "aten.transpose.int", {self, dim0, dim1});
}

/// aten.transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor
inline Value transpose_copy(const Value &self, Size dim0, Size dim1) {
    return litz::call(detail::graph_of(self), "aten.transpose_copy.int", {self, dim0, dim1});
}

/// aten.trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor
inline Value trapezoid(const Value &y, Scalar dx = 1, Size dim = -1) {
    return litz::call(detail::graph_of(y), "aten.trapezoid.dx", {y, dx, dim});
}

/// aten.trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor
inline Value trapezoid(const Value &y, const Value &x, Size dim = -1) {
    return litz::call(detail::graph_of(y, x), "aten.trapezoid.x", {y, x, dim});
}

/// aten.trapz.dx(Tensor y, *, float dx=1.0, int dim=-1) -> Tensor
inline Value trapz(const Value &y, double dx = 1.0, Size dim = -1) {
    return litz::call(detail::graph_of(y), "aten.trapz.dx", {y, dx, dim});
}

/// aten.trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor
inline Value trapz(const Value &y, const Value &x, Size dim = -1) {
    return litz::call(detail::graph_of(y, x), "aten.trapz.x", {y, x, dim});
}

/// aten.triangular_solve.default(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)
inline std::array<Value, 2> triangular_solve(const Value &self, const Value &A, Flag upper = true,
                                        Flag transpose = false, Flag unitriangular = false) {
    return detail::fixed<2>(detail::graph_of(self, A), "aten.triangular_solve.default", {self, A, upper, transpose,
                                        unitriangular});
}

/// aten.tril.default(Tensor self, SymInt diagonal=0) -> Tensor
inline Value tril(const Value &self, Size diagonal = 0) {
    return litz::call(detail::graph_of(self), "aten.tril.default", {self, diagonal});
}

/// aten.tril_.default(Tensor self, SymInt diagonal=0) -> Tensor
inline Value tril_(const Value &self, Size diagonal = 0) {
    return litz::call(detail::graph_of(self), "aten.tril_.default", {self, diagonal});
}

/// aten.tril_indices.default(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value tril_indices(Graph &graph, Size row, Size col, Size offset = 0,
                          std::optional<Dtype> dtype = static_cast<Dtype>(5),
                          std::optional<Layout> layout = std::nullopt,
                          std::optional<DLDevice> device = std::nullopt,
                          std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.tril_indices.default", {row, col, offset, dtype, layout, device,
                                        pin_memory});
}

/// aten.triplet_margin_loss.default(Tensor anchor, Tensor positive, Tensor negative, float margin=1., float p=2., float eps=1e-6, bool swap=False, int reduction=1) -> Tensor
inline Value triplet_margin_loss(const Value &anchor, const Value &positive, const Value &negative,
                                 double margin = 1.0, double p = 2.0, double eps = 1e-6, Flag swap = false,
                                 Size reduction = 1) {
    return litz::call(detail::graph_of(anchor, positive, negative), "aten.triplet_margin_loss.default", {anchor,
                                        positive, negative, margin, p, eps, swap, reduction});
}

/// aten.triu.default(Tensor self, SymInt diagonal=0) -> Tensor
inline Value triu(const Value &self, Size diagonal = 0) {
    return litz::call(detail::graph_of(self), "aten.triu.default", {self, diagonal});
}

/// aten.triu_.default(Tensor self, SymInt diagonal=0) -> Tensor
inline Value triu_(const Value &self, Size diagonal = 0) {
    return litz::call(detail::graph_of(self), "aten.triu_.default", {self, diagonal});
}

/// aten.triu_indices.default(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value triu_indices(Graph &graph, Size row, Size col, Size offset = 0,
                          std::optional<Dtype> dtype = static_cast<Dtype>(5),
                          std::optional<Layout> layout = std::nullopt,
                          std::optional<DLDevice> device = std::nullopt,
                          std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.triu_indices.default", {row, col, offset, dtype, layout, device,
                                        pin_memory});
}

/// aten.true_divide.Scalar(Tensor self, Scalar other) -> Tensor
inline Value true_divide(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.true_divide.Scalar", {self, other});
}

/// aten.true_divide.Tensor(Tensor self, Tensor other) -> Tensor
inline Value true_divide(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.true_divide.Tensor", {self, other});
}

/// aten.true_divide_.Scalar(Tensor self, Scalar other) -> Tensor
inline Value true_divide_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.true_divide_.Scalar", {self, other});
}

/// aten.true_divide_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value true_divide_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.true_divide_.Tensor", {self, other});
}

/// aten.trunc.default(Tensor self) -> Tensor
inline Value trunc(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.trunc.default", {self});
}

/// aten.trunc_.default(Tensor self) -> Tensor
inline Value trunc_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.trunc_.default", {self});
}

/// aten.type_as.default(Tensor self, Tensor other) -> Tensor
inline Value type_as(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.type_as.default", {self, other});
}

/// aten.unbind.int(Tensor self, int dim=0) -> Tensor[]
inline std::vector<Value> unbind(const Value &self, Size dim = 0) {
    return litz::call_all(detail::graph_of(self), "aten.unbind.int", {self, dim});
}

/// aten.unbind_copy.int(Tensor self, int dim=0) -> Tensor[]
inline std::vector<Value> unbind_copy(const Value &self, Size dim = 0) {
    return litz::call_all(detail::graph_of(self), "aten.unbind_copy.int", {self, dim});
}

/// aten.unflatten.int(Tensor self, int dim, SymInt[] sizes) -> Tensor
inline Value unflatten(const Value &self, Size dim, const IntList<> &sizes) {
    return litz::call(detail::graph_of(self), "aten.unflatten.int", {self, dim, sizes});
}

/// aten.unfold.default(Tensor self, int dimension, int size, int step) -> Tensor
inline Value unfold(const Value &self, Size dimension, Size size, Size step) {
    return litz::call(detail::graph_of(self), "aten.unfold.default", {self, dimension, size, step});
}

/// aten.unfold_backward.default(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor
inline Value unfold_backward(const Value &grad_in, const IntList<> &input_sizes, Size dim, Size size, Size step) {
    return litz::call(detail::graph_of(grad_in), "aten.unfold_backward.default", {grad_in, input_sizes, dim, size,
                                        step});
}

/// aten.unfold_copy.default(Tensor self, int dimension, int size, int step) -> Tensor
inline Value unfold_copy(const Value &self, Size dimension, Size size, Size step) {
    return litz::call(detail::graph_of(self), "aten.unfold_copy.default", {self, dimension, size, step});
}

/// aten.uniform.default(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor
inline Value uniform(const Value &self, double from = 0.0, double to = 1.0) {
    return litz::call(detail::graph_of(self), "aten.uniform.default", {self, from, to});
}

/// aten.uniform_.default(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor
inline Value uniform_(const Value &self, double from = 0.0, double to = 1.0) {
    return litz::call(detail::graph_of(self), "aten.uniform_.default", {self, from, to});
}

/// aten.unique_consecutive.default(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> unique_consecutive(const Value &self, Flag return_inverse = false,
                                        Flag return_counts = false, std::optional<Size> dim = std::nullopt) {
    return detail::fixed<3>(detail::graph_of(self), "aten.unique_consecutive.default", {self, return_inverse,
                                        return_counts, dim});
}

/// aten.unique_dim.default(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)
inline std::array<Value, 3> unique_dim(const Value &self, Size dim, Flag sorted = true, Flag return_inverse = false,
                                       Flag return_counts = false) {
    return detail::fixed<3>(detail::graph_of(self), "aten.unique_dim.default", {self, dim, sorted, return_inverse,
                                        return_counts});
}

/// aten.unsafe_chunk.default(Tensor self, int chunks, int dim=0) -> Tensor[]
inline std::vector<Value> unsafe_chunk(const Value &self, Size chunks, Size dim = 0) {
    return litz::call_all(detail::graph_of(self), "aten.unsafe_chunk.default", {self, chunks, dim});
}

/// aten.unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]
inline std::vector<Value> unsafe_split(const Value &self, Size split_size, Size dim = 0) {
    return litz::call_all(detail::graph_of(self), "aten.unsafe_split.Tensor", {self, split_size, dim});
}

/// aten.unsafe_split_with_sizes.default(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]
inline std::vector<Value> unsafe_split_with_sizes(const Value &self, const IntList<> &split_sizes, Size dim = 0) {
    return litz::call_all(detail::graph_of(self), "aten.unsafe_split_with_sizes.default", {self, split_sizes, dim});
}

/// aten.unsqueeze.default(Tensor self, int dim) -> Tensor
inline Value unsqueeze(const Value &self, Size dim) {
    return litz::call(detail::graph_of(self), "aten.unsqueeze.default", {self, dim});
}

/// aten.unsqueeze_copy.default(Tensor self, int dim) -> Tensor
inline Value unsqueeze_copy(const Value &self, Size dim) {
    return litz::call(detail::graph_of(self), "aten.unsqueeze_copy.default", {self, dim});
}

/// aten.upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor
inline Value upsample_bicubic2d(const Value &input, const IntList<false, true> &output_size, Flag align_corners,
                                const std::optional<std::vector<double>> &scale_factors = std::nullopt) {
    return litz::call(detail::graph_of(input), "aten.upsample_bicubic2d.vec", {input, output_size, align_corners,
                                        scale_factors});
}

/// aten.upsample_bicubic2d.default(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value upsample_bicubic2d(const Value &self, const IntList<true> &output_size, Flag align_corners,
                                std::optional<double> scales_h, std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.upsample_bicubic2d.default", {self, output_size, align_corners,
                                        scales_h, scales_w});
}

/// aten.upsample_bicubic2d_backward.default(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value upsample_bicubic2d_backward(const Value &grad_output, const IntList<true> &output_size,
                                        const IntList<true> &input_size, Flag align_corners,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(grad_output), "aten.upsample_bicubic2d_backward.default", {grad_output,
                                        output_size, input_size, align_corners, scales_h, scales_w});
}

/// aten.upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor
inline Value upsample_bilinear2d(const Value &input, const IntList<false, true> &output_size, Flag align_corners,
                                 const std::optional<std::vector<double>> &scale_factors = std::nullopt) {
    return litz::call(detail::graph_of(input), "aten.upsample_bilinear2d.vec", {input, output_size, align_corners,
                                        scale_factors});
}

/// aten.upsample_bilinear2d.default(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value upsample_bilinear2d(const Value &self, const IntList<true> &output_size, Flag align_corners,
                                 std::optional<double> scales_h, std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.upsample_bilinear2d.default", {self, output_size, align_corners,
                                        scales_h, scales_w});
}

/// aten.upsample_bilinear2d_backward.default(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value upsample_bilinear2d_backward(const Value &grad_output, const IntList<true> &output_size,
                                        const IntList<true> &input_size, Flag align_corners,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(grad_output), "aten.upsample_bilinear2d_backward.default", {grad_output,
                                        output_size, input_size, align_corners, scales_h, scales_w});
}

/// aten.upsample_linear1d.default(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor
inline Value upsample_linear1d(const Value &self, const IntList<true> &output_size, Flag align_corners,
                               std::optional<double> scales = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.upsample_linear1d.default", {self, output_size, align_corners,
                                        scales});
}

/// aten.upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor
inline Value upsample_linear1d(const Value &input, const IntList<false, true> &output_size, Flag align_corners,
                               const std::optional<std::vector<double>> &scale_factors) {
    return litz::call(detail::graph_of(input), "aten.upsample_linear1d.vec", {input, output_size, align_corners,
                                        scale_factors});
}

/// aten.upsample_linear1d_backward.default(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, bool align_corners, float? scales=None) -> Tensor
inline Value upsample_linear1d_backward(const Value &grad_output, const IntList<true> &output_size,
                                        const IntList<true> &input_size, Flag align_corners,
                                        std::optional<double> scales = std::nullopt) {
    return litz::call(detail::graph_of(grad_output), "aten.upsample_linear1d_backward.default", {grad_output,
                                        output_size, input_size, align_corners, scales});
}

/// aten.upsample_nearest1d.default(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor
inline Value upsample_nearest1d(const Value &self, const IntList<true> &output_size,
                                std::optional<double> scales = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.upsample_nearest1d.default", {self, output_size, scales});
}

/// aten.upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor
inline Value upsample_nearest1d(const Value &input, const IntList<false, true> &output_size,
                                const std::optional<std::vector<double>> &scale_factors) {
    return litz::call(detail::graph_of(input), "aten.upsample_nearest1d.vec", {input, output_size, scale_factors});
}

/// aten.upsample_nearest1d_backward.default(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, float? scales=None) -> Tensor
inline Value upsample_nearest1d_backward(const Value &grad_output, const IntList<true> &output_size,
                                        const IntList<true> &input_size,
                                        std::optional<double> scales = std::nullopt) {
    return litz::call(detail::graph_of(grad_output), "aten.upsample_nearest1d_backward.default", {grad_output,
                                        output_size, input_size, scales});
}

/// aten.upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor
inline Value upsample_nearest2d(const Value &input, const IntList<false, true> &output_size = std::nullopt,
                                const std::optional<std::vector<double>> &scale_factors = std::nullopt) {
    return litz::call(detail::graph_of(input), "aten.upsample_nearest2d.vec", {input, output_size, scale_factors});
}

/// aten.upsample_nearest2d.default(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value upsample_nearest2d(const Value &self, const IntList<true> &output_size, std::optional<double> scales_h,
                                std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.upsample_nearest2d.default", {self, output_size, scales_h,
                                        scales_w});
}

/// aten.upsample_nearest2d_backward.default(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value upsample_nearest2d_backward(const Value &grad_output, const IntList<true> &output_size,
                                        const IntList<true> &input_size,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(grad_output), "aten.upsample_nearest2d_backward.default", {grad_output,
                                        output_size, input_size, scales_h, scales_w});
}

/// aten.upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor
inline Value upsample_nearest3d(const Value &input, const IntList<false, true> &output_size = std::nullopt,
                                const std::optional<std::vector<double>> &scale_factors = std::nullopt) {
    return litz::call(detail::graph_of(input), "aten.upsample_nearest3d.vec", {input, output_size, scale_factors});
}

/// aten.upsample_nearest3d.default(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value upsample_nearest3d(const Value &self, const IntList<true> &output_size, std::optional<double> scales_d,
                                std::optional<double> scales_h = std::nullopt,
                                std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.upsample_nearest3d.default", {self, output_size, scales_d,
                                        scales_h, scales_w});
}

/// aten.upsample_nearest3d_backward.default(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value upsample_nearest3d_backward(const Value &grad_output, const IntList<true> &output_size,
                                        const IntList<true> &input_size,
                                        std::optional<double> scales_d = std::nullopt,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(grad_output), "aten.upsample_nearest3d_backward.default", {grad_output,
                                        output_size, input_size, scales_d, scales_h, scales_w});
}

/// aten.upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor
inline Value upsample_trilinear3d(const Value &input, const IntList<false, true> &output_size, Flag align_corners,
                                  const std::optional<std::vector<double>> &scale_factors = std::nullopt) {
    return litz::call(detail::graph_of(input), "aten.upsample_trilinear3d.vec", {input, output_size, align_corners,
                                        scale_factors});
}

/// aten.upsample_trilinear3d.default(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value upsample_trilinear3d(const Value &self, const IntList<true> &output_size, Flag align_corners,
                                  std::optional<double> scales_d, std::optional<double> scales_h = std::nullopt,
                                  std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.upsample_trilinear3d.default", {self, output_size,
                                        align_corners, scales_d, scales_h, scales_w});
}

/// aten.upsample_trilinear3d_backward.default(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor
inline Value upsample_trilinear3d_backward(const Value &grad_output, const IntList<true> &output_size,
                                        const IntList<true> &input_size, Flag align_corners,
                                        std::optional<double> scales_d = std::nullopt,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
    return litz::call(detail::graph_of(grad_output), "aten.upsample_trilinear3d_backward.default", {grad_output,
                                        output_size, input_size, align_corners, scales_d, scales_h, scales_w});
}

/// aten.value_selecting_reduction_backward.default(Tensor grad, int dim, Tensor indices, SymInt[] sizes, bool keepdim) -> Tensor
inline Value value_selecting_reduction_backward(const Value &grad, Size dim, const Value &indices,
                                        const IntList<> &sizes, Flag keepdim) {
    return litz::call(detail::graph_of(grad, indices), "aten.value_selecting_reduction_backward.default", {grad,
                                        dim, indices, sizes, keepdim});
}

/// aten.var.default(Tensor self, bool unbiased=True) -> Tensor
inline Value var(const Value &self, Flag unbiased = true) {
    return litz::call(detail::graph_of(self), "aten.var.default", {self, unbiased});
}

/// aten.var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor
inline Value var(const Value &self, const IntList<true, true> &dim, std::optional<Number> correction = std::nullopt,
                 Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.var.correction", {self, dim, correction, keepdim});
}

/// aten.var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor
inline Value var(const Value &self, const IntList<true, true> &dim, Flag unbiased, Flag keepdim = false) {
    return litz::call(detail::graph_of(self), "aten.var.dim", {self, dim, unbiased, keepdim});
}

/// aten.var_mean.default(Tensor self, bool unbiased=True) -> (Tensor, Tensor)
inline std::array<Value, 2> var_mean(const Value &self, Flag unbiased = true) {
    return detail::fixed<2>(detail::graph_of(self), "aten.var_mean.default", {self, unbiased});
}

/// aten.var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)
inline std::array<Value, 2> var_mean(const Value &self, const IntList<true, true> &dim,
                                     std::optional<Number> correction = std::nullopt, Flag keepdim = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.var_mean.correction", {self, dim, correction, keepdim});
}

/// aten.var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)
inline std::array<Value, 2> var_mean(const Value &self, const IntList<true, true> &dim, Flag unbiased,
                                     Flag keepdim = false) {
    return detail::fixed<2>(detail::graph_of(self), "aten.var_mean.dim", {self, dim, unbiased, keepdim});
}

/// aten.vdot.default(Tensor self, Tensor other) -> Tensor
inline Value vdot(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.vdot.default", {self, other});
}

/// aten.view.default(Tensor self, SymInt[] size) -> Tensor
inline Value view(const Value &self, const IntList<> &size) {
    return litz::call(detail::graph_of(self), "aten.view.default", {self, size});
}

/// aten.view.dtype(Tensor self, ScalarType dtype) -> Tensor
inline Value view(const Value &self, Dtype dtype) {
    return litz::call(detail::graph_of(self), "aten.view.dtype", {self, dtype});
}

/// aten.view_as.default(Tensor self, Tensor other) -> Tensor
inline Value view_as(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.view_as.default", {self, other});
}

/// aten.view_as_complex.default(Tensor self) -> Tensor
inline Value view_as_complex(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.view_as_complex.default", {self});
}

/// aten.view_as_complex_copy.default(Tensor self) -> Tensor
inline Value view_as_complex_copy(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.view_as_complex_copy.default", {self});
}

/// aten.view_as_real.default(Tensor self) -> Tensor
inline Value view_as_real(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.view_as_real.default", {self});
}

/// aten.view_as_real_copy.default(Tensor self) -> Tensor
inline Value view_as_real_copy(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.view_as_real_copy.default", {self});
}

/// aten.view_copy.default(Tensor self, SymInt[] size) -> Tensor
inline Value view_copy(const Value &self, const IntList<> &size) {
    return litz::call(detail::graph_of(self), "aten.view_copy.default", {self, size});
}

/// aten.view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor
inline Value view_copy(const Value &self, Dtype dtype) {
    return litz::call(detail::graph_of(self), "aten.view_copy.dtype", {self, dtype});
}

/// aten.vsplit.array(Tensor self, int[] indices) -> Tensor[]
inline std::vector<Value> vsplit(const Value &self, const IntList<> &indices) {
    return litz::call_all(detail::graph_of(self), "aten.vsplit.array", {self, indices});
}

/// aten.vsplit.int(Tensor self, int sections) -> Tensor[]
inline std::vector<Value> vsplit(const Value &self, Size sections) {
    return litz::call_all(detail::graph_of(self), "aten.vsplit.int", {self, sections});
}

/// aten.vstack.default(Tensor[] tensors) -> Tensor
inline Value vstack(const std::vector<Value> &tensors) {
    return litz::call(detail::graph_of(tensors), "aten.vstack.default", {tensors});
}

/// aten.where.default(Tensor condition) -> Tensor[]
inline std::vector<Value> where(const Value &condition) {
    return litz::call_all(detail::graph_of(condition), "aten.where.default", {condition});
}

/// aten.where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor
inline Value where(const Value &condition, Scalar self, Scalar other) {
    return litz::call(detail::graph_of(condition), "aten.where.Scalar", {condition, self, other});
}

/// aten.where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor
inline Value where(const Value &condition, const Value &self, Scalar other) {
    return litz::call(detail::graph_of(condition, self), "aten.where.ScalarOther", {condition, self, other});
}

/// aten.where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor
inline Value where(const Value &condition, Scalar self, const Value &other) {
    return litz::call(detail::graph_of(condition, other), "aten.where.ScalarSelf", {condition, self, other});
}

/// aten.where.self(Tensor condition, Tensor self, Tensor other) -> Tensor
inline Value where(const Value &condition, const Value &self, const Value &other) {
    return litz::call(detail::graph_of(condition, self, other), "aten.where.self", {condition, self, other});
}

/// aten.xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor
inline Value xlogy(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.xlogy.Scalar_Other", {self, other});
}

/// aten.xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor
inline Value xlogy(Scalar self, const Value &other) {
    return litz::call(detail::graph_of(other), "aten.xlogy.Scalar_Self", {self, other});
}

/// aten.xlogy.Tensor(Tensor self, Tensor other) -> Tensor
inline Value xlogy(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.xlogy.Tensor", {self, other});
}

/// aten.xlogy_.Scalar_Other(Tensor self, Scalar other) -> Tensor
inline Value xlogy_(const Value &self, Scalar other) {
    return litz::call(detail::graph_of(self), "aten.xlogy_.Scalar_Other", {self, other});
}

/// aten.xlogy_.Tensor(Tensor self, Tensor other) -> Tensor
inline Value xlogy_(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "aten.xlogy_.Tensor", {self, other});
}

/// aten.zero.default(Tensor self) -> Tensor
inline Value zero(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.zero.default", {self});
}

/// aten.zero_.default(Tensor self) -> Tensor
inline Value zero_(const Value &self) {
    return litz::call(detail::graph_of(self), "aten.zero_.default", {self});
}

/// aten.zeros.default(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Value zeros(Graph &graph, const IntList<> &size, std::optional<Dtype> dtype = std::nullopt,
                   std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                   std::optional<Flag> pin_memory = std::nullopt) {
    return litz::call(graph.get(), "aten.zeros.default", {size, dtype, layout, device, pin_memory});
}

/// aten.zeros_like.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Value zeros_like(const Value &self, std::optional<Dtype> dtype = std::nullopt,
                        std::optional<Layout> layout = std::nullopt, std::optional<DLDevice> device = std::nullopt,
                        std::optional<Flag> pin_memory = std::nullopt,
                        std::optional<MemoryFormat> memory_format = std::nullopt) {
    return litz::call(detail::graph_of(self), "aten.zeros_like.default", {self, dtype, layout, device, pin_memory,
                                        memory_format});
}

} // namespace aten

namespace prims {

/// prims.amax.default(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor
inline Value amax(const Value &inp, const IntList<false, true> &dims = std::nullopt,
                  std::optional<Dtype> output_dtype = std::nullopt) {
    return litz::call(detail::graph_of(inp), "prims.amax.default", {inp, dims, output_dtype});
}

/// prims.amin.default(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor
inline Value amin(const Value &inp, const IntList<false, true> &dims = std::nullopt,
                  std::optional<Dtype> output_dtype = std::nullopt) {
    return litz::call(detail::graph_of(inp), "prims.amin.default", {inp, dims, output_dtype});
}

/// prims.broadcast_in_dim.default(Tensor a, SymInt[] shape, int[] broadcast_dimensions) -> Tensor
inline Value broadcast_in_dim(const Value &a, const IntList<> &shape, const IntList<> &broadcast_dimensions) {
    return litz::call(detail::graph_of(a), "prims.broadcast_in_dim.default", {a, shape, broadcast_dimensions});
}

/// prims.convert_element_type.default(Tensor a, ScalarType dtype) -> Tensor
inline Value convert_element_type(const Value &a, Dtype dtype) {
    return litz::call(detail::graph_of(a), "prims.convert_element_type.default", {a, dtype});
}

/// prims.div.default(Tensor self, Tensor other) -> Tensor
inline Value div(const Value &self, const Value &other) {
    return litz::call(detail::graph_of(self, other), "prims.div.default", {self, other});
}

/// prims.iota.default(SymInt length, *, SymInt start, SymInt step, ScalarType dtype, Device device, bool requires_grad) -> Tensor
inline Value iota(Graph &graph, Size length, Size start, Size step, Dtype dtype, DLDevice device,
                  Flag requires_grad) {
    return litz::call(graph.get(), "prims.iota.default", {length, start, step, dtype, device, requires_grad});
}

/// prims.prod.default(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor
inline Value prod(const Value &inp, const IntList<false, true> &dims = std::nullopt,
                  std::optional<Dtype> output_dtype = std::nullopt) {
    return litz::call(detail::graph_of(inp), "prims.prod.default", {inp, dims, output_dtype});
}

/// prims.sum.default(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor
inline Value sum(const Value &inp, const IntList<false, true> &dims = std::nullopt,
                 std::optional<Dtype> output_dtype = std::nullopt) {
    return litz::call(detail::graph_of(inp), "prims.sum.default", {inp, dims, output_dtype});
}

/// prims.var.default(Tensor inp, int[]? dims, float? correction=1, *, ScalarType? output_dtype=None) -> Tensor
inline Value var(const Value &inp, const IntList<false, true> &dims = std::nullopt,
                 std::optional<double> correction = 1.0, std::optional<Dtype> output_dtype = std::nullopt) {
    return litz::call(detail::graph_of(inp), "prims.var.default", {inp, dims, correction, output_dtype});
}

} // namespace prims

namespace quantized_decomposed {

/// quantized_decomposed.choose_qparams.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)
inline std::array<Value, 2> choose_qparams(const Value &input, Size quant_min, Size quant_max, double eps,
                                        Dtype dtype) {
    return detail::fixed<2>(detail::graph_of(input), "quantized_decomposed.choose_qparams.tensor", {input,
                                        quant_min, quant_max, eps, dtype});
}

/// quantized_decomposed.choose_qparams_per_token.default(Tensor input, ScalarType dtype) -> (Tensor, Tensor)
inline std::array<Value, 2> choose_qparams_per_token(const Value &input, Dtype dtype) {
    return detail::fixed<2>(detail::graph_of(input), "quantized_decomposed.choose_qparams_per_token.default", {input,
                                        dtype});
}

/// quantized_decomposed.choose_qparams_per_token_asymmetric.default(Tensor input, ScalarType dtype) -> (Tensor, Tensor)
inline std::array<Value, 2> choose_qparams_per_token_asymmetric(const Value &input, Dtype dtype) {
    return detail::fixed<2>(detail::graph_of(input), "quantized_decomposed.choose_qparams_per_token_asymmetric.default", {input,
                                        dtype});
}

/// quantized_decomposed.choose_qparams_symmetric.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)
inline std::array<Value, 2> choose_qparams_symmetric(const Value &input, Size quant_min, Size quant_max, double eps,
                                        Dtype dtype) {
    return detail::fixed<2>(detail::graph_of(input), "quantized_decomposed.choose_qparams_symmetric.tensor", {input,
                                        quant_min, quant_max, eps, dtype});
}

/// quantized_decomposed.convert_element_type.no_fuse(Tensor input, ScalarType dtype) -> Tensor
inline Value convert_element_type(const Value &input, Dtype dtype) {
    return litz::call(detail::graph_of(input), "quantized_decomposed.convert_element_type.no_fuse", {input, dtype});
}

/// quantized_decomposed.dequantize_per_channel.default(Tensor input, Tensor scales, Tensor? zero_points, int axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor
inline Value dequantize_per_channel(const Value &input, const Value &scales, const Value &zero_points, Size axis,
                                    Size quant_min, Size quant_max, Dtype dtype,
                                    std::optional<Dtype> out_dtype = std::nullopt) {
    return litz::call(detail::graph_of(input, scales, zero_points), "quantized_decomposed.dequantize_per_channel.default", {input,
                                        scales, detail::optional(zero_points), axis, quant_min, quant_max, dtype,
                                        out_dtype});
}

/// quantized_decomposed.dequantize_per_channel_group.default(Tensor input, Tensor scales, Tensor? zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size, ScalarType output_dtype) -> Tensor
inline Value dequantize_per_channel_group(const Value &input, const Value &scales, const Value &zero_points,
                                        Size quant_min, Size quant_max, Dtype dtype, Size group_size,
                                        Dtype output_dtype) {
    return litz::call(detail::graph_of(input, scales, zero_points), "quantized_decomposed.dequantize_per_channel_group.default", {input,
                                        scales, detail::optional(zero_points), quant_min, quant_max, dtype,
                                        group_size, output_dtype});
}

/// quantized_decomposed.dequantize_per_tensor.default(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor
inline Value dequantize_per_tensor(const Value &input, double scale, Size zero_point, Size quant_min,
                                   Size quant_max, Dtype dtype, std::optional<Dtype> out_dtype = std::nullopt) {
    return litz::call(detail::graph_of(input), "quantized_decomposed.dequantize_per_tensor.default", {input, scale,
                                        zero_point, quant_min, quant_max, dtype, out_dtype});
}

/// quantized_decomposed.dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor
inline Value dequantize_per_tensor(const Value &input, const Value &scale, const Value &zero_point, Size quant_min,
                                   Size quant_max, Dtype dtype, std::optional<Dtype> out_dtype = std::nullopt) {
    return litz::call(detail::graph_of(input, scale, zero_point), "quantized_decomposed.dequantize_per_tensor.tensor", {input,
                                        scale, zero_point, quant_min, quant_max, dtype, out_dtype});
}

/// quantized_decomposed.dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor
inline Value dequantize_per_tensor(const Value &input, const Value &scale, const Value &zero_point,
                                   const Value &quant_min, const Value &quant_max, Dtype dtype,
                                   std::optional<Dtype> out_dtype = std::nullopt) {
    return litz::call(detail::graph_of(input, scale, zero_point, quant_min, quant_max), "quantized_decomposed.dequantize_per_tensor.tensor2", {input,
                                        scale, zero_point, quant_min, quant_max, dtype, out_dtype});
}

/// quantized_decomposed.dequantize_per_token.default(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, ScalarType output_dtype) -> Tensor
inline Value dequantize_per_token(const Value &input, const Value &scales, const Value &zero_points, Size quant_min,
                                  Size quant_max, Dtype dtype, Dtype output_dtype) {
    return litz::call(detail::graph_of(input, scales, zero_points), "quantized_decomposed.dequantize_per_token.default", {input,
                                        scales, zero_points, quant_min, quant_max, dtype, output_dtype});
}

/// quantized_decomposed.quantize_per_channel.default(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max, ScalarType dtype) -> Tensor
inline Value quantize_per_channel(const Value &input, const Value &scales, const Value &zero_points, Size axis,
                                  Size quant_min, Size quant_max, Dtype dtype) {
    return litz::call(detail::graph_of(input, scales, zero_points), "quantized_decomposed.quantize_per_channel.default", {input,
                                        scales, zero_points, axis, quant_min, quant_max, dtype});
}

/// quantized_decomposed.quantize_per_channel_group.default(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size) -> Tensor
inline Value quantize_per_channel_group(const Value &input, const Value &scales, const Value &zero_points,
                                        Size quant_min, Size quant_max, Dtype dtype, Size group_size) {
    return litz::call(detail::graph_of(input, scales, zero_points), "quantized_decomposed.quantize_per_channel_group.default", {input,
                                        scales, zero_points, quant_min, quant_max, dtype, group_size});
}

/// quantized_decomposed.quantize_per_tensor.default(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor
inline Value quantize_per_tensor(const Value &input, double scale, Size zero_point, Size quant_min, Size quant_max,
                                 Dtype dtype) {
    return litz::call(detail::graph_of(input), "quantized_decomposed.quantize_per_tensor.default", {input, scale,
                                        zero_point, quant_min, quant_max, dtype});
}

/// quantized_decomposed.quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor
inline Value quantize_per_tensor(const Value &input, const Value &scale, const Value &zero_point, Size quant_min,
                                 Size quant_max, Dtype dtype) {
    return litz::call(detail::graph_of(input, scale, zero_point), "quantized_decomposed.quantize_per_tensor.tensor", {input,
                                        scale, zero_point, quant_min, quant_max, dtype});
}

/// quantized_decomposed.quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor
inline Value quantize_per_tensor(const Value &input, const Value &scale, const Value &zero_point,
                                 const Value &quant_min, const Value &quant_max, Dtype dtype) {
    return litz::call(detail::graph_of(input, scale, zero_point, quant_min, quant_max), "quantized_decomposed.quantize_per_tensor.tensor2", {input,
                                        scale, zero_point, quant_min, quant_max, dtype});
}

/// quantized_decomposed.quantize_per_token.default(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype) -> Tensor
inline Value quantize_per_token(const Value &input, const Value &scales, const Value &zero_points, Size quant_min,
                                Size quant_max, Dtype dtype) {
    return litz::call(detail::graph_of(input, scales, zero_points), "quantized_decomposed.quantize_per_token.default", {input,
                                        scales, zero_points, quant_min, quant_max, dtype});
}

} // namespace quantized_decomposed

namespace torchao {

/// torchao.choose_qparams_affine.default(Tensor input, str mapping_type, SymInt[] block_size, ScalarType target_dtype, Scalar? quant_min=None, Scalar? quant_max=None, float? eps=None, ScalarType? scale_dtype=None, ScalarType? zero_point_dtype=None, bool keepdim=False) -> (Tensor, Tensor)
inline std::array<Value, 2> choose_qparams_affine(const Value &input, const std::string &mapping_type,
                                        const IntList<> &block_size, Dtype target_dtype,
                                        std::optional<Scalar> quant_min = std::nullopt,
                                        std::optional<Scalar> quant_max = std::nullopt,
                                        std::optional<double> eps = std::nullopt,
                                        std::optional<Dtype> scale_dtype = std::nullopt,
                                        std::optional<Dtype> zero_point_dtype = std::nullopt, Flag keepdim = false) {
    return detail::fixed<2>(detail::graph_of(input), "torchao.choose_qparams_affine.default", {input, mapping_type,
                                        block_size, target_dtype, quant_min, quant_max, eps, scale_dtype,
                                        zero_point_dtype, keepdim});
}

/// torchao.dequantize_affine.default(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType input_dtype, Scalar? quant_min=None, Scalar? quant_max=None, ScalarType? output_dtype=None) -> Tensor
inline Value dequantize_affine(const Value &input, const IntList<> &block_size, const Value &scale,
                               const Value &zero_point, Dtype input_dtype,
                               std::optional<Scalar> quant_min = std::nullopt,
                               std::optional<Scalar> quant_max = std::nullopt,
                               std::optional<Dtype> output_dtype = std::nullopt) {
    return litz::call(detail::graph_of(input, scale, zero_point), "torchao.dequantize_affine.default", {input,
                                        block_size, scale, detail::optional(zero_point), input_dtype, quant_min,
                                        quant_max, output_dtype});
}

/// torchao.quantize_affine.default(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType output_dtype, Scalar? quant_min=None, Scalar? quant_max=None) -> Tensor
inline Value quantize_affine(const Value &input, const IntList<> &block_size, const Value &scale,
                             const Value &zero_point, Dtype output_dtype,
                             std::optional<Scalar> quant_min = std::nullopt,
                             std::optional<Scalar> quant_max = std::nullopt) {
    return litz::call(detail::graph_of(input, scale, zero_point), "torchao.quantize_affine.default", {input,
                                        block_size, scale, detail::optional(zero_point), output_dtype, quant_min,
                                        quant_max});
}

} // namespace torchao

namespace torchvision {

/// torchvision.deform_conv2d.default(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor
inline Value deform_conv2d(const Value &input, const Value &weight, const Value &offset, const Value &mask,
                           const Value &bias, Size stride_h, Size stride_w, Size pad_h, Size pad_w, Size dilation_h,
                           Size dilation_w, Size groups, Size offset_groups, Flag use_mask) {
    return litz::call(detail::graph_of(input, weight, offset, mask, bias), "torchvision.deform_conv2d.default", {input,
                                        weight, offset, mask, bias, stride_h, stride_w, pad_h, pad_w, dilation_h,
                                        dilation_w, groups, offset_groups, use_mask});
}

/// torchvision.nms.default(Tensor dets, Tensor scores, float iou_threshold) -> Tensor
inline Value nms(const Value &dets, const Value &scores, double iou_threshold) {
    return litz::call(detail::graph_of(dets, scores), "torchvision.nms.default", {dets, scores, iou_threshold});
}

/// torchvision.roi_align.default(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor
inline Value roi_align(const Value &input, const Value &rois, double spatial_scale, Size pooled_height,
                       Size pooled_width, Size sampling_ratio, Flag aligned) {
    return litz::call(detail::graph_of(input, rois), "torchvision.roi_align.default", {input, rois, spatial_scale,
                                        pooled_height, pooled_width, sampling_ratio, aligned});
}

} // namespace torchvision

namespace transformers {

/// transformers.grouped_mm_fallback.default(Tensor input, Tensor weight, Tensor offs) -> Tensor
inline Value grouped_mm_fallback(const Value &input, const Value &weight, const Value &offs) {
    return litz::call(detail::graph_of(input, weight, offs), "transformers.grouped_mm_fallback.default", {input,
                                        weight, offs});
}

} // namespace transformers

} // namespace litz

#endif // LITZ_OPS_HPP
