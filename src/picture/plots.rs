//! The plots of a program's page, as SVG: its kernels under the machine's roofline, and its memory over the steps of a run.

use super::report::{KernelRow, Limits, amount, bytes, time};
use super::svg::escaped;
use crate::base::StableSort;
use crate::schedule::Span;
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 46.0;

/// An axis in powers of ten.
struct Decades {
    low: i32,
    high: i32,
}

impl Decades {
    fn of(values: impl Iterator<Item = f64>) -> Decades {
        let (mut low, mut high) = (i32::MAX, i32::MIN);
        for value in values.filter(|v| *v > 0.0 && v.is_finite()) {
            low = low.min(value.log10().floor() as i32);
            high = high.max(value.log10().ceil() as i32);
        }
        if low >= high {
            Decades { low: low.min(0), high: low.saturating_add(1).max(1) }
        } else {
            Decades { low, high }
        }
    }
    /// Where a value lies, from 0 to 1.
    fn at(&self, value: f64) -> f64 {
        (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low)
    }
}

fn x(part: f64) -> f64 {
    LEFT + part * (WIDTH - LEFT - RIGHT)
}
fn y(part: f64) -> f64 {
    HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)
}

fn begin(id: &str, title: &str, about: &str) -> String {
    format!(
        "<section id=\"{id}\"><h2>{title}</h2><p class=\"about\">{about}</p>\
         <svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\"><title>{title}</title>\n"
    )
}

fn none(id: &str, title: &str, why: &str) -> String {
    format!("<section id=\"{id}\"><h2>{title}</h2><p class=\"none\">{why}</p></section>\n")
}

/// The rates that kernels reach, over operations per byte. A kernel without a time lies on the roof, hollow.
pub fn roofline(kernels: &[KernelRow], limits: Option<Limits>) -> String {
    const TITLE: &str = "Roofline";
    let Some(limits) = limits else {
        return none("roofline", TITLE, "The machine that the program is for was not measured.");
    };
    let roof = |intensity: f64| (limits.bytes_per_second * intensity).min(limits.flop_per_second);
    let points: Vec<(usize, f64, f64, bool)> = kernels
        .iter()
        .enumerate()
        .filter(|(_, k)| !k.once)
        .filter_map(|(n, k)| {
            let intensity = k.intensity()?;
            let reached = k.seconds.filter(|s| *s > 0.0).and_then(|s| Some(k.flop? / s));
            Some((n, intensity, reached.unwrap_or(roof(intensity)), reached.is_some()))
        })
        .collect();
    let ridge = limits.flop_per_second / limits.bytes_per_second;
    let peaks = [Some(limits.flop_per_second), limits.tensor_flop_per_second].into_iter().flatten();
    let across = Decades::of(points.iter().map(|p| p.1).chain([ridge / 30.0, ridge * 30.0]));
    let up =
        Decades::of(points.iter().map(|p| p.2).chain(peaks.clone()).chain([roof(10f64.powi(across.low))]));
    let about = format!(
        "Measured limits: {}/s of memory, {}/s. A point is a kernel; a hollow one has no time yet and lies where the limit is.",
        bytes(limits.bytes_per_second),
        amount(limits.flop_per_second, "FLOP")
    );
    let tensor = limits.tensor_flop_per_second.map(|peak| {
        format!(" Tensor cores: {}/s with halves by their clock, the dashed line.", amount(peak, "FLOP"))
    });
    let mut out = begin("roofline", TITLE, &(about + &tensor.unwrap_or_default()));
    for power in across.low..=across.high {
        let at = x(across.at(10f64.powi(power)));
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{:.1}\"/>",
            HEIGHT - BOTTOM
        );
        let _ = writeln!(
            out,
            "<text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\">{}</text>",
            HEIGHT - BOTTOM + 16.0,
            power_text(power)
        );
    }
    for power in up.low..=up.high {
        let at = y(up.at(10f64.powi(power)));
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\"/>",
            WIDTH - RIGHT
        );
        let text = amount(10f64.powi(power), "FLOP/s");
        let _ = writeln!(
            out,
            "<text class=\"tick side\" x=\"{:.1}\" y=\"{:.1}\">{text}</text>",
            LEFT - 6.0,
            at + 3.0
        );
    }
    let mut corners = vec![10f64.powi(across.low), ridge, 10f64.powi(across.high)];
    corners.retain(|c| (across.low..=across.high).contains(&(c.log10().round() as i32)));
    let line: Vec<String> =
        corners.iter().map(|c| format!("{:.1},{:.1}", x(across.at(*c)), y(up.at(roof(*c))))).collect();
    let _ = writeln!(out, "<polyline class=\"roof\" points=\"{}\"/>", line.join(" "));
    if let Some(peak) = limits.tensor_flop_per_second {
        let (from, to) = (peak / limits.bytes_per_second, 10f64.powi(across.high));
        let start = from.min(to).max(10f64.powi(across.low));
        let _ = writeln!(
            out,
            "<polyline class=\"roof\" stroke-dasharray=\"6 4\" points=\"{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\"/>",
            x(across.at(ridge.clamp(10f64.powi(across.low), to))),
            y(up.at(limits.flop_per_second)),
            x(across.at(start)),
            y(up.at(peak.min(limits.bytes_per_second * start))),
            x(across.at(to)),
            y(up.at(peak.min(limits.bytes_per_second * to)))
        );
    }
    for (n, intensity, reached, timed) in points {
        let kernel = &kernels[n];
        let class = if timed { "point" } else { "point hollow" };
        let mut tip = format!("{n} · {}: {intensity:.2} FLOP/byte", kernel.kind);
        if let Some(seconds) = kernel.seconds {
            let _ = write!(tip, ", {} FLOP/s in {}", amount(reached, ""), time(seconds));
        }
        let _ = writeln!(
            out,
            "<circle class=\"{class}\" data-kernel=\"{n}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\"><title>{}</title></circle>",
            x(across.at(intensity)),
            y(up.at(reached)),
            escaped(&tip)
        );
    }
    let _ = writeln!(
        out,
        "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\">FLOP per byte</text></svg></section>",
        x(0.5),
        HEIGHT - 8.0
    );
    out
}

