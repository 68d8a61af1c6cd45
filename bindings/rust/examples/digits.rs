//! Says which digit an image shows, with the convolutional network of `examples/digits`:
//! `cargo run --package litz-api --example digits -- examples/digits/digits_cnn.pt2`.

use litz_api::{Error, Graph, Options, RunOptions, Tensor};

/// A one, 8 by 8, as bright as the data set has it (0 to 16).
const IMAGE: [&str; 8] =
    ["00059000", "0005f900", "000bf700", "000ff500", "0008fc00", "0008fd00", "0006fe00", "00059900"];

fn main() -> Result<(), Error> {
    let path = std::env::args().nth(1).expect("digits MODEL.pt2");
    let options = Options::new()?;
    let program = Graph::from_pt2(&path, &options)?.compile(&options)?;
    let input = &program.inputs()[0];
    let pixels: Vec<f32> =
        IMAGE.concat().chars().map(|c| c.to_digit(16).expect("a digit") as f32 / 16.0).collect();
    let image =
        Tensor::from_slice(&input.min_shape.iter().map(|d| (*d).max(1)).collect::<Vec<_>>(), &pixels)?;
    let scores = program.run(&[&image], &RunOptions::default())?[0].to_vec::<f32>()?;
    let best = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).expect("ten scores");
    println!("it is a {best}");
    Ok(())
}
