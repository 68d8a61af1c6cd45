//! Calls of a host's operators, which are no rows themselves: the one argument says which operator it is and what it is given. A call
//! has the results of the operator and, in its functional form, the new contents of each tensor that the operator writes.

macro_rules! host_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $callback! {
            $($rows)*
            HostCall "litz.host_call.default" "(Call call) -> Tensor[]" Host [] meta(host_call) lower(host_call) grad(host_call);
            HostPointwise "litz.host_pointwise.default" "(Call call) -> Tensor" Composite [] meta(host_call) decompose(host_pointwise) grad(host_call);
            HostEffect "litz.host_effect.default" "(Call call) -> Tensor[]" Effect [] meta(host_call) lower(host_call) grad(host_call);
        }
    };
}
pub(crate) use host_rows;
