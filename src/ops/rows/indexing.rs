//! Indexing: gather, scatter, embedding, masked and advanced indexing.

macro_rules! indexing_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::contraction_rows! { $callback [
            $($rows)*

        ] }
    };
}
pub(crate) use indexing_rows;
