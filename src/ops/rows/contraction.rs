//! Contractions: matrix products, convolutions, attention, pooling windows.

macro_rules! contraction_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::creation_rows! { $callback [
            $($rows)*

        ] }
    };
}
pub(crate) use contraction_rows;
