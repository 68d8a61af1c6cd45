//! The equation of `einsum`, parsed: subscripts become numbers, an ellipsis becomes as many as it stands for.

use crate::base::{HashMap, StableSort};

/// An equation for operands of known ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Einsum {
    /// One label per dimension of each operand; a label that occurs twice in one takes its diagonal.
    pub operands: Vec<Vec<usize>>,
    pub output: Vec<usize>,
    /// The other labels: those of the ellipsis, then in the order of the alphabet, capitals first.
    pub summed: Vec<usize>,
    /// How many labels there are, numbered from 0.
    pub labels: usize,
}

impl Einsum {
    /// Parses `ij,jk->ik`; without an arrow the output has the ellipsis and then, in alphabetical order, the
    /// subscripts that occur once. The error says what is wrong with the equation.
    pub fn parse(equation: &str, ranks: &[usize]) -> Result<Einsum, String> {
        let text: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
        let (left, right) = match text.split_once("->") {
            Some((l, r)) => (l, Some(r)),
            None => (text.as_str(), None),
        };
        let terms: Vec<&str> = left.split(',').collect();
        if terms.len() != ranks.len() {
            return Err(format!("the equation names {} operands, {} are given", terms.len(), ranks.len()));
        }
        let mut parsed = Vec::new();
        let mut ellipsis = 0;
        for (term, rank) in terms.iter().zip(ranks) {
            let (before, after, has) = split_ellipsis(term)?;
            let named = before.len() + after.len();
            if named > *rank || (!has && named != *rank) {
                return Err(format!("`{term}` does not name the {rank} dimensions of its operand"));
            }
            let dots = if has { rank - named } else { 0 };
            ellipsis = ellipsis.max(dots);
            parsed.push((before, after, dots));
        }
        // The dimensions of an ellipsis are labels 0.. counted from its last one, so that they broadcast.
        let mut numbers: HashMap<char, usize> = HashMap::default();
        let mut next = ellipsis;
        let mut counts: HashMap<char, usize> = HashMap::default();
        let mut operands = Vec::new();
        for (before, after, dots) in &parsed {
            let mut labels = Vec::new();
            let mut number = |c: &char| {
                *counts.entry(*c).or_insert(0) += 1;
                *numbers.entry(*c).or_insert_with(|| {
                    next += 1;
                    next - 1
                })
            };
            labels.extend(before.iter().map(&mut number));
            let places = labels.len();
            labels.extend(after.iter().map(&mut number));
            labels.splice(places..places, ellipsis - dots..ellipsis);
            operands.push(labels);
        }
        let dots: Vec<usize> = (0..ellipsis).collect();
        let output = match right {
            None => {
                let mut once: Vec<char> = counts.iter().filter(|(_, n)| **n == 1).map(|(c, _)| *c).collect();
                once.stable_sort();
                dots.into_iter().chain(once.iter().map(|c| numbers[c])).collect()
            }
            Some(right) => {
                let (before, after, has) = split_ellipsis(right)?;
                let number = |c: &char| {
                    numbers.get(c).copied().ok_or(format!("the output's subscript `{c}` is in no operand"))
                };
                let mut labels = before.iter().map(number).collect::<Result<Vec<_>, _>>()?;
                if has {
                    labels.extend(dots);
                }
                labels.extend(after.iter().map(number).collect::<Result<Vec<_>, _>>()?);
                let mut seen = labels.clone();
                seen.stable_sort();
                seen.dedup();
                if seen.len() != labels.len() {
                    return Err("a subscript stands twice in the output".to_string());
                }
                labels
            }
        };
        let mut letters: Vec<(char, usize)> = numbers.into_iter().collect();
        letters.stable_sort();
        let all = (0..ellipsis).chain(letters.into_iter().map(|(_, label)| label));
        let summed = all.filter(|label| !output.contains(label)).collect();
        Ok(Einsum { operands, output, summed, labels: next })
    }
}

/// The subscripts before and after `...`, and whether it is there.
fn split_ellipsis(term: &str) -> Result<(Vec<char>, Vec<char>, bool), String> {
    let letters = |part: &str| -> Result<Vec<char>, String> {
        match part.chars().find(|c| !c.is_ascii_alphabetic()) {
            Some(c) => Err(format!("`{c}` is no subscript")),
            None => Ok(part.chars().collect()),
        }
    };
    match term.split_once("...") {
        Some((before, after)) => Ok((letters(before)?, letters(after)?, true)),
        None => Ok((letters(term)?, Vec::new(), false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_follow_the_subscripts() {
        let e = Einsum::parse("ij, jk -> ik", &[2, 2]).unwrap();
        assert_eq!((e.operands, e.output), (vec![vec![0, 1], vec![1, 2]], vec![0, 2]));
        let e = Einsum::parse("ba", &[2]).unwrap();
        assert_eq!((e.operands, e.output), (vec![vec![0, 1]], vec![1, 0]));
    }

    #[test]
    fn an_ellipsis_aligns_at_its_end() {
        let e = Einsum::parse("...ij,...jk->...ik", &[4, 3]).unwrap();
        assert_eq!(e.operands, vec![vec![0, 1, 2, 3], vec![1, 3, 4]]);
        assert_eq!(e.output, vec![0, 1, 2, 4]);
    }

    #[test]
    fn a_wrong_equation_says_so() {
        assert!(Einsum::parse("ij->ik", &[2]).unwrap_err().contains("`k`"));
        assert!(Einsum::parse("ij", &[3]).unwrap_err().contains("3 dimensions"));
        assert!(Einsum::parse("i,j", &[1]).unwrap_err().contains("2 operands"));
    }
}
