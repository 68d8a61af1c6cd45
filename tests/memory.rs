//! Kernels touch nothing beside their operands: an input ends where memory begins that may not be read, so that a kernel
//! that reads beside it ends this process. And the memory of freed outputs serves the next run.

use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Options};
use litz::types::Dtype;
use litz::types::dlpack::{DLDataType, DLDevice, DLTensor};

/// Memory of which the first page is ours and the second may not be touched.
struct Guarded {
    base: *mut libc::c_void,
    page: usize,
}

impl Guarded {
    fn new() -> Guarded {
        // SAFETY: new pages, whose second is closed; both are given back when this is dropped.
        unsafe {
            let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let base =
                libc::mmap(std::ptr::null_mut(), 2 * page, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            assert_ne!(base, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(base.add(page), page, libc::PROT_NONE), 0);
            Guarded { base, page }
        }
    }
    /// Where so many bytes end with the page.
    fn last(&self, bytes: usize) -> *mut libc::c_void {
        assert!(bytes <= self.page);
        // SAFETY: within the first page, or at its end.
        unsafe { self.base.add(self.page - bytes) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: as mapped above.
        unsafe { libc::munmap(self.base, 2 * self.page) };
    }
}

/// Runs a program of one float32 input that ends with its page; gives the shapes of the results.
fn run(text: &str, shape: &[i64]) -> Vec<Vec<i64>> {
    let graph = parse(text).expect("the text is a graph");
    let mut options = Options::default();
    options.set("backend", "cpu").expect("a backend");
    let executable = session::compile(&graph, &options).expect("it compiles");
    let memory = Guarded::new();
    let mut shape = shape.to_vec();
    let count = shape.iter().product::<i64>() as usize;
    let input = DLTensor {
        data: memory.last(4 * count),
        device: DLDevice::CPU,
        ndim: shape.len() as i32,
        dtype: DLDataType { code: 2, bits: 32, lanes: 1 },
        shape: shape.as_mut_ptr(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    };
    // SAFETY: the input is as it says, and the program does not write to it.
    let outputs = unsafe { executable.run(&[&raw const input], None) }.expect("it runs");
    outputs.iter().map(|o: &Tensor| o.shape().to_vec()).collect()
}

#[test]
fn one_element_for_all_lanes_is_read_where_some_lane_needs_it() {
    // Rows of the result before and after the diagonal's have no element of the input.
    let text = r#"graph "g" {
  input %0 "x": float32[3, 17]
  %1 = aten.diagflat.default(%0, 3)
  output "y" = %1
}
"#;
    assert_eq!(run(text, &[3, 17]), [[54, 54]]);
}

#[test]
fn a_run_takes_the_memory_of_outputs_that_were_freed() {
    let text = "graph \"g\" {\n input %0 \"x\": float32[65536]\n %1 = aten.add.Scalar(%0, 1)\n output \"y\" = %1\n}\n";
    let mut options = Options::default();
    options.set("backend", "interpreter").expect("a backend");
    let program =
        session::compile(&parse(text).expect("the text is a graph"), &options).expect("it compiles");
    let given = |value: f32| {
        Tensor::from_bytes(Dtype::Float32, &[65536], &value.to_ne_bytes().repeat(65536)).expect("memory")
    };
    let run = |input: &Tensor| {
        // SAFETY: the input is a tensor of this process, alive until the run has ended.
        unsafe { program.run(&[std::ptr::from_ref(input.dl())], None) }.expect("it runs").remove(0)
    };
    let first = run(&given(1.0));
    // Those of two outputs that live at once are apart.
    let second = run(&given(2.0));
    let places = [first.dl().data, second.dl().data];
    assert_ne!(places[0], places[1]);
    drop(first);
    let third = run(&given(3.0));
    assert_eq!(third.dl().data, places[0]);
    assert!(third.bytes().chunks(4).all(|b| b == 4f32.to_ne_bytes()));
    assert!(second.bytes().chunks(4).all(|b| b == 3f32.to_ne_bytes()));
}
