//! Schedules as text: printed by [`groups`], read back by [`parse`] behind the program that they belong to.
//!
//! ```text
//! launch 0: loops "aten.exp.default", "aten.sum.dim_IntList"  # total
//!   reads b0 writes b2
//!   rows [n]
//!   inner [100]
//!   b2[i0] = Sum of Exp(b0[i64 + 100*i0]) by node 1
//! b0 lies in input 0
//! b2 lies in output 0
//! arena of 0 bytes
//! ```
//!
//! Groups that run once are `init`, those of a run stand under their launch, and `control` is a node that steers the run. `i0`, `i1`,
//! … are variables of rows, `i64`, `i65`, … those of inner loops; loads and stores have one offset, in elements. A group of a
//! template names the node, which has the template's operands in the program's text.
//!
//! Invariant: a text that was read prints as it was, but for comments, and its groups have the same kernels.
//!
//! Deliberately absent: what only reports and later placement need: decisions, costs, and the lifetimes of buffers.

mod read;

pub use read::{Read, parse};

use super::{Group, GroupKind, Item, Loops, Placement, Schedule, Step, Unpacked, Waits};
use crate::ir::text::{Names, quoted};
use crate::loops::{BufferId, Program, text};
use crate::types::{SymInt, SymbolKind};
use std::fmt::Write;

/// All groups and places.
pub fn groups(program: &Program, schedule: &Schedule) -> String {
    let mut printer = Printer { program, names: text::symbol_names(program), out: String::new() };
    for (k, group) in schedule.init.iter().enumerate() {
        printer.group(&format!("init {k}"), group);
    }
    for step in &schedule.steps {
        match step {
            Step::Launch(k) => {
                for group in &schedule.main[schedule.launches[*k].clone()] {
                    printer.group(&format!("launch {k}"), group);
                }
            }
            Step::Control(node) => printer.line(format_args!("control {node}\n")),
        }
    }
    for (buffer, _) in program.buffers.iter() {
        let Some(place) = schedule.placements.of.get(buffer) else { continue };
        let place = match place {
            Placement::Input(k) => format!("input {k}"),
            Placement::Constant(k) => format!("constant {k}"),
            Placement::Output(k) => format!("output {k}"),
            Placement::Derived(offset) => format!("derived at {offset}"),
            Placement::Arena(offset) => format!("arena at {}", printer.size(*offset)),
            Placement::Slot(k) => format!("slot {k}"),
            Placement::Semaphores(offset) => format!("semaphores at {offset}"),
        };
        printer.line(format_args!("{} lies in {place}", text::name(buffer)));
    }
    let arena = printer.size(schedule.placements.arena_bytes);
    printer.line(format_args!("arena of {arena} bytes"));
    printer.out
}

struct Printer<'p> {
    program: &'p Program,
    names: Names,
    out: String,
}

/// Buffers behind a word; nothing where there are none.
fn buffers(word: &str, list: &[BufferId]) -> String {
    let names: Vec<String> = list.iter().map(|b| text::name(*b)).collect();
    if names.is_empty() { String::new() } else { format!(" {word} {}", names.join(", ")) }
}

