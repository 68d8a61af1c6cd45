//! Calls of a host's operators that write to what they are given: the functional call has the new contents among its results.

use super::Functionalize;
use crate::base::{HashSet, Status};
use crate::ir::host::HostResult;
use crate::ir::{HostCall, Node};
use crate::meta::MetaError;
use crate::ops::Form;

impl Functionalize<'_> {
    pub(super) fn host_call(&mut self, node: &Node, call: &HostCall) -> Result<(), MetaError> {
        let operator = &call.operator;
        let targets: Vec<_> = call.written().into_iter().map(|value| self.resolve(value)).collect();
        let mut storages = HashSet::default();
        if !targets.iter().all(|target| storages.insert(self.states[*target].root)) {
            let message = "two of the tensors that it writes share memory: which writes last is not known";
            return Err(MetaError::new(Status::Unsupported, operator.name, message));
        }
        let args = self.args(&node.args)?;
        let results = self.builder().call(node.op, Form::Functional, args)?;
        let (new, contents) = results.split_at(results.len() - targets.len());
        for (target, contents) in targets.iter().zip(contents) {
            self.mutate(node.op, *target, *contents)?;
        }
        for (output, result) in node.outputs.iter().zip(operator.results(new.len())) {
            match result {
                HostResult::New(k) => self.add_base(*output, new[k]),
                HostResult::Argument(k) => {
                    if let Some(value) = call.args[k].value() {
                        self.same_as.insert(*output, self.resolve(value));
                    }
                }
            }
        }
        Ok(())
    }
}
