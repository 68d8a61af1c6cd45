//! Factories: tensors from sizes and numbers; and operators that run for their effect.

macro_rules! creation_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $callback! {
            $($rows)*
        }
    };
}
pub(crate) use creation_rows;
