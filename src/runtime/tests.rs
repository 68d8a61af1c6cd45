//! Programs put together by hand ([`programs`]), run in the process and as artifacts.

mod artifacts;
mod programs;

use super::*;
use crate::base::Status;
use crate::plan::*;
use crate::types::Dtype;
use crate::types::dlpack::DLTensor;
use programs::{View, *};

#[test]
fn semaphores_are_zero_when_a_run_starts() {
    let mut b = Build::default();
    b.plan.name = "semaphores".into();
    let (one, four) = (b.number(1), b.number(4));
    let y = b.output("y", F32, &[one]);
    let first = b.buffer(BufferKind::Semaphores { offset: 0 }, four);
    let second = b.buffer(BufferKind::Semaphores { offset: 64 }, four);
    let count = b.kernel("count");
    b.plan.main = vec![b.step(count, &[y, first, second], &[], one)];
    let text = "const int *t = (const int *)b[1], *u = (const int *)b[2]; \
                ((float *)b[0])[0] = u - t == 16 ? 1 + t[0] + u[0] : -1;";
    Built::new(b.plan, &[("count", text)], &[]).everywhere(|e| {
        for _ in 0..2 {
            let y = e.run_tensors(&[]).unwrap();
            assert_eq!(values(&y[0]), [1.0]);
        }
    });
}

#[test]
fn dynamic_sizes_and_derived_constants() {
    add_rows().everywhere(|e| {
        for n in [0, 1, 2, 999, 5] {
            let x: Vec<f32> = (0..3 * n).map(|k| k as f32).collect();
            let y = e.run_tensors(&[&floats(&[n as i64, 3], &x)]).unwrap();
            assert_eq!((y.len(), y[0].shape(), y[0].strides()), (1, &[n as i64, 3][..], &[3, 1][..]));
            assert_eq!(values(&y[0]), expected(&x, [10.0, 20.0, 30.0]));
        }
        e.update_tensors(&[("alias.w", &floats(&[3], &[1.0, 2.0, 3.0]))]).unwrap();
        let y = e.run_tensors(&[&floats(&[1, 3], &[1.0; 3])]).unwrap();
        assert_eq!(values(&y[0]), [4.0, 6.0, 8.0]);
        assert_eq!(values(&e.constant("w").unwrap()), [1.0, 2.0, 3.0]);
        assert_eq!(
            values(&e.try_clone().unwrap().run_tensors(&[&floats(&[1, 3], &[1.0; 3])]).unwrap()[0]),
            [4.0, 6.0, 8.0]
        );
        assert_eq!(e.metadata(), "{\"a\":1}");
        e.synchronize().unwrap();
    });
}

