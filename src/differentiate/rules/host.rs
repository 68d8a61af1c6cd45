//! Calls of a host's operators: by the derivative function that the host gave, or by the expression that the operator is.

use crate::base::Status;
use crate::differentiate::{Derivative, DerivativeError, Outcome};
use crate::ir::Arg;

pub fn host_call(d: &mut Derivative<'_>) -> Outcome {
    let [Arg::Call(call)] = d.args else {
        return Err(d.error(Status::Internal, "a call without an operator"));
    };
    let operator = &call.operator;
    let error = |status, message: String| DerivativeError::new(status, operator.name, message);
    if operator.writes() {
        let message = "it writes to what it is given, and has no derivative";
        return Err(error(Status::Unsupported, message.into()));
    }
    let Some(derivative) = &operator.functions.derivative else {
        if operator.functions.expression.is_some() {
            d.by_parts();
            return Ok(());
        }
        let message = "it was registered without a derivative; `detach` what is before it if no gradient is wanted there";
        return Err(error(Status::Unsupported, message.into()));
    };
    let cotangents: Vec<_> = (0..d.results.len()).map(|k| d.cotangent(k)).collect();
    let given = derivative(d.graph, operator, &call.args, &cotangents)
        .map_err(|e| error(e.status, format!("its derivative function: {}", e.message)))?;
    for (value, cotangent) in call.args.iter().flat_map(Arg::values).zip(given) {
        let Some(cotangent) = cotangent else { continue };
        let (want, have) = (d.meta(value), d.meta(cotangent));
        if have.rank() < want.rank() || !have.dtype.is_continuous() {
            let message = format!(
                "its derivative function gave {} of rank {} for a tensor of {} of rank {}",
                have.dtype,
                have.rank(),
                want.dtype,
                want.rank()
            );
            return Err(error(Status::InvalidArgument, message));
        }
        d.give_value(value, cotangent)?;
    }
    Ok(())
}
