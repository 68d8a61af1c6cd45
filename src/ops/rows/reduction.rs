//! Reductions, normalisations, softmax, scans and sorts.

macro_rules! reduction_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::view_rows! { $callback [
            $($rows)*

        ] }
    };
}
pub(crate) use reduction_rows;