fn power_text(power: i32) -> String {
    match power {
        0..=3 => format!("{}", 10f64.powi(power)),
        -3..=-1 => format!("{:.*}", -power as usize, 10f64.powi(power)),
        _ => format!("1e{power}"),
    }
}

/// The arena: a rectangle for each value, from the step that makes it to the last that uses it, at its addresses; above
/// them how much lives at each step.
pub fn memory(spans: &[Span], steps: usize) -> String {
    const TITLE: &str = "Memory over time";
    let end = spans.iter().map(|s| s.offset.saturating_add(s.bytes)).max().unwrap_or(0);
    if end <= 0 || steps == 0 {
        return none("memory", TITLE, "A run needs no memory for intermediate results.");
    }
    let live = |step: usize| -> i64 {
        let mut held: Vec<(i64, i64)> = spans
            .iter()
            .filter(|s| (s.first..=s.last).contains(&step))
            .map(|s| (s.offset, s.offset + s.bytes))
            .collect();
        held.stable_sort();
        // Values may share memory, in which one is written over the other.
        let (mut reached, mut total) = (0, 0);
        for (begin, end) in held {
            total += (end - begin.max(reached)).max(0);
            reached = reached.max(end);
        }
        total
    };
    let lives: Vec<i64> = (0..steps).map(live).collect();
    let most = lives.iter().copied().max().unwrap_or(0);
    let about = format!(
        "The arena has {}; at most {} of it is in use. Each rectangle is a value: the steps that it lives for, at its addresses.",
        bytes(end as f64),
        bytes(most as f64)
    );
    let mut out = begin("memory", TITLE, &about);
    let (wide, high) = (1.0 / steps as f64, 1.0 / end as f64);
    for k in 0..=4 {
        let part = f64::from(k) / 4.0;
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{0:.1}\" x2=\"{1:.1}\" y2=\"{0:.1}\"/>",
            y(part),
            WIDTH - RIGHT
        );
        let text = bytes(end as f64 * part);
        let _ = writeln!(
            out,
            "<text class=\"tick side\" x=\"{:.1}\" y=\"{:.1}\">{text}</text>",
            LEFT - 6.0,
            y(part) + 3.0
        );
    }
    for (k, span) in spans.iter().enumerate() {
        let (left, right) = (x(span.first as f64 * wide), x((span.last + 1) as f64 * wide));
        let (top, bottom) = (y((span.offset + span.bytes) as f64 * high), y(span.offset as f64 * high));
        let tip =
            format!("{} at {}, steps {} to {}", bytes(span.bytes as f64), span.offset, span.first, span.last);
        let _ = writeln!(
            out,
            "<rect class=\"span\" style=\"--hue:{}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{tip}</title></rect>",
            k * 47 % 360,
            (right - left).max(0.8),
            (bottom - top).max(0.8)
        );
    }
    let mut line = String::new();
    for (step, live) in lives.iter().enumerate() {
        let at = y(*live as f64 * high);
        let _ =
            write!(line, "{:.1},{at:.1} {:.1},{at:.1} ", x(step as f64 * wide), x((step + 1) as f64 * wide));
    }
    let _ = writeln!(out, "<polyline class=\"live\" points=\"{}\"/>", line.trim_end());
    let _ = writeln!(
        out,
        "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\">{steps} steps of a run</text></svg></section>",
        x(0.5),
        HEIGHT - 8.0
    );
    out
}
