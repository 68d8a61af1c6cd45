//! Complex numbers: made of their parts, seen as them, and conjugated. `decompose::complex` rewrites all of it; of a real tensor
//! they are views or negations.

macro_rules! complex_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::spectral_rows! { $callback [
            $($rows)*
            ViewAsReal "aten.view_as_real.default" "(Tensor self) -> Tensor" View [] meta(view_as_real) lower(parts) grad(view_as_real);
            ViewAsComplex "aten.view_as_complex.default" "(Tensor self) -> Tensor" View [] meta(view_as_complex) lower(parts) grad(view_as_complex);
            Real "aten.real.default" "(Tensor self) -> Tensor" View [] meta(real) lower(alias) grad(identity);
            Imag "aten.imag.default" "(Tensor self) -> Tensor" View [] meta(imag) none();
            Conj "aten.conj.default" "(Tensor self) -> Tensor" View [] meta(alias) lower(alias) grad(identity);
            UnderscoreConj "aten._conj.default" "(Tensor self) -> Tensor" View [] meta(alias) lower(alias) grad(identity);
            NegView "aten._neg_view.default" "(Tensor self) -> Tensor" View [] meta(negative_alias) lower(neg) grad(neg);
            ViewAsRealCopy "aten.view_as_real_copy.default" "(Tensor self) -> Tensor" Indexing [] meta(view_as_real_copy) none();
            ViewAsComplexCopy "aten.view_as_complex_copy.default" "(Tensor self) -> Tensor" Indexing [] meta(view_as_complex_copy) none();
            ConjCopy "aten._conj_copy.default" "(Tensor self) -> Tensor" Indexing [] meta(alias_copy) lower(alias) grad(identity);
            NegViewCopy "aten._neg_view_copy.default" "(Tensor self) -> Tensor" Indexing [no_wide_unsigned] meta(negative_alias_copy) lower(neg) grad(neg);
            UnderscoreConjPhysical "aten._conj_physical.default" "(Tensor self) -> Tensor" Pointwise [no_wide_unsigned] meta(unary) lower(identity) grad(identity);
            ComplexDefault "aten.complex.default" "(Tensor real, Tensor imag) -> Tensor" Pointwise [full_floats] meta(complex) none();
            Polar "aten.polar.default" "(Tensor abs, Tensor angle) -> Tensor" Pointwise [full_floats] meta(polar) none();
        ] }
    };
}
pub(crate) use complex_rows;
