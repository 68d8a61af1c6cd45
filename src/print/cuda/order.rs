//! Calls of a GPU's scans, sorts and scatters. The native texts keep an element together with its place, and compare keys as unsigned digits;
//! function objects around the regions convert to that.

use crate::kernels::{Routine, TemplateCall};
use crate::loops::{ScanOp, ScatterMode};
use crate::print::{Speller, words};
use crate::templates::Header;
use crate::templates::scan_sort::Scatter;
use crate::types::Dtype;

/// What a block works in.
pub(super) const DYNAMIC: &str = "extern __shared__ __align__(16) char dynamic[];";

/// Native headers that a routine's text needs, if it is one of these.
pub(super) fn headers(routine: &Routine) -> Option<Vec<Header>> {
    Some(match routine {
        Routine::ScanBeside { .. } | Routine::ScanLine { .. } | Routine::ScanParts { .. } => {
            vec![Header::CudaPhases, Header::CudaScan]
        }
        Routine::SortLines { .. } | Routine::SortTogether { .. } => {
            vec![Header::CudaPhases, Header::CudaMerge, Header::CudaSort]
        }
        Routine::ScatterNear { .. } | Routine::ScatterSorted { .. } => {
            vec![Header::CudaPhases, Header::CudaMerge, Header::CudaScatter]
        }
        _ => return None,
    })
}

/// The function object that combines two elements of a scan.
fn scan_functor(op: ScanOp) -> &'static str {
    match op {
        ScanOp::Sum => "litz_add()",
        ScanOp::Product => "litz_mul()",
        ScanOp::LogSumExp => "litz_log_add()",
        ScanOp::MaxWithIndex => "litz_last_max()",
        ScanOp::MinWithIndex => "litz_last_min()",
    }
}

/// What joins a point's value with what is there; none: it replaces it.
pub(in crate::print) fn scatter_functor(mode: ScatterMode) -> Option<&'static str> {
    match mode {
        ScatterMode::Set | ScatterMode::SetUnique => None,
        ScatterMode::Add => Some("litz_add()"),
        ScatterMode::Multiply => Some("litz_mul()"),
        ScatterMode::Max => Some("litz_max()"),
        ScatterMode::Min => Some("litz_min()"),
    }
}

