//! Metadata of a joint graph: which results are the program's own, and to which input or parameter each gradient belongs.
//!
//! Deliberately absent: making joint graphs (`session::joint`), and the other entries of their metadata.

use crate::base::json;
use crate::ir::Graph;
use serde_json::Value as Json;

/// The key of the metadata.
pub const JOINT: &str = "joint";

/// The results of a joint graph: its own, and behind them a gradient each.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The number of the program's own results.
    pub outputs: usize,
    /// The result that was differentiated, where it is a single one and takes no cotangent.
    pub loss: Option<usize>,
    pub gradients: Vec<Gradient>,
}

/// The value that a gradient belongs to, by name.
#[derive(Clone, Debug, PartialEq)]
pub enum Gradient {
    Input(String),
    Parameter(String),
}

impl Gradient {
    /// The name of the input or the parameter.
    pub fn of(&self) -> &str {
        match self {
            Gradient::Input(name) | Gradient::Parameter(name) => name,
        }
    }
}

impl Joint {
    /// Reads the metadata of a graph. None where there is no such entry, or where it does not match the graph's results.
    pub fn of(graph: &Graph) -> Option<Joint> {
        let json: Json = serde_json::from_str(graph.spec.metadata.get(JOINT)?).ok()?;
        let place = |json: &Json| usize::try_from(json.as_u64()?).ok();
        let outputs = place(&json["outputs"])?;
        let mut gradients = Vec::new();
        for gradient in json["gradients"].as_array()?.iter().filter(|g| !g["output"].is_null()) {
            let name = gradient["of"]["name"].as_str()?.to_string();
            // They stand in the order of the results.
            if place(&gradient["output"])? != outputs + gradients.len() {
                return None;
            }
            gradients.push(match gradient["of"]["kind"].as_str()? {
                "input" => Gradient::Input(name),
                "parameter" => Gradient::Parameter(name),
                _ => return None,
            });
        }
        let loss = place(&json["loss"]).filter(|loss| *loss < outputs);
        (outputs + gradients.len() == graph.outputs.len()).then_some(Joint { outputs, loss, gradients })
    }

    /// The metadata of a program that is a joint graph already.
    pub fn metadata(&self, inputs: usize) -> String {
        let gradients = self.gradients.iter().enumerate().map(|(k, gradient)| {
            let kind = if matches!(gradient, Gradient::Input(_)) { "input" } else { "parameter" };
            json!({"of": {"kind": kind, "name": gradient.of()}, "output": self.outputs + k})
        });
        let gradients: Vec<Json> = gradients.collect();
        let (outputs, loss) = (self.outputs, self.loss);
        json!({"inputs": inputs, "outputs": outputs, "cotangents": [], "loss": loss, "gradients": gradients})
            .to_string()
    }
}