#[test]
fn wrong_inputs_are_named() {
    add_rows().everywhere(|e| {
        let x = floats(&[2, 3], &[0.0; 6]);
        refused(e.run_tensors(&[]), Status::InvalidArgument, &["0 inputs", "has 1"]);
        refused(
            e.run_tensors(&[&floats(&[1001, 3], &[0.0; 3003])]),
            Status::Shape,
            &["`x`", "dimension 0", "1001", "from 0 to 1000"],
        );
        refused(
            e.run_tensors(&[&floats(&[2, 4], &[0.0; 8])]),
            Status::Shape,
            &["input 0 `x`", "dimension 1 is 4", "expects 3"],
        );
        refused(e.run_tensors(&[&floats(&[6], &[0.0; 6])]), Status::Shape, &["1 dimensions", "expects 2"]);
        let ints = Tensor::zeros(Dtype::Int32, &[2, 3]).unwrap();
        refused(e.run_tensors(&[&ints]), Status::Dtype, &["int32", "float32"]);
        // SAFETY: these tensors are wrong in ways that a run looks for first.
        unsafe {
            refused(e.run(&[std::ptr::null()], None), Status::InvalidArgument, &["`x`", "NULL"]);
            let mut wrong = *x.dl();
            wrong.device.device_type = 2;
            refused(e.run(&[&wrong], None), Status::Device, &["input 0 `x`", "CPU"]);
            wrong = *x.dl();
            wrong.data = std::ptr::null_mut();
            refused(e.run(&[&wrong], None), Status::InvalidArgument, &["data is NULL"]);
            wrong = *x.dl();
            wrong.shape = std::ptr::null_mut();
            refused(e.run(&[&wrong], None), Status::InvalidArgument, &["shape is NULL"]);
            wrong = *x.dl();
            wrong.dtype.lanes = 2;
            refused(e.run(&[&wrong], None), Status::Dtype, &["2 lanes"]);
            let mut backwards = [3i64, -1];
            wrong = *x.dl();
            wrong.strides = backwards.as_mut_ptr();
            refused(e.run(&[&wrong], None), Status::InvalidArgument, &["negative strides"]);
            let mut vast = [i64::MAX / 2, i64::MAX / 2];
            wrong.strides = vast.as_mut_ptr();
            refused(e.run(&[&wrong], None), Status::Shape, &["memory"]);
            let mut negative = [-2i64, 3];
            wrong = *x.dl();
            wrong.shape = negative.as_mut_ptr();
            refused(e.run(&[&wrong], None), Status::Shape, &["-2"]);

            let right: [*const DLTensor; 1] = [x.dl()];
            let options = RunOptions { flags: 64, ..RunOptions::default() };
            refused(e.run(&right, Some(&options)), Status::InvalidArgument, &["unknown flags 0x40"]);
            let options = RunOptions { reserved: [0, 1], ..RunOptions::default() };
            refused(e.run(&right, Some(&options)), Status::InvalidArgument, &["reserved"]);
            let options = RunOptions { struct_size: 8, ..RunOptions::default() };
            refused(e.run(&right, Some(&options)), Status::InvalidArgument, &["struct_size"]);
            let options = RunOptions { device_index: 1, ..RunOptions::default() };
            refused(e.run(&right, Some(&options)), Status::Device, &["device_index"]);
            let mut next = 0;
            let options =
                RunOptions { flags: RUN_ASYNC, offset: 5, next_offset: &mut next, ..RunOptions::default() };
            e.run(&right, Some(&options)).unwrap();
            assert_eq!(next, 5);

            refused(e.run_into(&right, &[], None), Status::InvalidArgument, &["0 outputs"]);
            refused(
                e.run_into(&right, &[std::ptr::null()], None),
                Status::InvalidArgument,
                &["output 0 `y`"],
            );
            let small = floats(&[1, 3], &[0.0; 3]);
            refused(
                e.run_into(&right, &[small.dl()], None),
                Status::Shape,
                &["output 0 `y`", "dimension 0 is 1", "`n` is 2", "`x`"],
            );
        }
        let three = floats(&[3], &[0.0; 3]);
        refused(e.update_tensors(&[("v", &three)]), Status::InvalidArgument, &["`v`"]);
        refused(e.update_tensors(&[("w", &three), ("alias.w", &three)]), Status::InvalidArgument, &["twice"]);
        refused(e.update_tensors(&[("w", &x)]), Status::Shape, &["`w`"]);
        refused(e.constant("nothing"), Status::InvalidArgument, &["`nothing`"]);
        assert_eq!(values(&e.run_tensors(&[&x]).unwrap()[0]), expected(&[0.0; 6], [10.0, 20.0, 30.0]));
    });
}

