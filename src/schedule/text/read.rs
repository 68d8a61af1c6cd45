//! Text to schedules.
//!
//! Invariants: no text panics or overflows the stack; an error has the line and column of what was not understood. What was read is
//! not verified, but nodes and buffers that it names are there.

use super::super::memory::Placements;
use super::super::unpacking::Digit;
use super::super::workspaces::Workspace;
use super::super::{
    Group, GroupKind, INNER, Item, Last, Loops, Placement, RowBuffer, RowColumnReduction, Schedule, Stage,
    Step, Unpacked, Waits,
};
use crate::base::{HashMap, SideMap};
use crate::ir::text::lexer::Token;
use crate::loops::{BufferId, ExprId, Program, ReductionOp, text};
use crate::meta::text::{Result, TextError};
use crate::types::SymInt;
use std::sync::Arc;

/// A program and its schedule.
#[derive(Debug)]
pub struct Read {
    pub program: Program,
    pub schedule: Schedule,
}

/// Reads the text of a scheduled program and, behind it, that of its groups.
pub fn parse(text: &str) -> Result<Read> {
    let mut reader = Reader { loops: text::Reader::of(text)? };
    let none = reader.loops.program.syms.constant(0);
    let mut schedule = Schedule {
        init: Vec::new(),
        main: Vec::new(),
        launches: Vec::new(),
        steps: Vec::new(),
        placements: Placements::of_text(SideMap::new(), none),
        held_twice: Vec::new(),
        decisions: Vec::new(),
        costs: Vec::new(),
    };
    while !reader.takes("arena") {
        reader.entry(&mut schedule)?;
    }
    reader.loops.text.cursor.word("of")?;
    schedule.placements.arena_bytes = reader.loops.text.size()?;
    reader.loops.text.cursor.word("bytes")?;
    reader.loops.text.cursor.end()?;
    Ok(Read { program: reader.loops.program, schedule })
}

struct Reader {
    loops: text::Reader,
}

impl Reader {
    fn takes(&mut self, word: &str) -> bool {
        self.loops.text.cursor.take_word(word)
    }
    fn words(&mut self, words: &[&str]) -> Result<()> {
        words.iter().try_for_each(|word| self.loops.text.cursor.word(word))
    }
    fn at_word(&self, word: &str) -> bool {
        matches!(self.loops.text.cursor.peek(), Token::Word(w) if w == word)
    }
    fn at_buffer(&self) -> bool {
        matches!(self.loops.text.cursor.peek(), Token::Word(w) if self.loops.buffers.contains_key(w))
    }

    /// A group, a control node, or where a buffer lies.
    fn entry(&mut self, schedule: &mut Schedule) -> Result<()> {
        let place = self.loops.text.cursor.place();
        if self.at_buffer() {
            let buffer = self.loops.buffer()?;
            self.words(&["lies", "in"])?;
            let found = self.placement()?;
            schedule.placements.of.insert(buffer, found);
        } else if self.takes("init") {
            self.loops.number()?;
            let group = self.group()?;
            schedule.init.push(group);
        } else if self.takes("control") {
            let node = self.node()?;
            schedule.steps.push(Step::Control(node));
        } else {
            self.loops.text.cursor.word("launch")?;
            let number = self.loops.number()?;
            let group = self.group()?;
            schedule.main.push(group);
            let (end, count) = (schedule.main.len(), schedule.launches.len());
            match schedule.launches.last_mut() {
                Some(last) if number + 1 == count => last.end = end,
                _ if number == count => {
                    schedule.steps.push(Step::Launch(number));
                    schedule.launches.push(end - 1..end);
                }
                _ => return Err(TextError::new(place, "launches are numbered in order, from 0")),
            }
        }
        Ok(())
    }

    fn placement(&mut self) -> Result<Placement> {
        let at = |reader: &mut Reader| {
            reader.loops.text.cursor.word("at")?;
            reader.loops.number().map(|n| n as u64)
        };
        Ok(match () {
            () if self.takes("input") => Placement::Input(self.loops.number()?),
            () if self.takes("constant") => Placement::Constant(self.loops.number()?),
            () if self.takes("output") => Placement::Output(self.loops.number()?),
            () if self.takes("slot") => Placement::Slot(self.loops.number()?),
            () if self.takes("derived") => Placement::Derived(at(self)?),
            () if self.takes("semaphores") => Placement::Semaphores(at(self)?),
            () => {
                self.words(&["arena", "at"])?;
                Placement::Arena(self.loops.text.size()?)
            }
        })
    }

