//! Random numbers: operators that draw them, which functionalization replaces, and those that it replaces them by: words,
//! uniform and normal numbers at a place of the random state.

macro_rules! random_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::host_rows! { $callback [
            $($rows)*
            Rand "aten.rand.default" "(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Random [] meta(random_of_size) none();
            RandGenerator "aten.rand.generator" "(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Random [] meta(random_of_size) none();
            RandLike "aten.rand_like.default" "(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Random [] meta(random_like) none() grad(zero);
            RandLikeGenerator "aten.rand_like.generator" "(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Random [] meta(random_like) none();
            Randn "aten.randn.default" "(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Random [] meta(random_of_size) none();
            RandnGenerator "aten.randn.generator" "(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Random [] meta(random_of_size) none();
            RandnLike "aten.randn_like.default" "(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Random [] meta(random_like) none();
            RandnLikeGenerator "aten.randn_like.generator" "(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Random [] meta(random_like) none();
            Randint "aten.randint.default" "(SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Random [] meta(randint) none();
            RandintGenerator "aten.randint.generator" "(SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Random [] meta(randint) none();
            RandintLow "aten.randint.low" "(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Random [] meta(randint) none();
            RandintLowGenerator "aten.randint.low_generator" "(SymInt low, SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Random [] meta(randint) none();
            RandintLike "aten.randint_like.default" "(Tensor self, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Random [] meta(randint_like) none();
            RandintLikeTensor "aten.randint_like.Tensor" "(Tensor self, Tensor high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Random [] meta(randint_like) none();
            RandintLikeLow "aten.randint_like.low_dtype" "(Tensor self, SymInt low, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Random [] meta(randint_like) none();
            RandintLikeGenerator "aten.randint_like.generator" "(Tensor self, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Random [] meta(randint_like) none();
            RandintLikeTensorGenerator "aten.randint_like.Tensor_generator" "(Tensor self, Tensor high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Random [] meta(randint_like) none();
            RandintLikeLowGenerator "aten.randint_like.low_generator_dtype" "(Tensor self, SymInt low, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor" Random [] meta(randint_like) none();
            Randperm "aten.randperm.default" "(SymInt n, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Random [no_wide_unsigned] meta(randperm) none();
            RandpermGenerator "aten.randperm.generator" "(SymInt n, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Random [no_wide_unsigned] meta(randperm) none();
            Bernoulli "aten.bernoulli.default" "(Tensor self, *, Generator? generator=None) -> Tensor" Random [] meta(bernoulli) none();
            BernoulliP "aten.bernoulli.p" "(Tensor self, float p=0.5, *, Generator? generator=None) -> Tensor" Random [inplace no_wide_unsigned] meta(bernoulli_p) none();
            BernoulliTensor "aten.bernoulli.Tensor" "(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor" Random [inplace no_wide_unsigned] meta(bernoulli_tensor) none();
            Uniform "aten.uniform.default" "(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor" Random [inplace floats] meta(distribution) none();
            NormalFunctional "aten.normal_functional.default" "(Tensor self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor" Random [inplace floats] meta(distribution) none();
            NormalTensorFloat "aten.normal.Tensor_float" "(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor" Random [] meta(normal) none();
            NormalFloatTensor "aten.normal.float_Tensor" "(float mean, Tensor std, *, Generator? generator=None) -> Tensor" Random [] meta(normal) none();
            NormalTensorTensor "aten.normal.Tensor_Tensor" "(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor" Random [] meta(normal) none();
            NormalFloatFloat "aten.normal.float_float" "(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Random [] meta(normal) none();
            LogNormal "aten.log_normal.default" "(Tensor self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor" Random [inplace floats] meta(distribution) none();
            Cauchy "aten.cauchy.default" "(Tensor self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor" Random [inplace floats] meta(distribution) none();
            Exponential "aten.exponential.default" "(Tensor self, float lambd=1., *, Generator? generator=None) -> Tensor" Random [inplace floats] meta(distribution) none();
            Geometric "aten.geometric.default" "(Tensor self, float p, *, Generator? generator=None) -> Tensor" Random [inplace numbers no_wide_unsigned] meta(distribution) none();
            RandomFrom "aten.random.from" "(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor" Random [inplace] meta(random_integers) none();
            RandomTo "aten.random.to" "(Tensor self, int to, *, Generator? generator=None) -> Tensor" Random [inplace] meta(random_integers) none();
            Random "aten.random.default" "(Tensor self, *, Generator? generator=None) -> Tensor" Random [inplace no_wide_unsigned] meta(random_integers) none();
            Multinomial "aten.multinomial.default" "(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor" Random [] meta(multinomial) none();
            RreluWithNoise "aten.rrelu_with_noise.default" "(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor" Random [inplace floats] meta(rrelu_with_noise) none();
            RreluWithNoiseFunctional "aten.rrelu_with_noise_functional.default" "(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> (Tensor, Tensor)" Random [floats] meta(rrelu_with_noise) none();
            RandomBits "litz.random_bits.default" "(SymInt[] size, SymInt seed, SymInt offset, Tensor? state, int bits) -> Tensor" Factory [] meta(random_bits) lower(random_bits) grad(nothing);
            RandomUniform "litz.random_uniform.default" "(SymInt[] size, SymInt seed, SymInt offset, Tensor? state, ScalarType dtype, bool open) -> Tensor" Factory [] meta(random_floats) lower(random_uniform) grad(nothing);
            RandomNormal "litz.random_normal.default" "(SymInt[] size, SymInt seed, SymInt offset, Tensor? state, ScalarType dtype) -> Tensor" Factory [] meta(random_floats) lower(random_normal) grad(nothing);
            RandomNext "litz.random_next.default" "(SymInt offset) -> ()" Effect [] meta(random_next) lower(random_next);
            GammaSample "litz.gamma_sample.default" "(Tensor self, Tensor concentration) -> Tensor" Pointwise [] meta(positive) lower(identity) grad(gamma_sample);
            Checked "litz.checked.default" "(Tensor self, Tensor condition, str message) -> Tensor" Pointwise [] meta(checked) lower(checked_elements) grad(identity);
        ] }
    };
}
pub(crate) use random_rows;