#[test]
fn any_layout_of_inputs_and_outputs() {
    add_rows().everywhere(|e| {
        let w = [10.0, 20.0, 30.0];
        let mut memory: Vec<f32> = (0..40).map(|k| k as f32).collect();
        let run = |view: &View| {
            // SAFETY: every view lies in `memory`.
            values(&unsafe { e.run(&[&view.tensor], None) }.unwrap()[0])
        };
        // Transposed, every other column, expanded rows, one row with an odd stride, strides left out, an offset.
        assert_eq!(
            run(&View::of(&mut memory, &[2, 3], &[1, 2])),
            expected(&[0.0, 2.0, 4.0, 1.0, 3.0, 5.0], w)
        );
        assert_eq!(
            run(&View::of(&mut memory, &[2, 3], &[10, 2])),
            expected(&[0.0, 2.0, 4.0, 10.0, 12.0, 14.0], w)
        );
        assert_eq!(
            run(&View::of(&mut memory, &[2, 3], &[0, 1])),
            expected(&[0.0, 1.0, 2.0, 0.0, 1.0, 2.0], w)
        );
        assert_eq!(run(&View::of(&mut memory, &[1, 3], &[-7, 1])), expected(&[0.0, 1.0, 2.0], w));
        let mut view = View::of(&mut memory, &[2, 3], &[3, 1]);
        view.tensor.strides = std::ptr::null_mut();
        view.tensor.byte_offset = 8;
        assert_eq!(run(&view), expected(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0], w));
        // Misaligned by one byte.
        let mut bytes = vec![0u8; 25];
        bytes[1..].copy_from_slice(&floats_to_bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        // SAFETY: the offset is inside of the vector.
        let odd = View::new(unsafe { bytes.as_mut_ptr().add(1) }, &[2, 3], &[3, 1]);
        assert_eq!(run(&odd), expected(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], w));
        // An empty tensor needs no data.
        let mut view = View::of(&mut memory, &[0, 3], &[3, 1]);
        view.tensor.data = std::ptr::null_mut();
        assert!(run(&view).is_empty());

        // Outputs: other strides, misaligned, over the input, expanded, empty.
        let x = floats(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let y = expected(&values(&x), w);
        let mut out = vec![-1.0f32; 12];
        let into = |output: &View| {
            // SAFETY: the output lies in the test's memory.
            unsafe { e.run_into(&[x.dl()], &[&output.tensor], None) }
        };
        into(&View::of(&mut out, &[2, 3], &[1, 4])).unwrap();
        assert_eq!(out, [y[0], y[3], -1.0, -1.0, y[1], y[4], -1.0, -1.0, y[2], y[5], -1.0, -1.0]);
        into(&View::of(&mut out, &[2, 3], &[3, 1])).unwrap();
        assert_eq!(out[..6], y[..]);
        // SAFETY: the offset is inside of the vector.
        into(&View::new(unsafe { bytes.as_mut_ptr().add(1) }, &[2, 3], &[3, 1])).unwrap();
        assert_eq!(bytes[1..], floats_to_bytes(&y));
        refused(
            into(&View::of(&mut out, &[2, 3], &[0, 1])),
            Status::InvalidArgument,
            &["output 0 `y`", "share memory"],
        );
        let mut both = values(&x);
        both.extend([0.0; 6]);
        let input = View::of(&mut both, &[2, 3], &[3, 1]);
        let output = View::of(&mut both[3..], &[2, 3], &[3, 1]);
        // SAFETY: both lie in `both`.
        unsafe { e.run_into(&[&input.tensor], &[&output.tensor], None) }.unwrap();
        assert_eq!(both[3..9], y[..]);
        // SAFETY: empty tensors are not read or written.
        unsafe {
            let empty = View::new(std::ptr::null_mut(), &[0, 3], &[3, 1]);
            e.run_into(&[&empty.tensor], &[&empty.tensor], None).unwrap();
        }
        // Sizes alone.
        let (mut shape, mut strides) = ([0; 2], [0; 2]);
        let mut inferred = DLTensor { shape: shape.as_mut_ptr(), strides: strides.as_mut_ptr(), ..NO_TENSOR };
        // SAFETY: the output has room for two sizes.
        unsafe { e.infer_outputs(&[x.dl()], std::slice::from_mut(&mut inferred)) }.unwrap();
        assert_eq!(
            (inferred.ndim, inferred.dtype, shape, strides),
            (2, Dtype::Float32.into(), [2, 3], [3, 1])
        );
    });
}

