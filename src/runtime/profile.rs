//! What runs of a program took, step by step, where `profile` asked for it.
//!
//! Runs of all instances of a program count together. A step's bytes and operations are those of the sizes that each run had.
//!
//! Deliberately absent: what a step is, and what the machine could do.

use super::ffi;
use crate::plan::{Costs, Plan, PlanError, Step};
use serde_json::Value;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What is timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProfileRequest {
    #[default]
    Nothing,
    /// Each kernel, but of runs that a GPU replays as graphs only the whole.
    Runs,
    /// Each kernel of these, too.
    Kernels,
}

/// The sums of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepTotal {
    /// Of steps in loops more than there were runs.
    pub calls: u64,
    pub seconds: f64,
    /// Those of the last run that timed it.
    pub last_seconds: f64,
    /// Of all calls; `None`: not known.
    pub bytes: Option<f64>,
    pub flop: Option<f64>,
}

#[derive(Clone, Debug, Default)]
pub struct Totals {
    pub runs: u64,
    /// Of these, the runs that a GPU replayed as a graph.
    pub replayed: u64,
    /// Runs whose steps were timed.
    pub timed: u64,
    pub seconds: f64,
    pub last_seconds: f64,
    /// By the number of the step in the plan's `main`; those that are neither kernels, routines nor copies stay empty.
    pub steps: Vec<StepTotal>,
}

/// A run, for those who hear of each.
#[derive(Clone, Debug)]
pub struct ProfiledRun {
    pub number: u64,
    pub replayed: bool,
    pub ended: Instant,
    pub seconds: f64,
    pub steps: Vec<ProfiledStep>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfiledStep {
    pub step: usize,
    pub seconds: f64,
    /// From its end to the run's.
    pub before_end: f64,
    pub bytes: Option<f64>,
    pub flop: Option<f64>,
}

/// Runs that nobody has taken yet.
const MOST_KEPT: usize = 256;

/// See the module.
#[derive(Debug)]
pub struct Profile {
    /// Somebody hears of each run.
    keeps: AtomicBool,
    kept: Mutex<Vec<ProfiledRun>>,
    /// For the executor: scalars of bytes and operations of each step.
    costs: Vec<u32>,
    /// What a kernel's step moves and computes, where that is the same in each run.
    fixed: Vec<Option<(f64, f64)>>,
    totals: Mutex<Totals>,
}

impl Profile {
    /// Adds the scalars to the plan that say what its kernels move and compute.
    pub fn of(request: ProfileRequest, plan: &mut Plan) -> Result<Option<Profile>, PlanError> {
        if request == ProfileRequest::Nothing {
            return Ok(None);
        }
        let about: Value = serde_json::from_str(&plan.metadata).unwrap_or_default();
        let of_kernels = Costs::of_metadata(&about)?;
        of_kernels.add_to(plan)?;
        let (mut costs, mut fixed) = (Vec::new(), Vec::new());
        let mut kernel = 0;
        for step in &plan.main {
            if !matches!(step, Step::Kernel { .. } | Step::Extern { .. }) {
                costs.extend([u32::MAX; 2]);
                fixed.push(None);
                continue;
            }
            costs.extend(of_kernels.of.get(kernel).map_or([u32::MAX; 2], |pair| pair.map(|s| s.0)));
            let number = |key: &str| about["kernels"][kernel][key].as_f64();
            let known = plan.symbols.is_empty().then(|| number("bytes").zip(number("flop"))).flatten();
            fixed.push(known);
            kernel += 1;
        }
        let totals = Totals { steps: vec![StepTotal::default(); plan.main.len()], ..Totals::default() };
        let (keeps, kept) = (AtomicBool::new(false), Mutex::default());
        Ok(Some(Profile { keeps, kept, costs, fixed, totals: Mutex::new(totals) }))
    }

    pub(super) fn costs(&self) -> *const u32 {
        self.costs.as_ptr()
    }

