//! Every thread of a scope meets each of its barriers.
//!
//! The *agreement* of a value is the widest scope whose threads all have the same value: a number of the launch is the same
//! in all of a device, a block's number in a block, a thread's own in that thread alone. A barrier needs an agreement as wide as
//! itself of every condition and loop around it, and of every return before it.

use super::{Found, Wrong};
use crate::kernels::{
    Base, Block, Builtin, IndexOp, Kernel, Launch, LocalId, Over, Reduction, Scope, Statement, Type, Value,
    ValueId,
};

pub(super) fn check(kernel: &Kernel) -> Result<(), Found> {
    let threads = match kernel.launch {
        Launch::Gpu { threads, .. } => Some(threads),
        Launch::Cpu { .. } => None,
    };
    let mut walk = Walk {
        kernel,
        threads,
        agree: vec![Scope::Device; kernel.body.locals.len()],
        rest: Scope::Device,
        at: 0,
        changed: true,
        settled: false,
    };
    // Agreements only shrink, so that this ends.
    while walk.changed {
        walk.again(false)?;
    }
    walk.again(true)
}

struct Walk<'k> {
    kernel: &'k Kernel,
    /// None: it is a CPU's.
    threads: Option<i64>,
    agree: Vec<Scope>,
    /// Of those who have not returned.
    rest: Scope,
    at: usize,
    changed: bool,
    /// Agreements are final, and barriers are judged.
    settled: bool,
}