#[test]
fn mutation_of_inputs_and_constants() {
    counter().everywhere(|e| {
        let number = |k: i64| Tensor::from_bytes(Dtype::Int64, &[], &k.to_ne_bytes()).unwrap();
        let z = floats(&[4], &[1.0, 2.0, 3.0, 4.0]);
        let run = |k: i64, x: &View, z: &DLTensor| {
            // SAFETY: the test's own memory, which nobody else uses.
            unsafe { e.run(&[number(k).dl(), &x.tensor, z], None) }.map(|y| values(&y[0]))
        };
        let start = values(&e.constant("steps").unwrap())[0];
        let mut x = vec![0.0f32; 8];
        assert_eq!(run(2, &View::of(&mut x, &[4], &[1]), z.dl()).unwrap(), [6.0, 5.0, 4.0, 3.0]);
        assert_eq!(x, [2.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        // Strided: copied back.
        assert_eq!(run(-1, &View::of(&mut x, &[4], &[2]), z.dl()).unwrap(), [5.0, 4.0, 1.0, 0.0]);
        assert_eq!(x, [1.0, 2.0, 1.0, 2.0, -1.0, 0.0, -1.0, 0.0]);
        // The same memory as an input that is only read: this plan has no form for it.
        let mut x = vec![1.0f32, 2.0, 3.0, 4.0];
        let view = View::of(&mut x, &[4], &[1]);
        assert_eq!(run(10, &view, &view.tensor).unwrap_err().status, Status::Unsupported);
        assert_eq!(x, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(run(10, &view, z.dl()).unwrap(), [15.0; 4]);
        assert_eq!(x, [11.0, 12.0, 13.0, 14.0]);
        assert_eq!(values(&e.constant("steps").unwrap()), [start + 3.0]);
        let clone = e.try_clone().unwrap();
        assert_eq!(values(&clone.constant("steps").unwrap()), [start + 3.0]);
        e.update_tensors(&[("steps", &floats(&[1], &[100.0]))]).unwrap();
        assert_eq!(values(&clone.constant("steps").unwrap()), [start + 3.0]);

        refused(
            run(3, &View::of(&mut x, &[4], &[0]), z.dl()),
            Status::InvalidArgument,
            &["input 1 `x`", "expand"],
        );
        refused(run(13, &View::of(&mut x, &[4], &[1]), z.dl()), Status::Assertion, &["k must not be 13"]);
        refused(run(12, &View::of(&mut x, &[4], &[1]), z.dl()), Status::Shape, &["k must not be 12"]);
        refused(
            run(-6, &View::of(&mut x, &[4], &[1]), z.dl()),
            Status::Shape,
            &["input 0 `k`", "-6", "at least -5"],
        );
        refused(e.run_tensors(&[]), Status::InvalidArgument, &["writes to", "`x`"]);
        assert_eq!(values(&e.constant("steps").unwrap()), [100.0]);
        run(0, &View::of(&mut x, &[4], &[1]), z.dl()).unwrap();
        assert_eq!(values(&e.constant("steps").unwrap()), [101.0]);
    });
}

#[test]
fn many_threads_run_one_executable() {
    let built = add_rows();
    let e =
        Executable::new(&built.program, &InstanceOptions { threads: Some(4), ..InstanceOptions::default() })
            .unwrap();
    std::thread::scope(|scope| {
        for t in 0..8 {
            let e = &e;
            scope.spawn(move || {
                for n in 0..200i64 {
                    let n = (n * 7 + t) % 300;
                    let x: Vec<f32> = (0..3 * n).map(|k| (k + t) as f32).collect();
                    let y = e.run_tensors(&[&floats(&[n, 3], &x)]).unwrap();
                    assert_eq!(values(&y[0]), expected(&x, [10.0, 20.0, 30.0]));
                }
            });
        }
        for _ in 0..50 {
            e.update_tensors(&[("w", &floats(&[3], &[10.0, 20.0, 30.0]))]).unwrap();
        }
    });
    let counting = counter().instance();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let counting = &counting;
            scope.spawn(move || {
                let k = Tensor::from_bytes(Dtype::Int64, &[], &1i64.to_ne_bytes()).unwrap();
                let (mut x, z) = (vec![0.0f32; 4], floats(&[4], &[0.0; 4]));
                let x = View::of(&mut x, &[4], &[1]);
                for _ in 0..100 {
                    // SAFETY: each thread has its own tensors.
                    unsafe { counting.run(&[k.dl(), &x.tensor, z.dl()], None) }.unwrap();
                }
            });
        }
    });
    assert_eq!(values(&counting.constant("steps").unwrap()), [400.0]);
}

