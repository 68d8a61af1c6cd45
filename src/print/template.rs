//! Spells regions, and calls of a CPU's templates.

use super::{Dialect, Speller, cuda, words};
use crate::base::OrderedSet;
use crate::kernels::{
    Base, Body, ConvolutionForm, Is, Kernel, LocalId, Memory, Operand, Region, Routine, Statement,
    TemplateCall, Value, ValueId, each_statement,
};
use crate::loops::Cell;
use crate::templates::Header;
use crate::templates::blocked::{self, RegisterTile};
use crate::types::{Dtype, Scalar};

/// Native headers that a body's templates need, each behind those that it builds on.
pub fn headers(body: &Body) -> Vec<Header> {
    let mut found = Vec::new();
    each_routine(body, &mut |routine| {
        found.extend(match routine {
            Routine::Pack { .. } | Routine::Product { .. } => vec![Header::Tile, Header::Gemm],
            Routine::UnpackedProduct { .. } => vec![Header::Tile, Header::Gemm, Header::Unpacked],
            Routine::Convolution { .. } => vec![Header::Tile, Header::Gemm, Header::Convolution],
            Routine::Attention { .. } => vec![Header::Tile, Header::Gemm, Header::Attention],
            Routine::AttentionBackward { .. } => {
                vec![Header::Tile, Header::Gemm, Header::Attention, Header::AttentionBackward]
            }
            Routine::AttentionRows { .. } => vec![Header::Tile, Header::Gemm, Header::AttentionRows],
            Routine::Recurrence { .. } => vec![Header::Tile, Header::Recurrence],
            Routine::Sort { .. } => vec![Header::Sort],
            _ => cuda::template::headers(routine),
        });
    });
    found
}

/// Whether a macro of [`functions`] is a tile's, which needs no mathematical function.
pub fn is_tile(name: &str) -> bool {
    name.starts_with("TILE_")
}

/// Macros of the native functions that a body's templates use.
pub(super) fn functions(body: &Body, found: &mut OrderedSet<&'static str>) {
    let tile = |dtype: Dtype| match dtype {
        Dtype::Float32 => Some("TILE_F32"),
        Dtype::Float64 => Some("TILE_F64"),
        _ => None,
    };
    each_call(body, &mut |call| match call.routine {
        Routine::Pack { dtype, .. } => found.extend(tile(dtype)),
        Routine::Product { dtype, watched, m, .. } => {
            found.extend(tile(dtype));
            found.extend(watched.then_some("TILE_WATCHED"));
            let in_place = matches!(&call.operands[1], Operand::Memory(b) if b.strides.len() == 3);
            let few = blocked::few_rows(known(body, call.numbers[1]), m);
            found.extend((in_place && few != 0).then_some("TILE_THIN"));
        }
        Routine::Convolution { dtype, watched, .. } => {
            found.extend(tile(dtype));
            found.extend(watched.then_some("TILE_WATCHED"));
        }
        Routine::UnpackedProduct { watched, .. } => {
            found.extend(tile(Dtype::Float32));
            found.extend(watched.then_some("TILE_WATCHED"));
        }
        Routine::Attention { .. } => found.extend(["EXP", "TILE_F32"]),
        Routine::AttentionBackward { .. } => found.extend(["EXP", "TILE_F32", "TILE_DOWN_F32"]),
        Routine::AttentionRows { .. } => found.extend(["EXP"]),
        Routine::Recurrence { dtype, .. } => {
            found.extend(["SIGMOID", "TANH"]);
            found.extend(tile(dtype));
        }
        _ => {}
    });
}

/// The heights of a kernel's tiles as bits; all where its rows are not known.
pub fn tile_heights(kernel: &Kernel) -> u32 {
    let (body, tile) = (&kernel.body, RegisterTile::of(4 * kernel.lanes));
    let mut heights = 0;
    each_call(body, &mut |call| {
        let (place, block) = match call.routine {
            Routine::Product { m, .. } | Routine::UnpackedProduct { m, .. } => (1, m),
            Routine::Convolution { m, .. } => (3, m),
            Routine::Attention { .. } | Routine::AttentionBackward { .. } | Routine::Recurrence { .. } => {
                heights |= tile.all_heights();
                return;
            }
            _ => return,
        };
        heights |= match known(body, call.numbers[place]) {
            Some(rows) if block > 0 => tile.heights(rows, block),
            _ => tile.all_heights(),
        };
    });
    heights
}

