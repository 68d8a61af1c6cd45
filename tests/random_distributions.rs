//! What random numbers are distributed like: moments, the distance of Kolmogorov and Smirnov, counts, and that neither nodes,
//! runs nor neighbours know of each other. Seeds are fixed, so that a test passes always or never.
//!
//! Every check is held against numbers that are a little wrong, too: it must not take those.

mod common;

use common::draws::{calls, doubles, floats, integers, program, run_from};
use libm::{erf, log1p};

const COUNT: usize = 20_000;
const SEED: u64 = 20_261_123;

/// The results of calls, as float64.
fn drawn(list: &[&str], seed: u64) -> Vec<Vec<f64>> {
    let e = program(&calls(list), &[("backend", "cpu")]);
    let (results, _) = run_from(&e, &[], seed, 0);
    let values = |t: &litz::runtime::Tensor| -> Vec<f64> {
        match t.dtype().name() {
            "float32" => floats(t).into_iter().map(f64::from).collect(),
            "float64" => doubles(t),
            "int64" => integers(t).into_iter().map(|v| v as f64).collect(),
            _ => t.bytes().iter().map(|b| f64::from(*b)).collect(),
        }
    };
    results.iter().map(values).collect()
}

/// The largest distance of the sample's distribution function from another one, times the root of the sample's size: above 1.95
/// once in a thousand samples, where the distribution is the other one (Kolmogorov and Smirnov).
fn distance(sample: &[f64], function: impl Fn(f64) -> f64) -> f64 {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let apart = |(k, v): (usize, &f64)| {
        let f = function(*v);
        (f - k as f64 / n).abs().max(((k + 1) as f64 / n - f).abs())
    };
    sorted.iter().enumerate().map(apart).fold(0.0, f64::max) * n.sqrt()
}
const FAR: f64 = 1.95;