impl Walk<'_> {
    fn again(&mut self, settled: bool) -> Result<(), Found> {
        (self.at, self.changed, self.settled, self.rest) = (0, false, settled, Scope::Device);
        self.block(&self.kernel.body.block, Scope::Device)
    }

    fn lower(&mut self, local: LocalId, to: Scope) {
        let known = &mut self.agree[local.index()];
        if to < *known {
            *known = to;
            self.changed = true;
        }
    }

    fn block(&mut self, block: &Block, around: Scope) -> Result<(), Found> {
        for statement in block {
            let at = self.at;
            self.at += 1;
            self.statement(statement, around).map_err(|wrong| (Some(at), wrong))?;
            match statement {
                Statement::Loop(l) => {
                    let first = l.first.map_or(Scope::Device, |first| self.value(first));
                    let own = around.min(first).min(self.value(l.bound)).min(self.agree[l.variable.index()]);
                    self.lower(l.variable, own);
                    self.block(&l.body, own)?;
                }
                Statement::If { condition, then, otherwise } => {
                    let own = around.min(self.value(*condition));
                    self.block(then, own)?;
                    self.block(otherwise, own)?;
                }
                Statement::Block(block) => self.block(block, around)?,
                Statement::ReduceStrips(strips) => self.block(&strips.body, Scope::Thread)?,
                Statement::Region(region) => {
                    region.parameters.iter().for_each(|p| self.lower(p.local, Scope::Thread));
                    self.block(&region.body, Scope::Thread)?;
                }
                Statement::LastBlocks(last) => {
                    last.regions.iter().try_for_each(|r| self.block(r, around.min(Scope::Block)))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, around: Scope) -> Result<(), Wrong> {
        match statement {
            Statement::Let { local, value } | Statement::Variable { local, value: Some(value) } => {
                let agree = self.value(*value).min(around);
                self.lower(*local, agree);
            }
            Statement::Assign { place, value } => {
                let mut agree = self.value(*value).min(around);
                let local = match self.kernel.body.values[*place] {
                    Value::Local(local) => local,
                    Value::Element(array, at) => {
                        agree = agree.min(self.value(at));
                        array
                    }
                    _ => return Ok(()),
                };
                self.lower(local, agree);
            }
            Statement::Array { local, fill } => {
                let agree = fill.map_or(Scope::Device, |fill| self.value(fill)).min(around);
                self.lower(*local, agree);
            }
            Statement::Store { access, value } => {
                if let Base::Local(local) = access.pointer.base {
                    let agree = self.value(*value).min(self.value(access.at)).min(around);
                    // What lies in shared memory is the same for all who look.
                    if !self.is_shared(local) {
                        self.lower(local, agree);
                    }
                }
            }
            Statement::FoldArray { array, into, .. } => {
                let agree = self.agree[array.index()].min(around);
                self.lower(*into, agree);
            }
            Statement::Transpose { array, first } => {
                let agree = self.value(*first).min(around);
                self.lower(*array, agree);
            }
            Statement::Extreme(e) => {
                let agree = self.value(e.value).min(self.value(e.position)).min(around);
                [Some(e.best), Some(e.place), e.any].into_iter().flatten().for_each(|l| self.lower(l, agree));
            }
            Statement::Return { when } => self.rest = self.rest.min(self.value(*when)).min(around),
            Statement::Barrier(scope) => self.meet(*scope, around)?,
            Statement::Reduction(r) => {
                let (waits, agree) = self.reduction(r)?;
                self.meet(waits, around)?;
                self.lower(r.result, agree);
                r.result_place.into_iter().for_each(|place| self.lower(place, agree));
            }
            // Threads of a GPU's block, or of its cluster, work on a template's call together.
            Statement::Template(_) if self.threads.is_some() => {
                let clustered = matches!(self.kernel.launch, Launch::Gpu { cluster: 2.., .. });
                self.meet(if clustered { Scope::Cluster } else { Scope::Block }, around)?;
            }
            Statement::FoldRows { array, .. } => {
                self.meet(Scope::Warp, around)?;
                self.lower(*array, Scope::Thread);
            }
            Statement::ReduceStrips(strips) => {
                self.meet(Scope::Block, around)?;
                [strips.place, strips.result].into_iter().for_each(|l| self.lower(l, Scope::Thread));
            }
            Statement::LastBlocks(last) => {
                self.meet(Scope::Block, around)?;
                let agree = last.semaphores.iter().fold(Scope::Block, |a, s| a.min(self.value(s.at)));
                if agree < Scope::Block && self.settled {
                    return Err(Wrong::Divergent { scope: Scope::Block, agree });
                }
                self.lower(last.ready, Scope::Block);
            }
            _ => {}
        }
        Ok(())
    }

    fn meet(&self, scope: Scope, around: Scope) -> Result<(), Wrong> {
        if self.threads.is_none() {
            return Err(Wrong::WaitsOnCpu);
        }
        let agree = around.min(self.rest);
        match self.settled && agree < scope {
            true => Err(Wrong::Divergent { scope, agree }),
            false => Ok(()),
        }
    }

    /// The scope whose threads wait for one another, and the agreement of the result.
    fn reduction(&self, r: &Reduction) -> Result<(Scope, Scope), Wrong> {
        let Some(threads) = self.threads else { return Err(Wrong::WaitsOnCpu) };
        let (found, waits, agree) = match r.over {
            Over::Threads { threads: n } => {
                let waits = if n <= 32 { Scope::Warp } else { Scope::Block };
                let agree = match n {
                    n if n == threads => Scope::Block,
                    n if n >= 32 => Scope::Warp,
                    _ => Scope::Thread,
                };
                (n, waits, agree)
            }
            Over::Cluster { blocks, threads: n, .. } => {
                let Launch::Gpu { cluster, .. } = self.kernel.launch else { return Err(Wrong::WaitsOnCpu) };
                if blocks != cluster || n != threads {
                    return Err(Wrong::ReducedThreads { found: blocks * n, threads: cluster * threads });
                }
                (n, Scope::Cluster, Scope::Cluster)
            }
            Over::Above { across, above } => (across * above, Scope::Block, Scope::Thread),
        };
        let whole = match r.over {
            Over::Above { .. } => found == threads,
            _ => found > 0 && threads % found == 0,
        };
        if !whole {
            return Err(Wrong::ReducedThreads { found, threads });
        }
        self.workspace(r, threads).map(|()| (waits, agree))
    }

    fn workspace(&self, r: &Reduction, threads: i64) -> Result<(), Wrong> {
        let found = match r.workspace.map(|w| self.kernel.body.locals[w].ty) {
            None => 0,
            Some(Type::Array { dtype, vectors, length, .. }) => {
                let wide = if vectors { self.kernel.lanes } else { 1 };
                length.count(self.kernel.lanes) * wide * dtype.size() as i64
            }
            Some(_) => return Ok(()),
        };
        let part = if r.place.is_some() { 16 } else { r.dtype.size() as i64 };
        let needed = match r.over {
            Over::Threads { threads: n } if n <= 32 => 0,
            Over::Threads { threads: n } => threads / n * 32 * part,
            // A row of partial results of warps, and two halves in turn.
            Over::Cluster { .. } => 512 + 32,
            Over::Above { above: ..=1, .. } => 0,
            Over::Above { across, above } => {
                let vector = matches!(self.kernel.body.locals[r.result].ty, Type::Vector(_));
                across * above * part * if vector { self.kernel.lanes } else { 1 }
            }
        };
        let memory = r.workspace.map(|w| super::name(self.kernel, w)).unwrap_or_default();
        if found < needed { Err(Wrong::Workspace { memory, found, needed }) } else { Ok(()) }
    }

    fn is_shared(&self, local: LocalId) -> bool {
        use crate::kernels::Space::{DynamicShared, Shared};
        matches!(
            self.kernel.body.locals[local].ty,
            Type::Array { space: Shared, .. } | Type::Pointer { space: DynamicShared, .. }
        )
    }

    fn all(&self, values: &[ValueId]) -> Scope {
        values.iter().fold(Scope::Device, |agree, v| agree.min(self.value(*v)))
    }

    fn value(&self, value: ValueId) -> Scope {
        match &self.kernel.body.values[value] {
            Value::Constant(..) | Value::Integer(_) | Value::Parameter(_) => Scope::Device,
            Value::Builtin(builtin) => match builtin {
                Builtin::Lanes | Builtin::Blocks => Scope::Device,
                Builtin::BlockIndex | Builtin::ClusterRank => Scope::Block,
                Builtin::ThreadIndex => Scope::Thread,
                Builtin::Begin | Builtin::End => Scope::Block,
            },
            Value::Local(local) => self.agree[local.index()],
            Value::Element(array, at) => self.agree[array.index()].min(self.value(*at)),
            Value::Index(op, operands) => self.index(*op, operands),
            Value::Load(access) => {
                let own = match access.pointer.base {
                    Base::Local(local) => self.agree[local.index()],
                    _ => Scope::Device,
                };
                own.min(self.all(&access.operands()))
            }
            other => self.all(&other.operands()),
        }
    }

    /// Warps agree on a thread's number divided by their size, and on how it compares with a multiple of it.
    fn index(&self, op: IndexOp, operands: &[ValueId]) -> Scope {
        use IndexOp::*;
        let values = &self.kernel.body.values;
        if let [a, b] = operands
            && matches!(values[*a], Value::Builtin(Builtin::ThreadIndex))
            && let Value::Integer(n) = values[*b]
            && n % 32 == 0
            && n > 0
            && matches!(op, Divide | FloorDivide | Less | GreaterEqual)
        {
            return Scope::Warp;
        }
        self.all(operands)
    }
}