    fn node(&mut self) -> Result<usize> {
        let place = self.loops.text.cursor.place();
        match self.loops.number()? {
            node if node < self.loops.program.nodes.len() => Ok(node),
            node => Err(TextError::new(place, format!("there is no node {node}"))),
        }
    }

    fn buffers(&mut self, word: &str) -> Result<Vec<BufferId>> {
        if self.takes(word) { self.loops.buffer_list() } else { Ok(Vec::new()) }
    }

    fn group(&mut self) -> Result<Group> {
        self.loops.text.cursor.sign(":")?;
        let mut kind = self.kind()?;
        let operators = self.loops.operators()?;
        let [reads, writes, updates] = ["reads", "writes", "updates"].map(|word| self.buffers(word));
        let (reads, writes, updates) = (reads?, writes?, updates?);
        match &mut kind {
            GroupKind::Loops(loops) => *loops = self.loops()?,
            GroupKind::Template { dims, epilogue, routine, unpacked, .. } => {
                if self.takes("library") {
                    *routine = Some(self.loops.routine()?);
                }
                if self.takes("unpacked") {
                    *unpacked = Some(Arc::new(self.unpacked()?));
                }
                let space: Vec<_> = (0..).zip(dims.iter().copied()).collect();
                *epilogue = self.items(&space, &mut HashMap::default())?;
            }
            GroupKind::RowColumnReduction(both) => {
                both.columns = self.loops()?;
                self.words(&["rows", "of", "the", "same"])?;
                let inner = both.columns.stages.first().map(|s| s.inner.clone()).unwrap_or_default();
                both.rows = self.items(&space(&both.columns.outer, &inner), &mut HashMap::default())?;
            }
            GroupKind::Pack { .. } | GroupKind::Standalone { .. } => {}
        }
        let mut last = Vec::new();
        while self.takes("last") {
            last.push(self.last()?);
        }
        let workspace = match self.buffers("workspace")? {
            buffers if buffers.is_empty() => None,
            buffers => Some(Workspace { semaphores: self.counted()?, buffers }),
        };
        Ok(Group { kind, reads, writes, updates, operators, last, workspace })
    }

    /// The kind of a group, whose body is not read yet.
    fn kind(&mut self) -> Result<GroupKind> {
        let empty = || Loops { outer: Vec::new(), stages: Vec::new(), row_buffers: HashMap::default() };
        Ok(match () {
            () if self.takes("loops") => GroupKind::Loops(empty()),
            () if self.takes("rows") => {
                self.words(&["and", "columns"])?;
                GroupKind::RowColumnReduction(RowColumnReduction { columns: empty(), rows: Vec::new() })
            }
            () if self.takes("packing") => {
                self.words(&["for", "node"])?;
                let node = self.node()?;
                self.words(&["into"])?;
                GroupKind::Pack { node, out: self.loops.buffer()? }
            }
            () if self.takes("node") => {
                let node = self.node()?;
                self.words(&["alone"])?;
                GroupKind::Standalone { node }
            }
            () => {
                self.words(&["template", "of", "node"])?;
                let node = self.node()?;
                self.words(&["dims"])?;
                let dims = self.loops.text.sizes()?;
                let packed = if self.takes("packed") { Some(self.loops.buffer()?) } else { None };
                let vendor = self.takes("for");
                if vendor {
                    self.words(&["a", "library"])?;
                }
                let (epilogue, routine, unpacked) = (Vec::new(), None, None);
                GroupKind::Template { node, packed, unpacked, dims, epilogue, vendor, routine }
            }
        })
    }

    fn counted(&mut self) -> Result<BufferId> {
        self.words(&["counted", "in"])?;
        self.loops.buffer()
    }

    fn last(&mut self) -> Result<Last> {
        self.words(&["block", "of"])?;
        let waits = match () {
            () if self.takes("all") => {
                self.words(&["rows"])?;
                Waits::All
            }
            () if self.takes("neighbours") => Waits::Neighbours(self.loops.text.size()?),
            () if self.takes("apart") => Waits::Apart(self.loops.text.size()?),
            () => {
                self.words(&["a", "panel"])?;
                Waits::Panel
            }
        };
        let semaphores = self.counted()?;
        Ok(Last { loops: self.loops()?, waits, semaphores })
    }

