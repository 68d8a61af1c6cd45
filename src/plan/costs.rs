//! What the kernels of a run move and compute, by the sizes of the run: scalars that a plan has only where runs are profiled.
//!
//! The metadata hold them as JSON, so that an artifact can be profiled, too. A run that is not profiled computes none of them.

use super::{Plan, PlanError, ScalarId, ScalarOp};
use crate::base::json;
use serde_json::Value;

/// Scalars behind those of a plan, and which of all are the bytes and operations of each kernel of a run, in the order of the
/// plan's steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Costs {
    pub scalars: Vec<ScalarOp>,
    pub of: Vec<[ScalarId; 2]>,
}

impl Costs {
    pub fn to_json(&self) -> Value {
        if self.of.is_empty() {
            return Value::Null;
        }
        let row = |scalar: &ScalarOp| {
            let (op, [a, b, c], value) = scalar.numbers();
            json!([op, a, b, c, value])
        };
        let of: Vec<[u32; 2]> = self.of.iter().map(|pair| pair.map(|s| s.0)).collect();
        json!({"scalars": self.scalars.iter().map(row).collect::<Vec<_>>(), "of": of})
    }

    /// Those of a program's metadata, if they have any.
    pub fn of_metadata(metadata: &Value) -> Result<Costs, PlanError> {
        let Some(json) = metadata["costs"].as_object() else { return Ok(Costs::default()) };
        let u32_at = |list: &[Value], k: usize| u32::try_from(list.get(k)?.as_u64()?).ok();
        let scalar = |row: &Value| -> Option<ScalarOp> {
            let row = row.as_array()?;
            let operands = [u32_at(row, 1)?, u32_at(row, 2)?, u32_at(row, 3)?];
            ScalarOp::of_numbers(u32_at(row, 0)?, operands, row.get(4)?.as_i64()?)
        };
        let pair = |pair: &Value| -> Option<[ScalarId; 2]> {
            let pair = pair.as_array()?;
            Some([u32_at(pair, 0)?, u32_at(pair, 1)?].map(ScalarId))
        };
        let list = |key: &str| json.get(key).and_then(Value::as_array).into_iter().flatten();
        let costs = Costs {
            scalars: list("scalars").filter_map(scalar).collect(),
            of: list("of").filter_map(pair).collect(),
        };
        let sound = costs.scalars.len() == list("scalars").count() && costs.of.len() == list("of").count();
        if sound { Ok(costs) } else { Err(PlanError::damaged("the costs of its kernels")) }
    }

    /// Gives the plan the scalars.
    pub fn add_to(&self, plan: &mut Plan) -> Result<(), PlanError> {
        plan.scalars.extend(self.scalars.iter().copied());
        let length = plan.scalars.len();
        if let Some(id) = self.of.iter().flatten().find(|id| id.0 as usize >= length) {
            return Err(PlanError::Range {
                user: "a kernel's cost".into(),
                table: "scalars",
                index: id.0,
                length,
            });
        }
        plan.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::sample;
    use crate::types::Calculation;

    #[test]
    fn costs_survive_their_json() {
        let mut plan = sample();
        let n = plan.scalars.len() as u32;
        let costs = Costs {
            scalars: vec![
                ScalarOp::Constant(i64::MAX),
                ScalarOp::Symbol(0),
                ScalarOp::Mul(ScalarId(n), ScalarId(n + 1)),
                ScalarOp::Calculate(Calculation::ALL[1], [ScalarId(n); 3]),
            ],
            of: vec![[ScalarId(n + 2), ScalarId(0)]],
        };
        let json: Value = serde_json::from_str(&json!({"costs": costs.to_json()}).to_string()).unwrap();
        assert_eq!(Costs::of_metadata(&json).unwrap(), costs);
        costs.add_to(&mut plan).unwrap();
        assert_eq!(plan.scalars.len() as u32, n + 4);
        // None, and what earlier versions wrote.
        assert_eq!(Costs::default().to_json(), Value::Null);
        for none in [json!({}), json!({"costs": null}), json!({"costs": [[1, 2]]})] {
            assert_eq!(Costs::of_metadata(&none).unwrap(), Costs::default());
        }
    }

    #[test]
    fn what_is_damaged_is_an_error() {
        for wrong in [
            json!({"scalars": [[99, 0, 0, 0, 0]], "of": []}),
            json!({"scalars": [[0, 0, 0, 0]], "of": []}),
            json!({"scalars": [], "of": [[1]]}),
            json!({"scalars": [], "of": [[-1, 0]]}),
        ] {
            assert!(Costs::of_metadata(&json!({"costs": wrong})).is_err(), "{wrong}");
        }
        let far = ScalarId(1000);
        let outside = Costs { scalars: Vec::new(), of: vec![[far, far]] };
        assert!(outside.add_to(&mut sample()).is_err());
        let later = Costs { scalars: vec![ScalarOp::Not(far)], of: Vec::new() };
        assert!(later.add_to(&mut sample()).is_err());
    }
}
