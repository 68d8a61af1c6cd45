//! Schedules as text, to look at: the groups that run once, those of a run by launch, and where buffers lie.
//!
//! Deliberately absent: a parser.

use super::{Group, GroupKind, Item, Loops, Schedule, Step};
use crate::loops::{BufferId, Program, text};
use std::fmt::Write;

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
    let mut places: Vec<(BufferId, String)> = program
        .buffers
        .iter()
        .filter_map(|(b, _)| Some((b, format!("{:?}", schedule.placements.of.get(b)?))))
        .collect();
    places.sort_by_key(|p| p.0.index());
    for (buffer, place) in places {
        let place = match schedule.placements.of.get(buffer) {
            Some(super::Placement::Arena(offset)) => format!("arena at {}", program.syms.display(*offset)),
            _ => place,
        };
        let _ = writeln!(out, "{} lies in {place}", text::name(buffer));
    }
    let _ = writeln!(out, "arena: {} bytes", program.syms.display(schedule.placements.arena_bytes));
    out
}

fn group(program: &Program, title: &str, group: &Group, out: &mut String) {
    let names = |list: &[BufferId]| list.iter().map(|b| text::name(*b)).collect::<Vec<_>>().join(", ");
    let kind = match &group.kind {
        GroupKind::Loops(_) => "loops".to_string(),
        GroupKind::Template { node, routine, packed, .. } => {
            let by = routine.as_ref().map_or("own template", |r| r.routine.library());
            let packed = packed.map(|b| format!(", packed {}", text::name(b))).unwrap_or_default();
            format!("template of node {node}, {by}{packed}")
        }
        GroupKind::Pack { node, .. } => format!("packing for node {node}"),
        GroupKind::Panels(_) => "panels".to_string(),
        GroupKind::Single { node } => format!("node {node} by itself"),
    };
    let origins = program.origins.all(&group.operators.origins);
    let nodes: Vec<&str> = origins.iter().map(|o| o.node.as_str()).collect();
    let _ = writeln!(out, "{title}: {kind} ({}; {})", group.operators.text(), nodes.join(", "));
    let _ = writeln!(out, "  reads {}, writes {}", names(&group.reads), names(&group.writes));
    match &group.kind {
        GroupKind::Loops(l) => loops(program, l, out),
        GroupKind::Template { epilogue, .. } => epilogue.iter().for_each(|i| item(program, i, out)),
        GroupKind::Panels(p) => {
            loops(program, &p.columns, out);
            p.rows.iter().for_each(|i| item(program, i, out));
        }
        GroupKind::Pack { .. } | GroupKind::Single { .. } => {}
    }
    for last in &group.last {
        let _ = writeln!(out, "  then, {:?}:", last.waits);
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
    let offset = program.syms.display(item.offset());
    let _ = writeln!(out, "  {}[{offset}] = {by}{value}  (node {})", outs.join(", "), item.node());
}
