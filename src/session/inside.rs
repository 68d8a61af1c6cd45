//! What is kept of a compilation for pictures and reports, and how an artifact holds it: as JSON, which no program reads.
//!
//! Deliberately absent: the pictures and pages (see `report`).

use super::SessionError;
use super::variants::Variant;
use crate::base::{HashMap, Status, json};
use crate::codegen::Kernel;
use crate::loops::Program;
use crate::picture::Outline;
use crate::schedule::{Schedule, Span};
use crate::target::Isa;
use serde_json::{Map, Value};

/// See the module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inside {
    /// The source of each kernel, by symbol.
    pub sources: HashMap<String, String>,
    /// What lies in the arena, and when.
    pub spans: Vec<Span>,
    pub steps: usize,
}

impl Inside {
    pub fn of(program: &Program, schedule: &Schedule, kernels: HashMap<String, Kernel>) -> Inside {
        Inside {
            sources: kernels.into_iter().map(|(symbol, kernel)| (symbol, kernel.body)).collect(),
            spans: schedule.placements.spans(program),
            steps: schedule.steps.len(),
        }
    }

    fn json(&self) -> Value {
        let sources: Map<String, Value> =
            self.sources.iter().map(|(symbol, text)| (symbol.clone(), text.as_str().into())).collect();
        let spans: Vec<Value> =
            self.spans.iter().map(|s| json!([s.offset, s.bytes, s.first, s.last])).collect();
        json!({"sources": sources, "memory": spans, "steps": self.steps})
    }

    fn read(json: &Value) -> Option<Inside> {
        let source = |(symbol, text): (&String, &Value)| Some((symbol.clone(), text.as_str()?.to_string()));
        let span = |s: &Value| {
            let place = |k: usize| usize::try_from(s.get(k)?.as_u64()?).ok();
            let (offset, bytes) = (s.get(0)?.as_i64()?, s.get(1)?.as_i64()?);
            Some(Span { offset, bytes, first: place(2)?, last: place(3)? })
        };
        Some(Inside {
            sources: json["sources"].as_object()?.iter().map(source).collect::<Option<_>>()?,
            spans: json["memory"].as_array()?.iter().map(span).collect::<Option<_>>()?,
            steps: usize::try_from(json["steps"].as_u64()?).ok()?,
        })
    }
}

/// The notes of an artifact.
pub fn notes(outline: &Outline, variants: &[Variant]) -> Vec<u8> {
    let programs: Map<String, Value> =
        variants.iter().map(|v| (v.isa.name().to_string(), v.inside.json())).collect();
    json!({"outline": outline.json(), "programs": programs}).to_string().into_bytes()
}

/// What [`notes`] wrote of the program for an instruction set.
pub fn read_notes(notes: &[u8], isa: Isa) -> Result<(Outline, Inside), SessionError> {
    let read = || {
        let notes: Value = serde_json::from_slice(notes).ok()?;
        Some((Outline::read(&notes["outline"])?, Inside::read(&notes["programs"][isa.name()])?))
    };
    read().ok_or_else(|| SessionError::Option {
        status: Status::Parse,
        message:
            "the graph that the artifact holds is of a form that this library does not read; make it again"
                .into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    #[test]
    fn notes_come_back_for_each_instruction_set() {
        let text = "graph \"g\" {\n  input %0 \"x\": float32[3]\n  %1 = aten.relu.default(%0)\n  output \"y\" = %1\n}\n";
        let outline = Outline::of(&crate::meta::text::parse(text).unwrap());
        let inside = |steps: usize| Inside {
            sources: [("k0".to_string(), format!("int a{steps};\n"))].into_iter().collect(),
            spans: vec![Span { offset: 64, bytes: -1, first: 0, last: steps }],
            steps,
        };
        let variant =
            |isa, steps| Variant { isa, ..Variant::without_objects(Plan::default(), inside(steps)) };
        let list = [variant(Isa::Scalar, 1), variant(Isa::Avx2, 2)];
        let bytes = notes(&outline, &list);
        for v in &list {
            let (read, own) = read_notes(&bytes, v.isa).unwrap();
            assert_eq!((&read, &own), (&outline, &v.inside));
        }
        assert!(read_notes(&bytes, Isa::Avx512).is_err());
        assert!(read_notes(&bytes[1..], Isa::Scalar).is_err());
        // A node uses earlier ones alone.
        let wrong = String::from_utf8(bytes).unwrap().replace("[0,\"float32[3]\"]", "[7,\"float32[3]\"]");
        assert!(read_notes(wrong.as_bytes(), Isa::Scalar).is_err());
    }
}
