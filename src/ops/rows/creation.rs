//! Factories: tensors from sizes and numbers; and operators that run for their effect.

macro_rules! creation_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::random_rows! { $callback [
            $($rows)*
            Zeros "aten.zeros.default" "(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(of_size) lower(zeros);
            EmptyMemoryFormat "aten.empty.memory_format" "(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Factory [] meta(of_size) lower(zeros);
            Ones "aten.ones.default" "(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(of_size) lower(ones);
            Full "aten.full.default" "(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(full) lower(full);
            ScalarTensor "aten.scalar_tensor.default" "(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(scalar_tensor) lower(scalar_tensor);
            NewZeros "aten.new_zeros.default" "(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(new_of_size) lower(zeros) grad(nothing);
            NewEmpty "aten.new_empty.default" "(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(new_of_size) lower(zeros) grad(nothing);
            NewOnes "aten.new_ones.default" "(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(new_of_size) lower(ones) grad(nothing);
            NewFull "aten.new_full.default" "(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(new_of_size) lower(full) grad(nothing);
            ZerosLike "aten.zeros_like.default" "(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Factory [] meta(new_like) lower(zeros) grad(nothing);
            EmptyLike "aten.empty_like.default" "(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Factory [] meta(new_like) lower(zeros) grad(nothing);
            OnesLike "aten.ones_like.default" "(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Factory [] meta(new_like) lower(ones) grad(nothing);
            FullLike "aten.full_like.default" "(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Factory [] meta(new_like) lower(full) grad(nothing);
            EmptyStrided "aten.empty_strided.default" "(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(of_strides) lower(zeros);
            NewEmptyStrided "aten.new_empty_strided.default" "(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(of_strides) lower(zeros);
            EmptyPermuted "aten.empty_permuted.default" "(SymInt[] size, int[] physical_layout, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(of_layout) lower(zeros);
            Arange "aten.arange.default" "(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [no_wide_unsigned] meta(arange) lower(arange);
            ArangeStart "aten.arange.start" "(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [no_wide_unsigned] meta(arange) lower(arange);
            ArangeStartStep "aten.arange.start_step" "(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [no_wide_unsigned] meta(arange) lower(arange);
            Linspace "aten.linspace.default" "(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [no_wide_unsigned] meta(spaced) lower(linspace);
            LinspaceTensorTensor "aten.linspace.Tensor_Tensor" "(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [no_wide_unsigned] meta(spaced) lower(linspace);
            LinspaceTensorScalar "aten.linspace.Tensor_Scalar" "(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [no_wide_unsigned] meta(spaced) lower(linspace);
            LinspaceScalarTensor "aten.linspace.Scalar_Tensor" "(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [no_wide_unsigned] meta(spaced) lower(linspace);
            Logspace "aten.logspace.default" "(Scalar start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [no_wide_unsigned] meta(spaced) lower(logspace);
            LogspaceTensorTensor "aten.logspace.Tensor_Tensor" "(Tensor start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [no_wide_unsigned] meta(spaced) lower(logspace);
            LogspaceTensorScalar "aten.logspace.Tensor_Scalar" "(Tensor start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [no_wide_unsigned] meta(spaced) lower(logspace);
            LogspaceScalarTensor "aten.logspace.Scalar_Tensor" "(Scalar start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [no_wide_unsigned] meta(spaced) lower(logspace);
            Eye "aten.eye.default" "(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [no_wide_unsigned] meta(eye) lower(eye);
            EyeM "aten.eye.m" "(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [no_wide_unsigned] meta(eye) lower(eye);
            HannWindow "aten.hann_window.default" "(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(window) decompose(hann_window);
            HannWindowPeriodic "aten.hann_window.periodic" "(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(window) decompose(hann_window);
            HammingWindow "aten.hamming_window.default" "(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(window) decompose(hamming_window);
            HammingWindowPeriodic "aten.hamming_window.periodic" "(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(window) decompose(hamming_window);
            BlackmanWindow "aten.blackman_window.default" "(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(window) decompose(blackman_window);
            BlackmanWindowPeriodic "aten.blackman_window.periodic" "(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(window) decompose(blackman_window);
            BartlettWindow "aten.bartlett_window.default" "(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(window) decompose(bartlett_window);
            BartlettWindowPeriodic "aten.bartlett_window.periodic" "(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(window) decompose(bartlett_window);
            KaiserWindow "aten.kaiser_window.default" "(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(window) decompose(kaiser_window);
            KaiserWindowPeriodic "aten.kaiser_window.periodic" "(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(window) decompose(kaiser_window);
            HammingWindowPeriodicAlpha "aten.hamming_window.periodic_alpha" "(int window_length, bool periodic, float alpha, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(window) decompose(hamming_window);
            HammingWindowPeriodicAlphaBeta "aten.hamming_window.periodic_alpha_beta" "(int window_length, bool periodic, float alpha, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(window) decompose(hamming_window);
            KaiserWindowBeta "aten.kaiser_window.beta" "(int window_length, bool periodic, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(window) decompose(kaiser_window);
            Tril "aten.tril.default" "(Tensor self, SymInt diagonal=0) -> Tensor" Pointwise [inplace no_wide_unsigned] meta(triangle) lower(tril) grad(again);
            Triu "aten.triu.default" "(Tensor self, SymInt diagonal=0) -> Tensor" Pointwise [inplace no_wide_unsigned] meta(triangle) lower(triu) grad(again);
            TrilIndices "aten.tril_indices.default" "(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(triangle_indices) lower(triangle_indices);
            TriuIndices "aten.triu_indices.default" "(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Factory [] meta(triangle_indices) lower(triangle_indices);
            AssertTensorMetadata "aten._assert_tensor_metadata.default" "(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()" Effect [] meta(assert_tensor_metadata) lower(nothing);
            AssertAsync "aten._assert_async.default" "(Tensor self) -> ()" Effect [] meta(assert_async) lower(assert_async);
            AssertAsyncMsg "aten._assert_async.msg" "(Tensor self, str assert_msg) -> ()" Effect [] meta(assert_async) lower(assert_async);
            Print "aten._print.default" "(str s) -> ()" Effect [] meta(print) lower(print);
            Cond "higher_order.cond.default" "(Tensor pred, Graph true_fn, Graph false_fn, Tensor[] operands, SymInt[] sizes=[]) -> Tensor[]" Control [] meta(cond) none() grad(cond);
            Switch "higher_order.switch.default" "(Tensor index, Graph[] branches, Tensor[] operands) -> Tensor[]" Control [] meta(sized_by_data) none();
            WhileLoop "higher_order.while_loop.default" "(Graph cond_fn, Graph body_fn, Tensor[] carried, Tensor[] additional, SymInt[] sizes=[]) -> Tensor[]" Control [] meta(while_loop) none() grad(while_loop);
            Bind "litz.bind.default" "(Tensor self, SymInt symbol) -> ()" Effect [] meta(bind) lower(nothing);
            AssertScalar "aten._assert_scalar.default" "(Scalar self, str assert_msg) -> ()" Effect [] meta(assert_scalar) lower(nothing);
        ] }
    };
}
pub(crate) use creation_rows;