/// A number that is known.
fn known(body: &Body, value: ValueId) -> Option<i64> {
    match body.values[value] {
        Value::Integer(n) => Some(n),
        _ => None,
    }
}

fn each_call(body: &Body, f: &mut impl FnMut(&TemplateCall)) {
    each_statement(&body.block, &mut |statement| {
        if let Statement::Template(call) = statement {
            f(call);
        }
    });
}
fn each_routine(body: &Body, f: &mut impl FnMut(&Routine)) {
    each_call(body, &mut |call| f(&call.routine));
}

impl Speller<'_> {
    /// A block as a lambda.
    pub(super) fn region(&mut self, region: &Region) {
        self.push("const auto ");
        self.local(region.local);
        self.push(" = [&](");
        for (k, parameter) in region.parameters.iter().enumerate() {
            if k > 0 {
                self.push(", ");
            }
            let ty = words::type_name(self.body.locals[parameter.local].ty, self.body.index);
            self.push(match parameter.is {
                Is::Elements { written: false, .. } => "const ",
                _ => "",
            });
            self.push(ty);
            self.push(match parameter.is {
                Is::Elements { .. } => " *",
                Is::Place => " &",
                _ => " ",
            });
            self.local(parameter.local);
        }
        self.push(")");
        if let Some(gives) = region.gives {
            self.push(" -> ");
            self.push(words::type_name(gives, self.body.index));
        }
        self.push(" {\n");
        self.depth += 1;
        self.begin_line();
        for parameter in &region.parameters {
            self.push("(void)");
            self.local(parameter.local);
            self.push("; ");
        }
        self.push("\n");
        self.block(&region.body);
        self.depth -= 1;
        self.begin_line();
        self.push("};");
    }

    pub(super) fn template(&mut self, call: &TemplateCall) {
        if self.dialect == Dialect::Cuda {
            return self.template_cuda(call);
        }
        let numbers = self.values(&call.numbers);
        match call.routine {
            Routine::Pack { dtype, stored } => {
                let narrow = match stored == dtype {
                    true => format!("litz_pack_b<{}>", words::scalar_type(dtype)),
                    false => format!(
                        "litz_pack_b_narrow<{}, {}>",
                        words::scalar_type(dtype),
                        words::memory_type(stored)
                    ),
                };
                let (source, panels) =
                    (self.factor("b", &call.operands[0], dtype), self.start(&call.operands[1]));
                self.push(&format!("{narrow}({panels}, {source}, {numbers}, begin, end);"));
            }
            Routine::Product { dtype, m, n, k, left_copied, right_copied, watched } => {
                let left = self.factor("a", &call.operands[0], dtype);
                let right = self.factor("b", &call.operands[1], dtype);
                let (epilogue, ty) = (self.regions(call), words::scalar_type(dtype));
                self.push(&format!(
                    "const litz_gemm_shape shape = {{{numbers}, {m}, {n}, {k}, {left_copied}, {right_copied}}};"
                ));
                self.next_line();
                let traits = self.traits(call.numbers[1], m, watched);
                self.push(&format!(
                    "litz_gemm_run<{ty}, {traits}>(shape, {left}, {right}, {epilogue}, begin, end, scratch);"
                ));
            }
            Routine::UnpackedProduct {
                columns,
                group,
                phase,
                m,
                n,
                k,
                left_copied,
                right_copied,
                watched,
            } => {
                let left = self.factor("a", &call.operands[0], Dtype::Float32);
                let region = |k: usize| call.regions[k].map_or("litz_none{}", |r| self.region_name(r));
                let (epilogue, [value, scale, offset]) = (region(0), [1, 2, 3].map(region));
                let traits = self.traits(call.numbers[1], m, watched);
                let text = format!(
                    "const litz_gemm_shape shape = {{{numbers}, {m}, {n}, {k}, {left_copied}, {right_copied}}};\n  litz_gemm_run<f32, {traits}>(shape, {left}, litz_b_unpacked<{columns}, {group}, {phase}>({value}, {scale}, {offset}), {epilogue}, begin, end, scratch);"
                );
                self.push(&text);
            }
            Routine::Convolution { dtype, form, m, n, k, left_copied, right_copied, watched } => {
                self.push(&format!("const litz_conv_shape shape = {{{numbers}}};"));
                self.next_line();
                let (ty, epilogue) = (words::scalar_type(dtype), self.regions(call));
                let (weight, weight_type) = (self.start(&call.operands[1]), memory(&call.operands[1]));
                if form == ConvolutionForm::Depthwise {
                    let image = self.start(&call.operands[0]);
                    return self.push(&format!(
                        "litz_conv_depthwise_run(shape, {image}, {weight}, {epilogue}, begin, end);"
                    ));
                }
                self.push(&format!(
                    "const litz_gemm_shape gemm = litz_conv_gemm(shape, {m}, {n}, {k}, {left_copied}, {right_copied});"
                ));
                self.next_line();
                let traits = self.traits(call.numbers[3], m, watched);
                if form == ConvolutionForm::Computed {
                    let image = self.factor("b", &call.operands[0], dtype);
                    return self.push(&format!(
                        "litz_conv_product<{ty}, {traits}, {weight_type}>(shape, gemm, {image}, {weight}, {epilogue}, begin, end, scratch);"
                    ));
                }
                let run = match form {
                    ConvolutionForm::Product => "litz_conv_pointwise_run",
                    _ => "litz_conv_run",
                };
                let (image, image_type) = (self.start(&call.operands[0]), memory(&call.operands[0]));
                self.push(&format!(
                    "{run}<{ty}, {traits}, {image_type}, {weight_type}>(shape, gemm, {image}, {weight}, {epilogue}, begin, end, scratch);"
                ));
            }
            Routine::Attention { scale, causal, zeros, queries, keys, depth, queries_copied } => {
                let scale = words::literal(Scalar::Float(scale), Dtype::Float32);
                self.push(&format!(
                    "const litz_attention_shape shape = {{{numbers}, {scale}, {causal}, {zeros}, {queries}, {keys}, {depth}, {queries_copied}}};"
                ));
                self.next_line();
                let ty = memory(&call.operands[0]);
                let (operands, [score, epilogue]) =
                    (self.starts(&call.operands), self.scores(call, "litz_no_score{}"));
                self.push(&format!(
                    "litz_attention_run<{ty}>(shape, {operands}, {score}, {epilogue}, begin, end, scratch);"
                ));
            }
            Routine::AttentionBackward { scale, causal, queries, keys, query_kept } => {
                let scale = words::literal(Scalar::Float(scale), Dtype::Float32);
                self.push(&format!(
                    "const litz_attention_backward_shape shape = {{{numbers}, {scale}, {causal}, {queries}, {keys}, {query_kept}}};"
                ));
                self.next_line();
                let written = call.operands[6..].iter().find(|o| **o != Operand::Absent);
                let (read, written) = (memory(&call.operands[0]), written.map_or("f32", memory));
                let operands = self.starts(&call.operands);
                let score = call.regions[0]
                    .map_or("litz_no_score{}".to_string(), |r| self.region_name(r).to_string());
                self.push(&format!(
                    "litz_attention_backward_run<{read}, {written}>(shape, {operands}, {score}, begin, end, scratch);"
                ));
            }
            Routine::AttentionRows { scale, causal, zeros } => {
                let scale = words::literal(Scalar::Float(scale), Dtype::Float64);
                self.push(&format!("const litz_attention_rows shape = {{{numbers}}};"));
                self.next_line();
                let none = "[](i64, i64, i64, i64, i64, f64 *) {}";
                let (operands, [score, epilogue]) = (self.starts(&call.operands), self.scores(call, none));
                self.push(&format!(
                    "litz_attention_by_rows<f64>(shape, {operands}, {scale}, {causal}, {zeros}, {score}, {epilogue}, begin, end, (f64 *)scratch);"
                ));
            }
            Routine::Recurrence { dtype, cell, block, reverse } => {
                self.push(&format!("const litz_recurrence_shape shape = {{{numbers}, {block}, {reverse}}};"));
                self.next_line();
                let (ty, operands) = (words::scalar_type(dtype), self.starts(&call.operands));
                self.push(&format!("const litz_recurrence_operands<{ty}> operands = {{{operands}}};"));
                self.next_line();
                let cell = cell_name(cell);
                self.push(&format!(
                    "litz_recurrence_run<{cell}, {ty}>(shape, operands, begin, end, scratch);"
                ));
            }
            Routine::Sort { dtype, descending, some } => {
                let ty = words::scalar_type(dtype);
                let [count, kept] = [0, 1].map(|k| super::value(self.dialect, self.body, call.numbers[k]));
                let keyed = format!("(litz_keyed<{ty}> *)scratch");
                // The sort orders the first `kept` elements alone.
                if some {
                    self.push(&format!("litz_order<{ty}, {descending}>::select({keyed}, {count}, {kept});"));
                    self.next_line();
                }
                self.push(&format!(
                    "litz_order<{ty}, {descending}>::sort({keyed}, {keyed} + {count}, {kept});"
                ));
            }
            _ => unreachable!("a GPU's template is called by a GPU's kernel"),
        }
    }

    pub(super) fn next_line(&mut self) {
        self.push("\n");
        self.begin_line();
    }

    pub(super) fn values(&self, values: &[ValueId]) -> String {
        let texts: Vec<String> = values.iter().map(|v| super::value(self.dialect, self.body, *v)).collect();
        texts.join(", ")
    }

    pub(super) fn region_name(&self, region: LocalId) -> &str {
        &self.body.locals[region].name
    }
    pub(super) fn regions(&self, call: &TemplateCall) -> String {
        let names: Vec<&str> = call.regions.iter().flatten().map(|r| self.region_name(*r)).collect();
        names.join(", ")
    }
    /// The regions of attention, the first of which may be missing.
    fn scores(&self, call: &TemplateCall, none: &str) -> [String; 2] {
        [0, 1].map(|k| call.regions[k].map_or(none.to_string(), |r| self.region_name(r).to_string()))
    }

    /// Template arguments of a product: facts about its rows that are known when it is compiled.
    fn traits(&self, rows: ValueId, block: i64, watched: bool) -> String {
        let rows = known(self.body, rows);
        let (whole, few) = (rows.map_or(0, |_| block), blocked::few_rows(rows, block));
        format!("litz_gemm_traits<{whole}, {few}, {watched}>")
    }

    /// Where an operand begins.
    pub(super) fn start(&self, operand: &Operand) -> String {
        match operand {
            Operand::Absent => "nullptr".to_string(),
            Operand::Region(local) => self.region_name(*local).to_string(),
            Operand::Memory(memory) | Operand::Rows(memory, _) => {
                let Base::Buffer(place) = memory.pointer.base else {
                    unreachable!("a template's operand is a buffer")
                };
                let at = memory.at.map(|at| format!(" + {}", super::value(self.dialect, self.body, at)));
                format!("b{place}{}", at.unwrap_or_default())
            }
            Operand::Boxes(boxes) => format!("t{}", boxes.map),
        }
    }
    pub(super) fn starts(&self, operands: &[Operand]) -> String {
        let texts: Vec<String> = operands.iter().map(|o| self.start(o)).collect();
        texts.join(", ")
    }

    /// An operand of a product, `a` or `b`: a matrix of three strides, panels of two, or a function.
    fn factor(&self, side: &str, operand: &Operand, dtype: Dtype) -> String {
        let (ty, start) = (words::scalar_type(dtype), self.start(operand));
        match operand {
            Operand::Memory(m) => {
                let Memory { dtype, strides, .. } = &**m;
                let form = if strides.len() == 2 { "packed" } else { "matrix" };
                let (stored, strides) = (words::memory_type(*dtype), self.values(strides));
                format!("litz_{side}_{form}<{ty}, {stored}>{{{start}, {strides}}}")
            }
            _ => format!("litz_{side}_function<{ty}, decltype({start})>{{{start}}}"),
        }
    }
}

/// The native name of a recurrence's cell.
pub(super) fn cell_name(cell: Cell) -> &'static str {
    match cell {
        Cell::Tanh => "LITZ_CELL_TANH",
        Cell::Relu => "LITZ_CELL_RELU",
        Cell::Lstm => "LITZ_CELL_LSTM",
        Cell::Gru => "LITZ_CELL_GRU",
    }
}

/// The type of an operand in memory.
pub(super) fn memory(operand: &Operand) -> &'static str {
    match operand {
        Operand::Memory(memory) | Operand::Rows(memory, _) => words::memory_type(memory.dtype),
        _ => "",
    }
}
