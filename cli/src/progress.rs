//! How far a compilation is: a bar on a terminal, and a record of stages for the answer. Both listen to the trace.

use crate::failure::Failure;
use crate::output::Output;
use indicatif::{ProgressBar, ProgressStyle};
use litz_api::Options;
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// The stages, in order, as `stage` events name them when they end.
const STAGES: [&str; 10] = [
    "functionalize",
    "decompose",
    "passes",
    "lower",
    "bounds",
    "loop_passes",
    "schedule",
    "codegen",
    "build",
    "link",
];

/// What was heard of a compilation.
#[derive(Default)]
pub struct Heard {
    /// Stages and their seconds, in the order in which they ended.
    pub stages: Vec<(String, f64)>,
    pub kernels: u64,
    /// `hit`, `miss` or `none`.
    pub cache: String,
    pub candidates: u64,
    pub fallbacks: Vec<Value>,
    pub seconds: f64,
    /// The artifact that was written, as the log names it: in a folder its content decides the name.
    pub artifact: Option<String>,
}

pub struct Progress {
    bar: Option<ProgressBar>,
    heard: Arc<Mutex<Heard>>,
}

impl Progress {
    /// Listens to compilations with these options.
    pub fn begin(options: &mut Options, output: &Output) -> Result<Progress, Failure> {
        let bar = output.bars.then(|| {
            let bar = ProgressBar::new(STAGES.len() as u64);
            let style = ProgressStyle::with_template("{spinner} {bar:24} {pos}/{len} {elapsed:>4} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message("reading");
            bar.enable_steady_tick(std::time::Duration::from_millis(100));
            bar
        });
        let heard = Arc::new(Mutex::new(Heard::default()));
        let (listener, shown) = (heard.clone(), bar.clone());
        options.set_trace(move |line| {
            let Ok(event) = serde_json::from_str::<Value>(line) else { return };
            let Ok(mut heard) = listener.lock() else { return };
            let message = heard.hear(&event);
            if let (Some(bar), Some(message)) = (&shown, message) {
                bar.set_position(heard.stages.len().min(STAGES.len()) as u64);
                bar.set_message(message);
            }
        })?;
        Ok(Progress { bar, heard })
    }

    /// Takes the bar away.
    pub fn end(self) -> Heard {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.heard.lock().map(|mut h| std::mem::take(&mut *h)).unwrap_or_default()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Heard {
    /// Takes note of an event; what a bar says then.
    fn hear(&mut self, event: &Value) -> Option<String> {
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_string();
        match event["event"].as_str()? {
            "compile_begin" => Some(format!("{}: {}", text("name"), STAGES[0])),
            "stage" => {
                let stage = text("stage");
                let after = STAGES.iter().position(|s| *s == stage).and_then(|k| STAGES.get(k + 1));
                self.stages.push((stage.clone(), event["seconds"].as_f64().unwrap_or(0.0)));
                Some(match after {
                    Some(&"build") => "build: the compiler works on kernels".to_string(),
                    Some(next) => (*next).to_string(),
                    None => stage,
                })
            }
            "kernel" => {
                self.kernels += 1;
                None
            }
            "candidate" => {
                self.candidates += 1;
                Some(format!("autotuning: {} timed, {} {}", self.candidates, text("product"), text("way")))
            }
            "cache" => {
                self.cache = text("outcome");
                Some(format!("cache: {}", text("outcome")))
            }
            "fallback" => {
                self.fallbacks.push(event.clone());
                None
            }
            "message" => {
                let message = text("text");
                let named =
                    message.strip_prefix("the artifact is `").and_then(|m| m.split_once("`, SHA-256"));
                self.artifact = named.map(|(path, _)| path.to_string()).or(self.artifact.take());
                None
            }
            "compile_end" => {
                self.seconds += event["seconds"].as_f64().unwrap_or(0.0);
                self.cache = text("cache");
                Some("done".to_string())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_become_words() {
        let mut heard = Heard::default();
        let stage = json!({"event": "stage", "stage": "passes", "seconds": 0.5});
        assert_eq!(heard.hear(&stage).as_deref(), Some("lower"));
        let stage = json!({"event": "stage", "stage": "codegen", "seconds": 0.25});
        assert_eq!(heard.hear(&stage).as_deref(), Some("build: the compiler works on kernels"));
        assert_eq!(heard.hear(&json!({"event": "kernel"})), None);
        let candidate = json!({"event": "candidate", "product": "8x8x8", "way": "own"});
        assert_eq!(heard.hear(&candidate).as_deref(), Some("autotuning: 1 timed, 8x8x8 own"));
        heard.hear(&json!({"event": "compile_end", "seconds": 2.0, "cache": "miss"}));
        assert_eq!((heard.stages.len(), heard.kernels, heard.cache.as_str()), (2, 1, "miss"));
    }
}