    pub fn totals(&self) -> Totals {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on each run is kept until it is taken.
    pub fn keep_runs(&self) {
        self.keeps.store(true, Ordering::Release);
    }
    /// The runs since the last call, up to some hundred.
    pub fn take_runs(&self) -> Vec<ProfiledRun> {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, number: u64, took: i64, whole: bool, steps: &[ffi::StepTime]) {
        let seconds = |ns: i64| ns as f64 * 1e-9;
        let step = |time: &ffi::StepTime| {
            let fixed = self.fixed.get(time.step as usize).copied().flatten();
            let known = |given: i64, fixed: Option<f64>| if given >= 0 { Some(given as f64) } else { fixed };
            ProfiledStep {
                step: time.step as usize,
                seconds: seconds(time.end - time.begin),
                before_end: seconds(took - time.end).max(0.0),
                bytes: known(time.bytes, fixed.map(|f| f.0)),
                flop: known(time.flop, fixed.map(|f| f.1)),
            }
        };
        let (ended, steps) = (Instant::now(), steps.iter().map(step).collect());
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MOST_KEPT {
            kept.push(ProfiledRun { number, replayed: whole, ended, seconds: seconds(took), steps });
        }
    }

    fn add(&self, took: i64, whole: bool, steps: &[ffi::StepTime]) {
        let seconds = |ns: i64| ns as f64 * 1e-9;
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        totals.runs += 1;
        totals.replayed += u64::from(whole);
        totals.timed += u64::from(!whole || !steps.is_empty());
        totals.seconds += seconds(took);
        totals.last_seconds = seconds(took);
        for time in steps {
            if let Some(total) = totals.steps.get_mut(time.step as usize) {
                total.last_seconds = 0.0;
            }
        }
        for time in steps {
            let fixed = self.fixed.get(time.step as usize).copied().flatten();
            let Some(total) = totals.steps.get_mut(time.step as usize) else { continue };
            let known = |given: i64, fixed: Option<f64>| if given >= 0 { Some(given as f64) } else { fixed };
            let add = |sum: Option<f64>, more: Option<f64>, first: bool| match (sum, more) {
                (None, more) if first => more,
                (Some(sum), Some(more)) => Some(sum + more),
                _ => None,
            };
            let first = total.calls == 0;
            total.bytes = add(total.bytes, known(time.bytes, fixed.map(|f| f.0)), first);
            total.flop = add(total.flop, known(time.flop, fixed.map(|f| f.1)), first);
            total.calls += 1;
            total.seconds += seconds(time.end - time.begin);
            total.last_seconds += seconds(time.end - time.begin);
        }
        let number = totals.runs;
        drop(totals);
        if self.keeps.load(Ordering::Acquire) {
            self.keep(number, took, whole, steps);
        }
    }
}

/// `lx_host.profiled`
///
/// # Safety
/// The context is a [`Profile`], and the run is the executor's.
pub(super) unsafe extern "C" fn profiled(context: *mut c_void, run: *const ffi::RunTimes) {
    // SAFETY: the caller's.
    let (profile, run) = unsafe { (&*context.cast::<Profile>(), &*run) };
    let steps = match run.n_steps {
        0 => &[][..],
        // SAFETY: the run has as many.
        n => unsafe { std::slice::from_raw_parts(run.steps, n as usize) },
    };
    profile.add(run.took, run.whole != 0, steps);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::sample;

    #[test]
    fn sums_are_of_all_runs() {
        let mut plan = sample();
        assert!(Profile::of(ProfileRequest::Nothing, &mut plan).unwrap().is_none());
        let profile = Profile::of(ProfileRequest::Runs, &mut plan).unwrap().unwrap();
        assert_eq!(profile.costs.len(), 2 * plan.main.len());
        let step = |begin, end, bytes| ffi::StepTime { step: 0, reserved: 0, begin, end, bytes, flop: -1 };
        let step_of = |step, begin, end| ffi::StepTime { step, reserved: 0, begin, end, bytes: 8, flop: -1 };
        profile.add(5000, false, &[step(0, 1000, 8), step(1000, 3000, 8)]);
        profile.add(7000, false, &[step(0, 4000, 16)]);
        profile.add(2000, true, &[]);
        assert!(profile.take_runs().is_empty());
        let totals = profile.totals();
        assert_eq!((totals.runs, totals.replayed, totals.timed), (3, 1, 2));
        let step = totals.steps[0];
        assert_eq!((step.calls, step.bytes, step.flop), (3, Some(32.0), None));
        assert!((step.seconds - 7e-6).abs() < 1e-12 && (step.last_seconds - 4e-6).abs() < 1e-12, "{step:?}");
        assert!((totals.seconds - 14e-6).abs() < 1e-12 && (totals.last_seconds - 2e-6).abs() < 1e-12);
        profile.keep_runs();
        profile.add(9000, false, &[step_of(0, 2000, 8000)]);
        let runs = profile.take_runs();
        let step = runs[0].steps[0];
        assert_eq!((runs.len(), runs[0].number, step.bytes, step.flop), (1, 4, Some(8.0), None));
        assert!((step.seconds - 6e-6).abs() < 1e-12 && (step.before_end - 1e-6).abs() < 1e-12, "{step:?}");
    }
}
