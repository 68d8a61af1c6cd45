//! Fourier transforms.

macro_rules! spectral_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::recurrence_rows! { $callback [
            $($rows)*
        ] }
    };
}
pub(crate) use spectral_rows;