impl Speller<'_> {
    /// One of the calls that [`headers`] knows.
    pub(super) fn order(&mut self, call: &TemplateCall) {
        match call.routine {
            Routine::ScanBeside { dtype, op, segments } => {
                let (element, [value_at, give]) = self.scanned(call, (dtype, op), false);
                let (f, n) = (scan_functor(op), self.values(&call.numbers[1..]));
                self.push(&format!("litz_scan_beside<{segments}, {element}>({f}, {value_at}, {give}, {n});"));
            }
            Routine::ScanLine { dtype, op, threads } => {
                let (element, [value_at, give]) = self.scanned(call, (dtype, op), false);
                let (f, n) = (scan_functor(op), self.values(&call.numbers[1..]));
                self.push(&format!(
                    "litz_scan_line<{threads}, {element}>({f}, {value_at}, {give}, 0, {n}, nullptr);"
                ));
            }
            Routine::ScanParts { dtype, op, threads, parts } => {
                let [lines, n, part] = [0, 1, 2].map(|k| self.values(&call.numbers[k..][..1]));
                let [totals, semaphores] = [0, 1].map(|k| self.start(&call.operands[k]));
                self.push("const auto work = [&](int phase, i64 item) {");
                self.depth += 1;
                self.next_line();
                self.push(&format!(
                    "const i64 row = item / {parts}; const int part = (int)(item % {parts});"
                ));
                self.next_line();
                let (element, [value_at, give]) = self.scanned(call, (dtype, op), true);
                self.push(&format!("{element} *const totals = ({element} *){totals} + row * {parts};"));
                self.next_line();
                let f = scan_functor(op);
                self.push(&format!(
                    "litz_scan_part<{threads}, {element}>({f}, {value_at}, {give}, phase, part, {part}, {n}, totals);"
                ));
                self.depth -= 1;
                self.next_line();
                self.push("};");
                self.next_line();
                let items = format!("{lines} * {parts}");
                self.push(&format!("litz_phases({semaphores}, 1, {items}, {items}, work);"));
            }
            Routine::SortLines { dtype, descending, some, near } => {
                self.dynamic();
                let [lines, n, kept] = [0, 1, 2].map(|k| self.values(&call.numbers[k..][..1]));
                let (ty, regions) = (words::scalar_type(dtype), self.regions(call));
                self.push(&format!(
                    "for (i64 line = blockIdx.x; line < {lines}; line += gridDim.x) litz_sort_line<{ty}, {descending}, {some}, {near}>({regions}, line, {n}, {kept}, dynamic);"
                ));
            }
            Routine::SortTogether { dtype, descending, threads } => {
                self.dynamic();
                let (ty, regions) = (words::scalar_type(dtype), self.regions(call));
                let (numbers, operands) = (self.values(&call.numbers), self.starts(&call.operands));
                self.push(&format!(
                    "litz_sort_far<{threads}, {ty}, {descending}>({regions}, {numbers}, {operands}, dynamic);"
                ));
            }
            Routine::ScatterNear { dtype, mode, threads, wide, groups } => {
                let head = self.scattered(call, (dtype, mode), threads, wide);
                let (numbers, wide) = (self.values(&call.numbers[1..]), Scatter::NEAR_WIDE);
                self.push(&format!("litz_scatter_near{head}, {groups}, {numbers}, {wide}, dynamic);"));
            }
            Routine::ScatterSorted { dtype, mode, threads, wide } => {
                let head = self.scattered(call, (dtype, mode), threads, wide);
                let (numbers, operands) = (self.values(&call.numbers[1..]), self.starts(&call.operands[1..]));
                self.push(&format!("litz_scatter_sorted{head}, {numbers}, {operands}, dynamic);"));
            }
            _ => unreachable!("the routine is a scan, a sort or a scatter"),
        }
    }

    pub(super) fn dynamic(&mut self) {
        self.push(DYNAMIC);
        self.next_line();
    }

    /// A scan's element, and the functions that read and store one: the regions, or for places and lines what calls them.
    fn scanned(
        &mut self,
        call: &TemplateCall,
        (dtype, op): (Dtype, ScanOp),
        lines: bool,
    ) -> (String, [String; 2]) {
        let ty = words::scalar_type(dtype);
        let [value_at, give] =
            [0, 1].map(|k| call.regions[k].map_or(String::new(), |r| self.region_name(r).to_string()));
        if !op.has_places() && !lines {
            return (ty.to_string(), [value_at, give]);
        }
        let row = if lines { "row, " } else { "" };
        let (element, read, given) = match op.has_places() {
            true => {
                let read = format!("{value_at}({row}step, to.value); to.place = step;");
                (format!("litz_place<{ty}>"), read, "x.value, x.place")
            }
            false => (ty.to_string(), format!("{value_at}({row}step, to);"), "x"),
        };
        self.push(&format!("const auto element_at = [&](i64 step, {element} &to) {{ {read} }};"));
        self.next_line();
        self.push(&format!(
            "const auto give_element = [&](i64 step, const {element} &x) {{ {give}({row}step, {given}); }};"
        ));
        self.next_line();
        (element, ["element_at".to_string(), "give_element".to_string()])
    }

    /// The beginning of a scatter's call. A point that fails has the key that no element has.
    fn scattered(
        &mut self,
        call: &TemplateCall,
        (dtype, mode): (Dtype, ScatterMode),
        threads: i64,
        wide: bool,
    ) -> String {
        let [key_of, rest_of, value_of] =
            [0, 1, 2].map(|k| call.regions[k].map_or(String::new(), |r| self.region_name(r).to_string()));
        let digits = if wide { "u64" } else { "u32" };
        self.push(&format!(
            "const auto digits_of = [&](i64 line, i64 point, {digits} &to) {{ i64 key = -1; {key_of}(line, point, key); to = ({digits})key; }};"
        ));
        self.next_line();
        self.dynamic();
        let (ty, out) = (words::scalar_type(dtype), self.start(&call.operands[0]));
        let f = scatter_functor(mode).unwrap_or("litz_last()");
        format!("<{threads}, {digits}, {ty}>({f}, digits_of, {rest_of}, {value_of}, {out}")
    }
}
