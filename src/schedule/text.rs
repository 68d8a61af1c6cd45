//! Schedules as text, to look at: the groups that run once, those of a run by launch, and where buffers lie.
//!
//! Deliberately absent: a parser.

use super::{Group, GroupKind, Item, Loops, Placement, Schedule, Step, Waits};
use crate::ir::text::Names;
use crate::loops::{BufferId, Program, text};
use crate::types::SymInt;
use std::fmt::Write;

fn size(program: &Program, e: SymInt) -> String {
    Names::default().expression(&program.syms, e)
}

/// All groups and places.
pub fn groups(program: &Program, schedule: &Schedule) -> String {
    let mut out = String::new();
    for (k, group) in schedule.init.iter().enumerate() {
        self::group(program, &format!("init {k}"), group, &mut out);
    }
    for step in &schedule.steps {
        match step {
            Step::Launch(k) => {
                for group in &schedule.main[schedule.launches[*k].clone()] {
                    self::group(program, &format!("launch {k}"), group, &mut out);
                }
            }
            Step::Control(node) => {
                let _ = writeln!(out, "node {node}\n");
            }
        }
    }
    for (buffer, _) in program.buffers.iter() {
        let Some(place) = schedule.placements.of.get(buffer) else { continue };
        let place = match place {
            Placement::Input(k) => format!("input {k}"),
            Placement::Constant(k) => format!("constant {k}"),
            Placement::Output(k) => format!("output {k}"),
            Placement::Derived(offset) => format!("derived memory at {offset}"),
            Placement::Arena(offset) => format!("arena at {}", size(program, *offset)),
            Placement::Slot(k) => format!("slot {k}"),
            Placement::Tickets(offset) => format!("semaphores at {offset}"),
        };
        let _ = writeln!(out, "{} lies in {place}", text::name(buffer));
    }
    let _ = writeln!(out, "arena: {} bytes", size(program, schedule.placements.arena_bytes));
    out
}

fn group(program: &Program, title: &str, group: &Group, out: &mut String) {
    let names = |list: &[BufferId]| list.iter().map(|b| text::name(*b)).collect::<Vec<_>>().join(", ");
    let kind = match &group.kind {
        GroupKind::Loops(_) => "loops".to_string(),
        GroupKind::Template { node, routine, packed, unpacked, .. } => {
            let by = routine.as_ref().map_or("own template".to_string(), |r| r.attributes.name());
            let packed = packed.map(|b| format!(", packed {}", text::name(b))).unwrap_or_default();
            let vectors = unpacked
                .as_ref()
                .map(|u| format!(", unpacked {} columns by {} of {}", u.columns, u.phase, u.group));
            format!("template of node {node}, {by}{packed}{}", vectors.unwrap_or_default())
        }
        GroupKind::Pack { node, .. } => format!("packing for node {node}"),
        GroupKind::RowColumnReduction(_) => "panels".to_string(),
        GroupKind::Standalone { node } => format!("node {node} by itself"),
    };
    let origins = program.origins.all(&group.operators.origins);
    let nodes: Vec<&str> = origins.iter().map(|o| o.node.as_str()).collect();
    let from = if nodes.is_empty() { String::new() } else { format!("; {}", nodes.join(", ")) };
    let _ = writeln!(out, "{title}: {kind} ({}{from})", group.operators.text());
    let _ = writeln!(out, "  reads {}, writes {}", names(&group.reads), names(&group.writes));
    match &group.kind {
        GroupKind::Loops(l) => loops(program, l, out),
        GroupKind::Template { epilogue, .. } => epilogue.iter().for_each(|i| item(program, i, out)),
        GroupKind::RowColumnReduction(p) => {
            loops(program, &p.columns, out);
            p.rows.iter().for_each(|i| item(program, i, out));
        }
        GroupKind::Pack { .. } | GroupKind::Standalone { .. } => {}
    }
    for last in &group.last {
        let waits = match last.waits {
            Waits::All => "all rows".to_string(),
            Waits::Neighbours(n) => format!("{} rows that follow one another", size(program, n)),
            Waits::Apart(n) => format!("{} rows at equal distances", size(program, n)),
            Waits::Panel => "the columns of a panel".to_string(),
        };
        let _ = writeln!(out, "  then, by the last block of {waits}:");
        loops(program, &last.loops, out);
    }
    out.push('\n');
}

fn loops(program: &Program, loops: &Loops, out: &mut String) {
    let _ = writeln!(out, "  rows {}", program.syms.display_list(&loops.outer));
    for stage in &loops.stages {
        let _ = writeln!(out, "  inner {}", program.syms.display_list(&stage.inner));
        stage.items.iter().for_each(|i| item(program, i, out));
    }
}

fn item(program: &Program, item: &Item, out: &mut String) {
    let value = text::value(program, item.value(), out);
    let outs: Vec<String> = item.outs().into_iter().map(text::name).collect();
    let by = match item {
        Item::Store { .. } => String::new(),
        Item::Reduce { op, .. } => format!("{op:?} of "),
    };
    let offset = size(program, item.offset());
    let _ = writeln!(out, "  {}[{offset}] = {by}{value}  (node {})", outs.join(", "), item.node());
}
