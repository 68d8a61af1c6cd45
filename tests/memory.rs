//! Kernels touch nothing beside their operands: an input ends where memory begins that may not be read, so that a kernel
//! that reads beside it ends this process.

use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Options};
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
