//! Spells statements.

use super::{Dialect, Speller, cuda, words};
use crate::kernels::LocalId;
use crate::kernels::{
    Access, Extreme, LastBlocks, Length, Loop, Over, Reduction, Scope, Shape, Space, Statement, Step, Type,
    Unroll, ValueId, identity,
};
use crate::loops::{ReductionOp, ScatterMode};

impl Speller<'_> {
    pub(super) fn block(&mut self, block: &[Statement]) {
        for statement in block {
            self.statement(statement);
        }
    }

    pub(super) fn begin_line(&mut self) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
    }
    fn line(&mut self, text: &str) {
        self.begin_line();
        self.push(text);
        self.push("\n");
    }
    fn inside(&mut self, block: &[Statement]) {
        self.push(" {\n");
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
        self.begin_line();
        self.push("}");
    }
    fn ty(&mut self, local: LocalId) {
        self.push(words::type_name(self.body.locals[local].ty, self.body.index));
    }
    /// `T name`, and what is to follow for one that may be unused.
    fn declare(&mut self, local: LocalId) {
        self.ty(local);
        self.push(" ");
        self.local(local);
    }
    fn end_declaration(&mut self, local: LocalId) {
        self.push(";");
        if self.body.locals[local].may_be_unused {
            self.push(" (void)");
            self.local(local);
            self.push(";");
        }
        self.push("\n");
    }

    fn statement(&mut self, statement: &Statement) {
        if let Statement::LastBlocks(last) = statement {
            return self.last_blocks(last);
        }
        if let Statement::Loop(l) = statement {
            self.unroll(l.unroll);
        }
        self.begin_line();
        match statement {
            Statement::Let { local, value } => {
                self.push("const ");
                self.declare(*local);
                self.push(" = ");
                self.value(*value);
                return self.end_declaration(*local);
            }
            Statement::Variable { local, value } => {
                self.declare(*local);
                if let Some(value) = value {
                    self.push(" = ");
                    self.value(*value);
                }
                return self.end_declaration(*local);
            }
            Statement::Assign { place, value } => {
                self.value(*place);
                self.push(" = ");
                self.value(*value);
                self.push(";");
            }
            Statement::Array { local, fill } => self.array(*local, *fill),
            Statement::Pointer { local, bytes, elements } => self.carve(*local, *bytes, *elements),
            Statement::Store { access, value } => self.store(access, *value),
            Statement::Scatter { access, mode, value, atomic } => {
                self.scatter(access, *mode, *value, *atomic);
            }
            Statement::Prefetch { pointer, at } => {
                self.push("__builtin_prefetch(");
                self.pointer(pointer, true);
                self.push(" + ");
                self.value(*at);
                self.push(");");
            }
            Statement::Loop(l) => self.loop_(l),
            Statement::If { condition, then, otherwise } => {
                self.push("if (");
                self.condition(*condition);
                self.push(")");
                self.inside(then);
                if !otherwise.is_empty() {
                    self.push(" else");
                    self.inside(otherwise);
                }
            }
            Statement::Block(block) => self.inside(block),
            Statement::Check { failed, assertion } => {
                self.push("if (");
                self.condition(*failed);
                self.push(") return LITZ_FAIL(");
                self.number(assertion + 1);
                self.push(");");
            }
            Statement::FoldArray { op, dtype, array, into } => {
                self.push("for (const auto &r : ");
                self.local(*array);
                self.push(") ");
                self.local(*into);
                self.push(" = ");
                self.push(words::reduction(*op, *dtype).0);
                self.push("(");
                self.local(*into);
                self.push(", r);");
            }
            Statement::Transpose { array, first } => {
                self.push("litz_transpose(");
                self.local(*array);
                self.push(" + ");
                self.value(*first);
                self.push(");");
            }
            Statement::Extreme(extreme) => self.extreme(extreme),
            Statement::Return { when } => {
                self.push("if (");
                self.condition(*when);
                self.push(") return;");
            }
            Statement::Barrier(scope) => self.push(match scope {
                Scope::Thread | Scope::Warp => "__syncwarp();",
                Scope::Block => "__syncthreads();",
                Scope::Cluster | Scope::Device => "litz_cluster_meet();",
            }),
            Statement::Reduction(reduction) => self.reduction(reduction),
            Statement::ReduceStrips(_)
            | Statement::FoldRows { .. }
            | Statement::Fetch { .. }
            | Statement::PutSquare { .. }
            | Statement::Flush { .. } => self.shared(statement),
            Statement::Region(region) => self.region(region),
            Statement::Give(value) => {
                self.push("return ");
                self.value(*value);
                self.push(";");
            }
            Statement::Template(call) => self.template(call),
            Statement::LastBlocks(_) => {}
        }
        self.push("\n");
    }

    fn unroll(&mut self, unroll: Unroll) {
        let times = match (unroll, self.dialect) {
            (Unroll::Free, _) => return,
            (Unroll::Times(n), Dialect::Cxx) => format!("_Pragma(\"GCC unroll {n}\")"),
            (Unroll::Times(n), Dialect::Cuda) => format!("_Pragma(\"unroll {n}\")"),
            (Unroll::Whole, _) => "_Pragma(\"unroll\")".to_string(),
        };
        self.line(&times);
    }

    fn loop_(&mut self, l: &Loop) {
        self.push("for (");
        if let Some(first) = l.first {
            self.declare(l.variable);
            self.push(" = ");
            self.value(first);
        }
        self.push("; ");
        self.local(l.variable);
        let vectors = |n: i64| if n == 1 { "LITZ_LANES".to_string() } else { format!("{n} * LITZ_LANES") };
        match l.step {
            Step::Vectors(n) => {
                self.push(" + ");
                self.push(&vectors(n));
                self.push(" <= ");
            }
            _ => self.push(" < "),
        }
        self.value(l.bound);
        self.push("; ");
        self.local(l.variable);
        match l.step {
            Step::One => self.push("++"),
            Step::By(n) => {
                self.push(" += ");
                self.number(n);
            }
            Step::Vectors(n) => {
                self.push(" += ");
                self.push(&vectors(n));
            }
        }
        self.push(")");
        self.inside(&l.body);
    }

    fn array(&mut self, local: LocalId, fill: Option<ValueId>) {
        let (length, space) = match self.body.locals[local].ty {
            Type::Array { length, space, .. } => (length, space),
            Type::Held { dtype, width, count } => {
                let ty = words::memory_type(dtype);
                let name = self.named(local);
                return self.push(&format!("litz_chunk<{ty}, {width}> {name}[{count}];"));
            }
            _ => unreachable!("an array's local has an array's type"),
        };
        if space == Space::Shared {
            self.push("__shared__ __align__(16) ");
        }
        self.declare(local);
        self.push("[");
        match length {
            Length::Known(n) => self.number(n),
            Length::Lanes => self.push("LITZ_LANES"),
        }
        self.push("];");
        if let (Some(fill), Dialect::Cuda, Length::Known(n)) = (fill, self.dialect, length) {
            let (name, fill) = (self.named(local), super::value(self.dialect, self.body, fill));
            return self
                .push(&format!(" _Pragma(\"unroll\") for (int i = 0; i < {n}; i++) {name}[i] = {fill};"));
        }
        if let Some(fill) = fill {
            self.push(" for (auto &r : ");
            self.local(local);
            self.push(") r = ");
            self.value(fill);
            self.push(";");
        }
    }

    /// A pointer into memory that lies at hand.
    fn carve(&mut self, local: LocalId, bytes: ValueId, elements: Option<ValueId>) {
        let ty = self.body.locals[local].ty;
        let name = words::type_name(ty, self.body.index);
        if matches!(ty, Type::Pointer { space: Space::DynamicShared, .. }) {
            self.push("extern __shared__ __align__(16) char dynamic[];\n");
            self.begin_line();
            self.push(&format!("{name} *const "));
            self.local(local);
            self.push(&format!(" = ({name} *)(dynamic + "));
        } else {
            self.push(&format!("{name} *const "));
            self.local(local);
            self.push(&format!(" = ({name} *)((char *)scratch + "));
        }
        self.value(bytes);
        self.push(")");
        if let Some(elements) = elements {
            self.push(" + ");
            self.value(elements);
        }
        self.push(";");
    }

    fn store(&mut self, access: &Access, value: ValueId) {
        let (name, more): (&str, Option<ValueId>) = match access.shape {
            Shape::Element | Shape::Vector { aligned: true } => ("store", None),
            Shape::Vector { aligned: false } if self.dialect == Dialect::Cxx => ("store", None),
            Shape::Vector { aligned: false } => ("store_apart", None),
            Shape::Tail { count } => ("store_tail", Some(count)),
            Shape::Strided { step, .. } => ("store_strided", Some(step)),
            Shape::Each { mask } => {
                self.push("store_scatter(");
                self.pointer(&access.pointer, false);
                for value in [access.at, value, mask] {
                    self.push(", ");
                    self.value(value);
                }
                return self.push(");");
            }
            Shape::Where { .. } | Shape::ElementWhere { .. } => {
                unreachable!("stores under a mask are scattered")
            }
        };
        self.push(name);
        self.push("(");
        self.place(access, false);
        self.push(", ");
        self.value(value);
        if let Some(more) = more {
            self.push(", ");
            self.value(more);
        }
        if let Shape::Strided { count, .. } = access.shape {
            self.push(", ");
            self.count(count);
        }
        self.push(");");
    }

    fn scatter(&mut self, access: &Access, mode: ScatterMode, value: ValueId, atomic: bool) {
        let function = cuda::order::scatter_functor(mode);
        self.push(match function {
            None => "store(",
            Some(_) if atomic => "litz_atomic(",
            Some(_) => "litz_combine(",
        });
        self.place(access, false);
        self.push(", ");
        self.value(value);
        if let Some(function) = function {
            self.push(", ");
            self.push(function);
        }
        self.push(");");
    }

    fn extreme(&mut self, e: &Extreme) {
        let [best, place] = [e.best, e.place].map(|l| self.named(l));
        let [v, position] = [e.value, e.position].map(|v| super::value(self.dialect, self.body, v));
        let ty = words::scalar_type(e.dtype);
        let Some(any) = e.any else {
            let function = words::functor(e.op);
            return self.push(&format!(
                "{{ const auto f = {function}()(litz_place<{ty}>{{{best}, {place}}}, litz_place<{ty}>{{{v}, (i64){position}}}); {best} = f.value; {place} = f.place; }}"
            ));
        };
        let any = self.named(any);
        let better = if e.op == ReductionOp::MaxWithIndex { ">" } else { "<" };
        // The first NaN wins over everything.
        let beats = if e.dtype.is_float() {
            format!("!{any} || ({best} == {best} && ({v} {better} {best} || {v} != {v}))")
        } else {
            format!("!{any} || {v} {better} {best}")
        };
        self.push(&format!("if ({beats}) {{ {best} = {v}; {place} = {position}; {any} = true; }}"));
    }

    fn named(&self, local: LocalId) -> String {
        let local = &self.body.locals[local];
        local.number.map_or_else(|| local.name.to_string(), |n| format!("{}_{n}", local.name))
    }

    fn reduction(&mut self, r: &Reduction) {
        let (function, ty) = (words::functor(r.op), words::scalar_type(r.dtype));
        let start = words::literal(identity(r.op, r.dtype), r.dtype);
        let workspace = r.workspace.map_or("nullptr".to_string(), |w| self.named(w));
        let [value, result] = [super::value(self.dialect, self.body, r.value), self.named(r.result)];
        let (call, turn) = match r.over {
            Over::Threads { threads } => (format!("reduce_threads<{threads}>"), String::new()),
            Over::Cluster { blocks, threads, turn } => {
                (format!("litz_reduce_cluster<{blocks}, {threads}>"), format!(", {turn}"))
            }
            Over::Above { across, above } => {
                let register = words::type_name(self.body.locals[r.result].ty, self.body.index);
                return self.push(&format!(
                    "const {register} {result} = reduce_above<{across}, {above}>({value}, {function}(), {workspace});"
                ));
            }
        };
        match (r.place, r.result_place) {
            (Some(place), Some(result_place)) => {
                let (place, position) = (super::value(self.dialect, self.body, place), self.named(result_place));
                self.push(&format!(
                    "const auto {result}_both = {call}(litz_place<{ty}>{{{value}, {place}}}, {function}(), litz_place<{ty}>{{{start}, -1}}, {workspace}{turn}); const {ty} {result} = {result}_both.value; (void){result}; const i64 {position} = litz_greater({result}_both.place, (i64)0); (void){position};"
                ));
            }
            _ => self.push(&format!(
                "const {ty} {result} = {call}({value}, {function}(), {start}, {workspace}{turn}); (void){result};"
            )),
        }
    }

    /// What a block's threads do together in shared memory.
    fn shared(&mut self, statement: &Statement) {
        match statement {
            Statement::FoldRows { op, array, .. } => {
                let Type::Array { length: Length::Known(rows), .. } = self.body.locals[*array].ty else {
                    unreachable!("an array's local has an array's type")
                };
                let (array, function) = (self.named(*array), words::functor(*op));
                self.push(&format!("litz_fold_rows<{rows}>({array}, {function}());"));
            }
            Statement::Fetch { held, turn, from, at } => {
                self.local(*held);
                self.push("[");
                self.value(*turn);
                self.push("].get(");
                self.pointer(from, true);
                self.push(" + ");
                self.value(*at);
                self.push(");");
            }
            Statement::PutSquare { held, array, side, threads } => {
                let (held, array) = (self.named(*held), self.named(*array));
                self.push(&format!("litz_put_square<{side}, {threads}>({array}, {held});"));
            }
            Statement::Flush { array, place, to, at, width } => {
                let ty = words::type_name(self.body.locals[*array].ty, self.body.index);
                self.push(&format!("{{ litz_chunk<{ty}, {width}> c; c.gather("));
                self.local(*array);
                self.push(" + ");
                self.value(*place);
                self.push("); c.put(");
                self.pointer(to, false);
                self.push(" + ");
                self.value(*at);
                self.push("); }");
            }
            Statement::ReduceStrips(s) => {
                let Over::Above { across, above } = s.over else {
                    unreachable!("strips are reduced over threads above one another")
                };
                let Type::Array { length: Length::Known(strips), .. } = self.body.locals[s.array].ty else {
                    unreachable!("an array's local has an array's type")
                };
                let [array, workspace, place, result] =
                    [s.array, s.workspace, s.place, s.result].map(|l| self.named(l));
                let (function, ty) = (words::functor(s.op), words::scalar_type(s.dtype));
                self.push(&format!(
                    "reduce_strips<{across}, {above}, {strips}>({array}, {function}(), {workspace}, [&](int {place}, {ty} {result})"
                ));
                self.inside(&s.body);
                self.push(");");
            }
            _ => {}
        }
    }

    fn last_blocks(&mut self, last: &LastBlocks) {
        let spell = |value| super::value(self.dialect, self.body, value);
        let at: Vec<String> =
            last.semaphores.iter().map(|s| format!("b{} + {}", s.buffer, spell(s.at))).collect();
        let counts: Vec<String> =
            last.semaphores.iter().map(|s| format!("(int)({})", spell(s.blocks))).collect();
        let (n, at, counts) = (last.semaphores.len(), at.join(", "), counts.join(", "));
        let ready = self.named(last.ready);
        self.line(&format!(
            "i32 *const {ready}_semaphores[] = {{{at}}}; const int {ready}_counts[] = {{{counts}}};"
        ));
        self.line(&format!("const u32 {ready} = litz_are_last<{n}>({ready}_semaphores, {ready}_counts);"));
        for (k, region) in last.regions.iter().enumerate() {
            self.begin_line();
            self.push(&format!("if ({ready} >> {k} & 1)"));
            self.inside(region);
            self.push("\n");
        }
    }
}
