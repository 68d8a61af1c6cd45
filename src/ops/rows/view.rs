//! Views: results that share an input's storage, and what rearranges without computing.

macro_rules! view_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::indexing_rows! { $callback [
            $($rows)*

        ] }
    };
}
pub(crate) use view_rows;
