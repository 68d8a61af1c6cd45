//! Man pages and completions, made of the command line's own description.

use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::failure::{EXIT_CODES, Failure};
use crate::output::Output;
use clap::CommandFactory;
use serde_json::json;
use std::path::Path;

/// A page: clap_mangen's, with exit codes and environment as sections of their own.
fn page(command: clap::Command) -> Vec<u8> {
    let man = clap_mangen::Man::new(command);
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = man.render(&mut text);
    text
}

/// The pages by their file names: `litz.1`, `litz-run.1`, ….
fn pages() -> Vec<(String, Vec<u8>)> {
    let mut command = Args::command();
    command.build();
    let mut all = vec![("litz.1".to_string(), page(command.clone()))];
    for sub in command.get_subcommands().filter(|c| c.get_name() != "help") {
        let name = format!("litz-{}", sub.get_name());
        let sub = sub.clone().after_long_help(EXIT_CODES);
        all.push((format!("{name}.1"), page(sub)));
    }
    all
}

pub fn man(args: &ManArgs, output: &Output) -> Result<(), Failure> {
    let wrong = |path: &Path, e: std::io::Error| Failure::input(path, e);
    let Some(folder) = &args.output else {
        told(output, "page", &pages()[0].1);
        return Ok(());
    };
    std::fs::create_dir_all(folder).map_err(|e| wrong(folder, e))?;
    let mut written = Vec::new();
    for (name, text) in pages() {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| wrong(&path, e))?;
        written.push(path.display().to_string());
    }
    output.answer(&json!({"written": written}), |_| {});
    Ok(())
}

pub fn completions(args: &CompletionsArgs, output: &Output) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "litz", &mut text);
    told(output, "script", &text);
    Ok(())
}

/// A text as it is, or as a member of the JSON document.
fn told(output: &Output, key: &str, text: &[u8]) {
    output.answer(&json!({key: String::from_utf8_lossy(text)}), |output| output.write(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_is_sound_and_every_command_has_a_page() {
        Args::command().debug_assert();
        let pages = pages();
        for (name, text) in &pages {
            let text = String::from_utf8_lossy(text);
            assert!(text.contains(".SH SYNOPSIS") && text.contains("Exit codes"), "{name}: {text}");
        }
        assert_eq!(pages.len(), Args::command().get_subcommands().count() + 1);
    }
}