impl Printer<'_> {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{text}");
    }
    fn size(&self, e: SymInt) -> String {
        self.names.expression(&self.program.syms, e)
    }
    fn list(&self, list: &[SymInt]) -> String {
        self.names.list(&self.program.syms, list)
    }

    fn group(&mut self, title: &str, group: &Group) {
        let kind = match &group.kind {
            GroupKind::Loops(_) => "loops".to_string(),
            GroupKind::Template { node, packed, dims, vendor, .. } => {
                let packed = packed.map(|b| format!(" packed {}", text::name(b))).unwrap_or_default();
                let vendor = if *vendor { " for a library" } else { "" };
                format!("template of node {node} dims {}{packed}{vendor}", self.list(dims))
            }
            GroupKind::Pack { node, out } => format!("packing for node {node} into {}", text::name(*out)),
            GroupKind::RowColumnReduction(_) => "rows and columns".to_string(),
            GroupKind::Standalone { node } => format!("node {node} alone"),
        };
        let operators: Vec<String> = group.operators.names.iter().map(|n| quoted(n, '"')).collect();
        let origins = self.program.origins.all(&group.operators.origins);
        let nodes: Vec<&str> = origins.iter().map(|o| o.node.as_str()).collect();
        let from = if nodes.is_empty() { String::new() } else { format!("  # {}", nodes.join(", ")) };
        let space = if operators.is_empty() { "" } else { " " };
        self.line(format_args!("{title}: {kind}{space}{}{from}", operators.join(", ")));
        let lists = [("reads", &group.reads), ("writes", &group.writes), ("updates", &group.updates)];
        let lists: String = lists.into_iter().map(|(word, list)| buffers(word, list)).collect();
        self.line(format_args!(" {lists}"));
        match &group.kind {
            GroupKind::Loops(l) => self.loops(l),
            GroupKind::Template { epilogue, routine, unpacked, .. } => {
                if let Some(routine) = routine {
                    let routine = text::routine(self.program, &self.names, routine);
                    self.line(format_args!("  library {routine}"));
                }
                if let Some(unpacked) = unpacked {
                    self.unpacked(unpacked);
                }
                epilogue.iter().for_each(|i| self.item(i));
            }
            GroupKind::RowColumnReduction(p) => {
                self.loops(&p.columns);
                self.line(format_args!("  rows of the same"));
                p.rows.iter().for_each(|i| self.item(i));
            }
            GroupKind::Pack { .. } | GroupKind::Standalone { .. } => {}
        }
        for last in &group.last {
            let waits = match last.waits {
                Waits::All => "all rows".to_string(),
                Waits::Neighbours(n) => format!("neighbours {}", self.size(n)),
                Waits::Apart(n) => format!("apart {}", self.size(n)),
                Waits::Panel => "a panel".to_string(),
            };
            let semaphores = text::name(last.semaphores);
            self.line(format_args!("  last block of {waits} counted in {semaphores}"));
            self.loops(&last.loops);
        }
        if let Some(workspace) = &group.workspace {
            let memory = buffers("workspace", &workspace.buffers);
            self.line(format_args!(" {memory} counted in {}", text::name(workspace.semaphores)));
        }
        self.out.push('\n');
    }

    fn loops(&mut self, loops: &Loops) {
        self.line(format_args!("  rows {}", self.list(&loops.outer)));
        let mut known = Vec::new();
        for stage in &loops.stages {
            self.line(format_args!("  inner {}", self.list(&stage.inner)));
            for item in &stage.items {
                self.item(item);
                for buffer in item.outs() {
                    let Some(row) = loops.row_buffers.get(&buffer).filter(|_| !known.contains(&buffer))
                    else {
                        continue;
                    };
                    known.push(buffer);
                    let [elements, offset] = [row.elements, row.offset].map(|e| self.size(e));
                    self.line(format_args!("  row {}[{offset}] of {elements}", text::name(buffer)));
                }
            }
        }
    }

    fn item(&mut self, item: &Item) {
        let value = text::value(self.program, &self.names, item.value(), &mut self.out);
        let outs: Vec<String> = item.outs().into_iter().map(text::name).collect();
        let by = match item {
            Item::Store { .. } => String::new(),
            Item::Reduce { op, .. } => format!("{op:?} of "),
        };
        let offset = self.size(item.offset());
        self.line(format_args!("  {}[{offset}] = {by}{value} by node {}", outs.join(", "), item.node()));
    }

    fn unpacked(&mut self, u: &Unpacked) {
        let syms = &self.program.syms;
        let first = syms.as_symbol(u.digits[0].variable).map(|id| syms.symbol_kind(id));
        let first = if let Some(SymbolKind::Index { position, .. }) = first { position } else { 0 };
        let sizes = self.list(&u.digits.map(|d| d.size));
        self.line(format_args!(
            "  unpacked columns {} group {} phase {} digits {sizes} from i{first}",
            u.columns, u.group, u.phase
        ));
        for (word, part) in [("value", Some(u.value)), ("scale", u.scale), ("offset", u.offset)] {
            let Some(part) = part else { continue };
            let part = text::value(self.program, &self.names, part, &mut self.out);
            self.line(format_args!("  {word} = {part}"));
        }
    }
}