#[test]
fn the_host_may_bring_its_own_threads() {
    unsafe extern "C" fn backwards(
        context: *mut std::ffi::c_void,
        body: RangeFn,
        argument: *mut std::ffi::c_void,
        n: i64,
        grain: i64,
    ) {
        // SAFETY: the context is the test's counter; the body is called as documented.
        unsafe {
            *context.cast::<i64>() += 1;
            let mut end = n;
            while end > 0 {
                let begin = (end - 5 * grain).max(0);
                body(argument, begin, end);
                end = begin;
            }
        }
    }
    let e = add_rows().instance();
    let mut calls = 0i64;
    let options = RunOptions {
        parallel_for: Some(backwards),
        parallel_for_context: (&raw mut calls).cast(),
        ..RunOptions::default()
    };
    let x: Vec<f32> = (0..300).map(|k| k as f32).collect();
    let tensor = floats(&[100, 3], &x);
    // SAFETY: own tensors; the callback is as documented.
    let y = unsafe { e.run(&[tensor.dl()], Some(&options)) }.unwrap();
    assert_eq!(values(&y[0]), expected(&x, [10.0, 20.0, 30.0]));
    assert_eq!(calls, 1);
}

#[test]
fn kernels_in_rust() {
    let built = add_rows();
    let get = |call: &KernelCall, b: usize, k: usize| {
        let bytes: Vec<u8> = call.buffers[b][4 * k..4 * k + 4].iter().map(|c| c.get()).collect();
        f32::from_ne_bytes(bytes.try_into().unwrap())
    };
    let set = |call: &KernelCall, b: usize, k: usize, v: f32| {
        v.to_ne_bytes().iter().zip(&call.buffers[b][4 * k..]).for_each(|(v, c)| c.set(*v));
    };
    let double: HostKernel = Box::new(move |call| {
        (0..3).for_each(|k| set(call, 1, k, 2.0 * get(call, 0, k)));
        Ok(())
    });
    let add: HostKernel = Box::new(move |call| {
        for k in 3 * call.begin as usize..3 * call.end as usize {
            set(call, 2, k, 2.0 * get(call, 0, k) + get(call, 1, k % 3));
        }
        Ok(())
    });
    let program =
        Program::new(built.plan.clone(), Code::Host(vec![double, add]), built.constants.clone()).unwrap();
    let e = Executable::new(&program, &InstanceOptions::default()).unwrap();
    let y = e.run_tensors(&[&floats(&[2, 3], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0])]).unwrap();
    assert_eq!(values(&y[0]), expected(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [10.0, 20.0, 30.0]));

    let none: HostKernel = Box::new(|_| Ok(()));
    let beyond: HostKernel = Box::new(move |call| {
        get(call, 0, 1 << 20);
        Ok(())
    });
    let program =
        Program::new(built.plan.clone(), Code::Host(vec![none, beyond]), built.constants.clone()).unwrap();
    let e = Executable::new(&program, &InstanceOptions::default()).unwrap();
    refused(e.run_tensors(&[&floats(&[1, 3], &[0.0; 3])]), Status::Internal, &["add_rows"]);
}

#[test]
fn outputs_outlive_the_executable() {
    let e = add_rows().instance();
    let y = e.run_tensors(&[&floats(&[1, 3], &[0.0; 3])]).unwrap();
    drop(e);
    assert_eq!(values(&y[0]), [20.0, 40.0, 60.0]);
}