/// How many standard deviations the counts are from what is expected, all together (the chi-square statistic as a normal number,
/// by Wilson and Hilferty).
fn surprise(counts: &[usize], expected: &[f64]) -> f64 {
    let total: f64 = counts.iter().zip(expected).map(|(c, e)| (*c as f64 - e).powi(2) / e).sum();
    let freedom = (counts.len() - 1) as f64;
    let spread = 2.0 / (9.0 * freedom);
    ((total / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
}
const SURPRISING: f64 = 3.3;

/// The correlation, times the root of the number of pairs: a normal number where there is none.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let mean = |v: &[f64]| v.iter().sum::<f64>() / n;
    let (ma, mb) = (mean(a), mean(b));
    let product = |f: &dyn Fn(usize) -> f64| (0..a.len()).map(f).sum::<f64>();
    let both = product(&|k| (a[k] - ma) * (b[k] - mb));
    let (va, vb) = (product(&|k| (a[k] - ma).powi(2)), product(&|k| (b[k] - mb).powi(2)));
    both / (va * vb).sqrt() * n.sqrt()
}

fn normal(x: f64) -> f64 {
    0.5 * (1.0 + erf(x / std::f64::consts::SQRT_2))
}

#[test]
fn floats_are_distributed_as_their_operators_say() {
    let n = COUNT;
    let like = format!("aten.empty.memory_format([{n}])");
    let list = [
        like.as_str(),
        &format!("aten.rand.default([{n}])"),
        &format!("aten.rand.default([{n}], dtype=float64)"),
        &format!("aten.randn.default([{n}])"),
        &format!("aten.randn.default([{n}], dtype=float64)"),
        "aten.uniform.default(%0, -2.0, 5.0)",
        "aten.normal_functional.default(%0, 1.0, 3.0)",
        "aten.exponential.default(%0, 0.5)",
        "aten.cauchy.default(%0, 1.0, 2.0)",
        "aten.log_normal.default(%0, 0.5, 0.75)",
    ];
    let values = drawn(&list, SEED);
    type Function = fn(f64) -> f64;
    let functions: [(&str, Function); 9] = [
        ("rand", |x| x),
        ("rand of float64", |x| x),
        ("randn", normal),
        ("randn of float64", normal),
        ("uniform", |x| (x + 2.0) / 7.0),
        ("normal", |x| normal((x - 1.0) / 3.0)),
        ("exponential", |x| 1.0 - (-0.5 * x).exp()),
        ("cauchy", |x| 0.5 + ((x - 1.0) / 2.0).atan() / std::f64::consts::PI),
        ("log_normal", |x| normal((x.ln() - 0.5) / 0.75)),
    ];
    for ((name, function), sample) in functions.iter().zip(&values[1..]) {
        let found = distance(sample, function);
        assert!(found < FAR, "{name}: {found}");
        // The same numbers, eight percent larger, are seen to be something else.
        let wrong: Vec<f64> = sample.iter().map(|v| v * 1.08 + 0.02).collect();
        assert!(distance(&wrong, function) > FAR, "{name}: the check sees nothing");
    }
    // Moments: the sample's mean and variance are normal numbers about the true ones.
    for (k, mean, variance, fourth) in [
        (1, 0.5, 1.0 / 12.0, 1.0 / 80.0),
        (2, 0.5, 1.0 / 12.0, 1.0 / 80.0),
        (3, 0.0, 1.0, 3.0),
        (4, 0.0, 1.0, 3.0),
        (7, 2.0, 4.0, 9.0 * 16.0),
    ] {
        let n = values[k].len() as f64;
        let moment = |p: i32| values[k].iter().map(|v| (v - mean).powi(p)).sum::<f64>() / n;
        let of_mean = moment(1) / (variance / n).sqrt();
        let of_variance = (moment(2) - variance) / ((fourth - variance * variance) / n).sqrt();
        assert!(
            of_mean.abs() < SURPRISING && of_variance.abs() < SURPRISING,
            "{}: {of_mean}, {of_variance}",
            list[k]
        );
    }
}

#[test]
fn discrete_numbers_come_as_often_as_they_should() {
    let n = COUNT;
    let list = [
        &format!("aten.zeros.default([{n}])")[..],
        &format!("aten.randint.low(-5, 8, [{n}])"),
        "aten.bernoulli.p(%0, 0.3)",
        "aten.geometric.default(%0, 0.4)",
        "aten.random.to(%0, 10)",
    ];
    let values = drawn(&list, SEED + 1);
    let even = |count: usize| vec![1.0 / count as f64; count];
    let geometric: Vec<f64> =
        (0..8).map(|k| 0.4 * 0.6f64.powi(k)).chain([(8.0 * log1p(-0.4)).exp()]).collect();
    let groups: [(&[f64], f64, Vec<f64>); 4] = [
        (&values[1], -5.0, even(13)),
        (&values[2], 0.0, vec![0.7, 0.3]),
        (&values[3], 1.0, geometric),
        (&values[4], 0.0, even(10)),
    ];
    for (k, (sample, first, shares)) in groups.iter().enumerate() {
        let expected: Vec<f64> = shares.iter().map(|s| s * n as f64).collect();
        let counted = |sample: &dyn Fn(f64) -> f64, from: &[f64]| {
            let mut counts = vec![0; shares.len()];
            for v in from {
                counts[((sample(*v) - first) as usize).min(shares.len() - 1)] += 1;
            }
            counts
        };
        let found = surprise(&counted(&|v| v, sample), &expected);
        assert!(found < SURPRISING, "{}: {found}", list[k + 1]);
        // One in eight of the first number becomes the second.
        let mut turn = 0;
        let wrong: Vec<f64> = sample
            .iter()
            .map(|v| {
                turn += usize::from(v == first);
                if v == first && turn % 8 == 0 { v + 1.0 } else { *v }
            })
            .collect();
        assert!(
            surprise(&counted(&|v| v, &wrong), &expected) > SURPRISING,
            "{}: the check sees nothing",
            list[k + 1]
        );
    }
}

/// Counts of a sample from 0 on, the last one of all that is left.
fn counted(sample: &[f64], kinds: usize) -> Vec<usize> {
    let mut counts = vec![0; kinds];
    sample.iter().for_each(|v| counts[(*v as usize).min(kinds - 1)] += 1);
    counts
}

#[test]
fn numbers_that_are_drawn_until_accepted_are_distributed_as_they_should() {
    let n = COUNT;
    let full = |value: &str| format!("aten.full.default([{n}], {value}, dtype=float64)");
    let list = [
        full("3.5"),
        full("14.0"),
        full("9.0"),
        full("0.7"),
        full("60.0"),
        full("0.4"),
        "aten.poisson.default(%0)".into(),
        "aten.poisson.default(%1)".into(),
        "aten.binomial.default(%2, %3)".into(),
        "aten.binomial.default(%4, %5)".into(),
        "aten._standard_gamma.default(%0)".into(),
        "aten._standard_gamma.default(%5)".into(),
        "aten.stack.default([%3, %0], 1)".into(),
        "aten._sample_dirichlet.default(%12)".into(),
    ];
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let values = drawn(&list, SEED + 3);
    let log_factorial = |k: f64| libm::lgamma(k + 1.0);
    let poisson = |rate: f64| move |k: f64| (k * rate.ln() - rate - log_factorial(k)).exp();
    let binomial = |count: f64, p: f64| {
        let ways = move |k: f64| log_factorial(count) - log_factorial(k) - log_factorial(count - k);
        move |k: f64| {
            if k > count { 0.0 } else { (ways(k) + k * p.ln() + (count - k) * (1.0 - p).ln()).exp() }
        }
    };
    // Kinds in the middle, which come often; those below and above are two more.
    type Share = Box<dyn Fn(f64) -> f64>;
    let groups: [(usize, usize, usize, Share); 4] = [
        (6, 0, 11, Box::new(poisson(3.5))),
        (7, 4, 26, Box::new(poisson(14.0))),
        (8, 2, 10, Box::new(binomial(9.0, 0.7))),
        (9, 14, 35, Box::new(binomial(60.0, 0.4))),
    ];
    for (k, first, end, share) in groups {
        let middle: Vec<f64> = (first..end).map(|k| share(k as f64)).collect();
        let below: f64 = (0..first).map(|k| share(k as f64)).sum();
        let above = 1.0 - below - middle.iter().sum::<f64>();
        let expected: Vec<f64> = [vec![below], middle, vec![above]].concat();
        let kinds: Vec<(usize, f64)> =
            expected.iter().map(|s| s * n as f64).enumerate().filter(|(_, e)| *e > 5.0).collect();
        let found = |sample: &[f64]| {
            let moved: Vec<f64> = sample.iter().map(|v| (v - first as f64 + 1.0).max(0.0)).collect();
            let counts = counted(&moved, expected.len());
            let counts: Vec<usize> = kinds.iter().map(|(k, _)| counts[*k]).collect();
            surprise(&counts, &kinds.iter().map(|(_, e)| *e).collect::<Vec<_>>())
        };
        assert!(values[k].iter().all(|v| v.fract() == 0.0), "{}", list[k]);
        assert!(found(&values[k]) < SURPRISING, "{}: {}", list[k], found(&values[k]));
        let wrong: Vec<f64> =
            values[k].iter().enumerate().map(|(k, v)| if k % 12 == 0 { v + 4.0 } else { *v }).collect();
        assert!(found(&wrong) > SURPRISING, "{}: the check sees nothing", list[k]);
    }
    // The incomplete gamma function by its series.
    let gamma = |shape: f64| {
        move |x: f64| {
            let terms = (1..400).scan(1.0 / shape, |term, k| {
                let now = *term;
                *term *= x / (shape + f64::from(k));
                Some(now)
            });
            terms.sum::<f64>() * (shape * x.ln() - x - libm::lgamma(shape)).exp()
        }
    };
    for (k, shape) in [(10, 3.5), (11, 0.4)] {
        assert!(distance(&values[k], gamma(shape)) < FAR, "{}", list[k]);
        let wrong: Vec<f64> = values[k].iter().map(|v| v * 1.08).collect();
        assert!(distance(&wrong, gamma(shape)) > FAR, "{}: the check sees nothing", list[k]);
    }
    // Both shares are 1 together; the first has mean `a / (a + b)`.
    let shares: Vec<(f64, f64)> = values[13].chunks(2).map(|pair| (pair[0], pair[0] + pair[1])).collect();
    assert!(shares.iter().all(|(_, sum)| (sum - 1.0).abs() < 1e-12));
    let (a, b): (f64, f64) = (0.7, 3.5);
    let (mean, variance) = (a / (a + b), a * b / (a + b).powi(2) / (a + b + 1.0));
    let off = shares.iter().map(|(share, _)| share - mean).sum::<f64>() / (variance * n as f64).sqrt();
    assert!(off.abs() < SURPRISING, "{off}");
}

#[test]
fn permutations_and_choices_are_fair() {
    // Where each of 5 numbers comes to stand, over 4000 permutations.
    let list: Vec<String> = (0..400).map(|_| "aten.randperm.default(5)".to_string()).collect();
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let e = program(&calls(&list), &[("backend", "interpreter")]);
    let mut counts = [0; 25];
    let mut offset = 0;
    for _ in 0..10 {
        let (results, next) = run_from(&e, &[], SEED, offset);
        offset = next;
        for order in results.iter().map(integers) {
            for (place, v) in order.into_iter().enumerate() {
                counts[place * 5 + v as usize] += 1;
            }
        }
    }
    // Rows and columns are sums that are given: there is less freedom than the statistic counts with.
    let found = surprise(&counts, &[800.0; 25]);
    assert!(found < SURPRISING, "randperm: {found}");

    let text = format!(
        "graph \"g\" {{\n  %1 = aten.arange.start(1, 5, dtype=float32)\n  %2 = aten.expand.default(%1, [{COUNT}, 4])\n  \
         %3 = aten.multinomial.default(%2, 1, true)\n  %4 = aten.multinomial.default(%2, 1)\n  output \"a\" = %3\n  output \"b\" = %4\n}}\n"
    );
    let e = program(&text, &[("backend", "cpu")]);
    let expected: Vec<f64> = (1..5).map(|w| f64::from(w) / 10.0 * COUNT as f64).collect();
    for (what, results) in ["with replacement", "without"].iter().zip(run_from(&e, &[], SEED, 0).0) {
        let mut counts = [0; 4];
        integers(&results).into_iter().for_each(|v| counts[v as usize] += 1);
        let found = surprise(&counts, &expected);
        assert!(found < SURPRISING, "multinomial {what}: {found}, {counts:?}");
        counts.swap(2, 3);
        assert!(surprise(&counts, &expected) > SURPRISING, "multinomial {what}: the check sees nothing");
    }
}

#[test]
fn nodes_runs_and_neighbours_are_independent() {
    let call = format!("aten.randn.default([{COUNT}])");
    let text = calls(&[&call, &call]);
    let e = program(&text, &[("backend", "cpu")]);
    let values = |seed: u64, offset: u64| -> (Vec<Vec<f64>>, u64) {
        let (results, next) = run_from(&e, &[], seed, offset);
        (results.iter().map(|t| floats(t).into_iter().map(f64::from).collect()).collect(), next)
    };
    let (first, next) = values(SEED, 0);
    let (second, _) = values(SEED, next);
    let (other, _) = values(SEED + 1, 0);
    let squares = |v: &[f64]| v.iter().map(|x| x * x).collect::<Vec<_>>();
    let pairs = [
        ("two nodes", &first[0], &first[1]),
        ("two runs", &first[0], &second[0]),
        ("two seeds", &first[0], &other[0]),
    ];
    for (what, a, b) in pairs {
        let found = correlation(a, b);
        assert!(found.abs() < SURPRISING, "{what}: {found}");
        let found = correlation(&squares(a), &squares(b));
        assert!(found.abs() < SURPRISING, "squares of {what}: {found}");
    }
    for lag in [1, 2, 3, 4, 5, 8] {
        let (a, b) = (&first[0][lag..], &first[0][..COUNT - lag]);
        assert!(correlation(a, b).abs() < SURPRISING, "{lag} apart: {}", correlation(a, b));
        // The two of a pair share their radius: their squares are independent all the same.
        let found = correlation(&squares(a), &squares(b));
        assert!(found.abs() < SURPRISING, "squares, {lag} apart: {found}");
    }
    // A node that had another one's numbers, some of them, would be seen.
    let mixed: Vec<f64> = first[0]
        .iter()
        .zip(&first[1])
        .enumerate()
        .map(|(k, (a, b))| if k % 16 == 0 { *a } else { *b })
        .collect();
    assert!(correlation(&first[0], &mixed) > SURPRISING, "the check sees nothing");
}