    fn loops(&mut self) -> Result<Loops> {
        self.words(&["rows"])?;
        let outer = self.loops.text.sizes()?;
        let (mut stages, mut row_buffers) = (Vec::new(), HashMap::default());
        while self.takes("inner") {
            let inner = self.loops.text.sizes()?;
            let items = self.items(&space(&outer, &inner), &mut row_buffers)?;
            stages.push(Stage { inner, items });
        }
        Ok(Loops { outer, stages, row_buffers })
    }

    /// Items over the variables of these positions and sizes, and the buffers of a row that they fill.
    fn items(
        &mut self,
        space: &[(u32, SymInt)],
        row_buffers: &mut HashMap<BufferId, RowBuffer>,
    ) -> Result<Vec<Item>> {
        self.loops.enter_variables(space, text::MOST_VARIABLES);
        let mut items = Vec::new();
        loop {
            self.loops.named_values()?;
            if self.at_buffer() && !self.loops.text.cursor.second_is_word("lies") {
                items.push(self.item()?);
            } else if self.at_word("row") {
                self.takes("row");
                let buffer = self.loops.buffer()?;
                let offset = self.offset()?;
                self.words(&["of"])?;
                row_buffers.insert(buffer, RowBuffer { elements: self.loops.text.size()?, offset });
            } else {
                self.loops.enter_variables(&[], 0);
                return Ok(items);
            }
        }
    }

    fn offset(&mut self) -> Result<SymInt> {
        self.loops.text.cursor.sign("[")?;
        let offset = self.loops.text.size()?;
        self.loops.text.cursor.sign("]")?;
        Ok(offset)
    }

    fn item(&mut self) -> Result<Item> {
        let place = self.loops.text.cursor.place();
        let outs = self.loops.buffer_list()?;
        let offset = self.offset()?;
        self.loops.text.cursor.sign("=")?;
        let op = match self.loops.text.cursor.second_is_word("of") {
            true => {
                let op = self.loops.spelled::<ReductionOp>("a reduction")?;
                self.words(&["of"])?;
                Some(op)
            }
            false => None,
        };
        let value = self.loops.value()?;
        self.words(&["by", "node"])?;
        let node = self.node()?;
        Ok(match (op, outs.as_slice()) {
            (Some(op), _) => Item::Reduce { node, op, value, outs, offset },
            (None, [buffer]) => Item::Store { node, buffer: *buffer, offset, value },
            (None, _) => return Err(TextError::new(place, "a store has one buffer")),
        })
    }

    fn unpacked(&mut self) -> Result<Unpacked> {
        let place = self.loops.text.cursor.place();
        let mut numbers = [0; 3];
        for (number, word) in numbers.iter_mut().zip(["columns", "group", "phase"]) {
            self.words(&[word])?;
            *number = self.loops.text.cursor.integer()?;
        }
        self.words(&["digits"])?;
        let sizes = self.loops.text.sizes()?;
        self.words(&["from"])?;
        let first = match self.loops.text.cursor.next() {
            Token::Word(word) => word.strip_prefix('i').and_then(|n| n.parse::<u8>().ok()),
            _ => None,
        };
        let (Some(first), Ok(sizes)) = (first, <[SymInt; 6]>::try_from(sizes)) else {
            return Err(TextError::new(place, "expected six digits and the first one's variable"));
        };
        let syms = Arc::clone(&self.loops.program.syms);
        let space: Vec<(u32, SymInt)> = (u32::from(first)..).zip(sizes).collect();
        self.loops.enter_variables(&space, text::MOST_VARIABLES);
        let mut part = |word: &str| -> Result<Option<ExprId>> {
            self.loops.named_values()?;
            if !self.takes(word) {
                return Ok(None);
            }
            self.loops.text.cursor.sign("=")?;
            self.loops.value().map(Some)
        };
        let (value, scale, offset) = (part("value")?, part("scale")?, part("offset")?);
        let value = value.ok_or_else(|| TextError::new(place, "expected `value = …`"))?;
        let mut digits =
            space.iter().map(|(k, size)| Digit { variable: syms.index_var(*k, *size), size: *size });
        let digits = std::array::from_fn(|_| digits.next().expect("there are six digits"));
        let [columns, group, phase] = numbers;
        Ok(Unpacked { columns, group, phase, digits, value, scale, offset })
    }
}

/// The variables of rows and of inner loops, by position.
fn space(outer: &[SymInt], inner: &[SymInt]) -> Vec<(u32, SymInt)> {
    let outer = (0..).zip(outer.iter().copied());
    outer.chain((INNER..).zip(inner.iter().copied())).collect()
}
