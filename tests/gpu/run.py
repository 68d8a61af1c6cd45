"""Programs on a real GPU, through the C ABI: what scripts/test-gpu runs. Prints a table; fails where anything is wrong.

    run.py LIBRARY [REGULAR EXPRESSION OF NAMES]

LITZ_TABLE in the environment names a file for the table of docs/gpu-results.md.
Needs Python with numpy, and NVIDIA's driver and NVRTC. Memory on the device is handled through the driver's own interface.
"""
import ctypes as C, faulthandler, glob, os, re, sys, tempfile, threading, time
import numpy as np
import artifacts
import attention
import codes
import convolutions
import halves
import host
import linalg
import operators
import products
import random_graphs
import random_images
import random_numbers
import training
import unfused
import updates
import watching

import machine
from litz import (ASYNC, DATA, DEVICE, Device, DLTensor, Executable, Failure, HAS_STREAM, Litz, OnDevice, OnHost, OUT_OF_MEMORY,
                  RunOptions, SHAPE, cases, close, describe, safetensors)


class Tests:
    def __init__(self, litz, device, only):
        self.litz, self.device, self.only, self.rows, self.failed = litz, device, only, [], 0

    def test(self, name, body):
        if not re.search(self.only, name):
            return
        begin = time.time()
        try:
            note = body() or ""
            outcome = "ok"
        except (AssertionError, Failure) as error:
            note, outcome = str(error)[:160], "FAILED"
            self.failed += 1
        self.rows.append((outcome, name, f"{time.time() - begin:.2f} s", note))
        print(f"{outcome:6} {name:45} {time.time() - begin:6.2f} s  {note}", flush=True)

    def model(self, path, **options):
        def body():
            tensors = safetensors(path[:-4] + ".safetensors")
            for prefix, inputs, outputs in cases(tensors):
                executable = self.litz.compile(path, **options)
                # A number is read on the host; a 0-d tensor may lie there too.
                given = [OnDevice(self.device, a) if a.ndim else OnHost(a) for a in inputs]
                room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
                # Graphs are recorded by the second run and replayed by the third; state goes on from run to run.
                stateful = any(word in path for word in ("stateful", "tied_views"))
                runs = 3 if options and not stateful else 1
                for _ in range(runs):
                    executable.run_into([t.dl for t in given], [t.dl for t in room])
                for got, want in zip(room, outputs):
                    close(got.value(), want)
                kernels = len(executable.describe()["kernels"])
                for t in given + room:
                    t.release()
                executable.release()
                if stateful:
                    break
            return f"{kernels} kernels"
        mode = f" ({options['mode']})" if "mode" in options else ""
        self.test(os.path.basename(path)[:-4] + mode, body)

    def small(self, **options):
        path = os.path.join(DATA, "mlp.pt2")
        tensors = safetensors(path[:-4] + ".safetensors")
        _, inputs, outputs = next(cases(tensors))
        return self.litz.compile(path, **options), inputs, outputs

    def artifact(self):
        executable, inputs, outputs = self.small()
        path = os.path.join(tempfile.mkdtemp(), "mlp.so")
        self.litz.call("litz_executable_save", executable.handle, path.encode())
        opened = C.c_void_p()
        self.litz.call("litz_executable_open", path.encode(), None, C.byref(opened))
        given = [OnDevice(self.device, a) for a in inputs]
        room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
        Executable(self.litz, opened).run_into([t.dl for t in given], [t.dl for t in room])
        for got, want in zip(room, outputs):
            close(got.value(), want)
        return f"{os.path.getsize(path) >> 10} KB"

    def streams(self):
        executable, inputs, outputs = self.small()
        stream = self.device.stream()
        options = RunOptions(C.sizeof(RunOptions), HAS_STREAM | ASYNC, 0, stream)
        given = [OnDevice(self.device, a) for a in inputs]
        room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
        for _ in range(50):
            executable.run_into([t.dl for t in given], [t.dl for t in room], options)
        self.litz.call("litz_executable_synchronize", executable.handle)
        self.device.wait(stream)
        for got, want in zip(room, outputs):
            close(got.value(), want)

    def misaligned(self):
        executable, inputs, outputs = self.small()
        given = [OnDevice(self.device, a, offset=4) for a in inputs]
        room = [OnDevice(self.device, np.zeros_like(a), offset=4) for a in outputs]
        executable.run_into([t.dl for t in given], [t.dl for t in room])
        for got, want in zip(room, outputs):
            close(got.value(), want)

    def threads(self):
        executable, inputs, outputs = self.small()
        wrong = []

        def work():
            self.device.check(self.device.cuda.cuCtxSetCurrent(self.device.context))
            given = [OnDevice(self.device, a) for a in inputs]
            room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
            for _ in range(50):
                executable.run_into([t.dl for t in given], [t.dl for t in room])
            try:
                for got, want in zip(room, outputs):
                    close(got.value(), want)
            except AssertionError as error:
                wrong.append(str(error))
        workers = [threading.Thread(target=work) for _ in range(16)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert not wrong, wrong[0]

    def elsewhere(self):
        executable, inputs, outputs = self.small()
        given = [describe(a, a.ctypes.data, 1) for a in inputs]
        room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
        try:
            executable.run_into(given, [t.dl for t in room])
        except Failure as failure:
            assert failure.status == DEVICE and "input 0" in failure.message, failure
            return
        raise AssertionError("a tensor of the host was taken")

    def gives(self, text, inputs, outputs, tolerance=0, runs=1, **options):
        """Runs a graph; its results, which must be the same each time and these."""
        executable = self.litz.compile(text, **options)
        given = [OnDevice(self.device, a) for a in inputs]
        results = []
        for _ in range(runs):
            room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
            executable.run_into([t.dl for t in given], [t.dl for t in room])
            results.append([t.value().copy() for t in room])
            for t in room:
                t.release()
        for t in given:
            t.release()
        executable.release()
        for got in results[1:]:
            assert all(a.tobytes() == b.tobytes() for a, b in zip(got, results[0])), "two runs differ"
        for got, want in zip(results[0], outputs):
            worst = np.abs(got.astype(np.float64) - want).max() if tolerance else np.count_nonzero(got != want)
            assert worst <= tolerance, f"{worst} beside {want.shape}"

    def lines(self):
        """Sorts, the first of lines, and scans, in and beyond a block's memory, along both kinds of dimensions."""
        random = np.random.default_rng(0)
        for rows, width in ((3, 1), (5, 33), (2, 8000), (2, 20000)):
            x = random.integers(-50, 50, (rows, width)).astype(np.float32)
            for axis, largest in ((1, False), (0, True)):
                places = np.argsort(-x if largest else x, axis, kind="stable")
                self.gives(f"""graph "sort" {{
                  input %0 "x": float32[{rows}, {width}]
                  %1, %2 = aten.sort.stable(%0, stable=true, dim={axis}, descending={str(largest).lower()})
                  output "values" = %1
                  output "places" = %2
                }}""", [x], [np.take_along_axis(x, places, axis), places])
            # Different elements have one order.
            y = random.permutation(rows * width).reshape(rows, width).astype(np.int64)
            k = min(width, 7)
            places = np.argsort(-y, 1)[:, :k]
            self.gives(f"""graph "first" {{
              input %0 "x": int64[{rows}, {width}]
              %1, %2 = aten.topk.default(%0, {k}, 1, true, true)
              output "values" = %1
              output "places" = %2
            }}""", [y], [np.take_along_axis(y, places, 1), places])
        for rows, width in ((1, 300000), (40, 5000), (5000, 40), (3, 1)):
            x = random.integers(-1000, 1000, (rows, width)).astype(np.int64)
            for axis in (0, 1):
                self.gives(f"""graph "scan" {{
                  input %0 "x": int64[{rows}, {width}]
                  %1 = aten.cumsum.default(%0, {axis})
                  %2, %3 = aten.cummax.default(%0, {axis})
                  output "sums" = %1
                  output "most" = %2
                }}""", [x], [np.cumsum(x, axis), np.maximum.accumulate(x, axis)])

    def equal_keys(self):
        """Lines in which keys meet: equal ones keep their order, in and beyond a block's memory."""
        random = np.random.default_rng(3)
        for width in (17, 300, 2049, 8192, 20000):
            few = max(2, width // 3)
            text = f"""graph "orders" {{
              input %0 "x": int64[5, {width}]
              %1, %2 = aten.sort.default(%0, 1, false)
              %3, %4 = aten.sort.default(%0, 1, true)
              %5, %6 = aten.topk.default(%0, {few}, 1, true, true)
              %7, %8 = aten.topk.default(%0, {few}, 1, false, false)
              %9, %10 = aten.kthvalue.default(%0, {few}, 1, false)
              output "rising" = %2
              output "falling" = %4
              output "most" = %6
              output "least" = %8
              output "one" = %10
            }}"""
            for kinds in (1, 3, few, 3 * width):
                x = random.integers(0, kinds, (5, width)).astype(np.int64)
                x[3].sort()
                x[4] = np.minimum(np.arange(width), np.arange(width)[::-1])
                want = [np.zeros((5, n), np.int64) for n in (width, width, few, few)] + [np.zeros(5, np.int64)]
                host = self.litz.compile(text, backend="interpreter")
                host.run_into([OnHost(x).dl], [OnHost(a).dl for a in want])
                host.release()
                self.gives(text, [x], want)

    def wide_rows(self):
        """Rows that a block keeps, that the blocks of a cluster share, and that are walked along."""
        random = np.random.default_rng(0)
        for rows, width in ((266, 20000), (140, 50257), (140, 128256), (133, 262144), (266, 300000)):
            x = (random.standard_normal((rows, width)) * 3).astype(np.float32)
            y, exact = random.standard_normal(x.shape).astype(np.float32), x.astype(np.float64)
            e = np.exp(exact - exact.max(1, keepdims=True))
            mean, spread = exact.mean(1, keepdims=True), np.sqrt(exact.var(1, keepdims=True) + 1e-5)
            self.gives(f"""graph "rows" {{
              input %0 "x": float32[{rows}, {width}]
              input %1 "y": float32[{rows}, {width}]
              %2 = aten._softmax.default(%0, 1, false)
              %3 = aten.layer_norm.default(%0, [{width}], None, None, 1e-05, true)
              %4 = aten.mul.Tensor(%3, %1)
              %5 = aten.logsumexp.default(%0, [1])
              output "softmax" = %2
              output "norm" = %4
              output "logsumexp" = %5
            }}""", [x, y], [a.astype(np.float32) for a in (e / e.sum(1, keepdims=True), (exact - mean) / spread * y, np.log(e.sum(1)) + exact.max(1))],
                2e-5, runs=2)

    def lines_of_any_length(self):
        """Sizes that a run finds, of one program: lines that a block holds, and lines that blocks share."""
        random = np.random.default_rng(2)
        for width in (1, 40, 8192, 8193, 50000):
            x = random.integers(-99, 99, (3, width)).astype(np.int64)
            at = random.integers(0, 7, width).astype(np.int64)
            places = np.argsort(x, 1, kind="stable")
            counts = np.zeros(7, np.float32)
            np.add.at(counts, at, x[0])
            self.gives("""graph "lines" {
              symbol s0 in [1, 1000000]
              input %0 "x": int64[3, s0]
              input %1 "at": int64[s0]
              input %2 "zero": float32[7]
              %3, %4 = aten.sort.stable(%0, stable=true, dim=1)
              %5 = aten.cumsum.default(%0, 1)
              %6 = aten.select.int(%0, 0, 0)
              %7 = aten.to.dtype(%6, float32)
              %8 = aten.index_put.default(%2, [%1], %7, true)
              output "places" = %4
              output "sums" = %5
              output "counts" = %8
            }""", [x, at, np.zeros(7, np.float32)], [places, np.cumsum(x, 1), counts], runs=2)

    def nothing(self):
        """Of no elements there are sums, counts and runs too."""
        for shape in ([0, 200], [200, 0], [0]):
            x = np.zeros(shape, np.float32)
            self.gives(f"""graph "sums" {{
              input %0 "x": float32{shape}
              %1 = aten.sum.dim_IntList(%0, [-1])
              %2 = aten.sum.default(%1)
              %3 = aten.add.Scalar(%2, 3)
              output "rows" = %1
              output "all" = %3
            }}""", [x], [np.sum(x, -1), np.full((), 3, np.float32)])
            self.gives(f"""graph "runs" {{
              input %0 "x": float32{shape}
              %1, %2, %3 = aten.unique_consecutive.default(%0, true, true)
              output "run" = %2
              output "lengths" = %3
            }}""", [x], [np.zeros(shape, np.int64), np.zeros(0, np.int64)])

    def rows_and_columns(self):
        """Sums of one matrix over its rows and over its columns, in one read."""
        x = np.random.default_rng(6).integers(-8, 9, (4608, 7680)).astype(np.float32)
        text = """graph "both" {
          input %0 "x": float32[4608, 7680]
          %1 = aten.REDUCE(%0, [0])
          %2 = aten.sum.dim_IntList(%0, [1])
          output "columns" = %1
          output "rows" = %2
        }"""
        for name, columns in (("sum.dim_IntList", x.sum(0)), ("amax.default", x.max(0))):
            both = self.litz.compile(text.replace("REDUCE", name))
            kinds = [k["kind"] for k in both.describe()["kernels"]]
            assert kinds == ["panels"], f"they are read by {kinds}"
            both.release()
            self.gives(text.replace("REDUCE", name), [x], [columns, x.sum(1)], runs=3)

    def scatters(self):
        """Points that meet, few and many: integers in any order, floats in one, so that two runs agree to the last bit."""
        random = np.random.default_rng(0)
        for rows, points, width in ((7, 3, 5), (50, 5000, 96), (900, 40, 9000), (3000, 20000, 1), (3, 20000, 1), (2, 3000, 70),
                                    (600, 70000, 3), (40, 60000, 1), (1, 3000, 300)):
            at = random.integers(0, rows, points).astype(np.int64)
            for dtype, name in ((np.float32, "float32"), (np.int64, "int64")):
                x = random.integers(-9, 9, (rows, width)).astype(dtype)
                y = (random.standard_normal((points, width)) * 100).astype(dtype)
                want = x.astype(np.float64)
                np.add.at(want, at, y)
                text = f"""graph "add" {{
                  input %0 "x": {name}[{rows}, {width}]
                  input %1 "at": int64[{points}]
                  input %2 "y": {name}[{points}, {width}]
                  %3 = aten.index_put.default(%0, [%1], %2, true)
                  output "z" = %3
                }}"""
                tolerance = 0 if dtype == np.int64 else 0.05
                self.gives(text, [x, at, y], [want.astype(dtype)], tolerance, runs=3)
                if dtype == np.float32:
                    any_order = {"cuda.deterministic": "false"}
                    self.gives(text, [x, at, y], [want.astype(dtype)], tolerance, **any_order)
                # Of points that meet the last one stays.
                last = x.copy()
                for point, row in enumerate(at):
                    last[row] = y[point]
                self.gives(text.replace("true", "false"), [x, at, y], [last], runs=3)

    def scatters_of_lines(self):
        """Points of many lines, which meet within theirs: along either dimension, and counts of them, whose order does not show."""
        random = np.random.default_rng(1)
        for lines, points, places in ((300, 900, 50), (3, 20000, 7), (700, 17, 4), (1000, 4096, 30000), (2, 5, 3)):
            at = random.integers(0, places, (lines, points))
            at[0] = 1
            x, y = random.integers(-9, 9, (lines, places)).astype(np.float32), random.integers(-9, 9, (lines, points)).astype(np.float32)
            added, last = x.copy(), x.copy()
            for line in range(lines):
                np.add.at(added[line], at[line], y[line])
                last[line, at[line]] = y[line]
            for dim in (1, 0):
                turn = lambda a: np.ascontiguousarray(a.T) if dim == 0 else a
                shape = lambda n: [lines, n] if dim == 1 else [n, lines]
                text = f"""graph "lines" {{
                  input %0 "x": float32{shape(places)}
                  input %1 "at": int64{shape(points)}
                  input %2 "y": float32{shape(points)}
                  %3 = aten.scatter_add.default(%0, {dim}, %1, %2)
                  output "z" = %3
                }}"""
                self.gives(text, [turn(a) for a in (x, at, y)], [turn(added)], 0, runs=3)
                self.gives(text.replace("scatter_add.default", "scatter.src"), [turn(a) for a in (x, at, y)], [turn(last)], 0, runs=3)
        x = (random.standard_normal(300000) * 2).astype(np.float32)
        x[:3] = -3, 3, 0
        text = """graph "counts" {
          input %0 "x": float32[300000]
          %1 = aten.histc.default(%0, 60, -3, 3)
          output "y" = %1
        }"""
        inside = x[(x >= -3) & (x <= 3)]
        place = np.minimum((inside - np.float32(-3)) * np.float32(60) / np.float32(6), np.float32(59)).astype(np.int64)
        self.gives(text, [x], [np.bincount(place, minlength=60).astype(np.float32)], 0, runs=3)

    def extremes(self):
        """The place of an extreme among many elements, which blocks share: the first of equal ones, the first NaN before all."""
        random = np.random.default_rng(2)
        for rows, columns in ((1, 128256), (3, 1 << 20), (1 << 16, 8), (7, 100003), (65536, 64)):
            for nans in (0, 3):
                x = random.integers(-1000, 1000, (rows, columns)).astype(np.float32)
                x.reshape(-1)[random.integers(0, x.size, nans)] = np.nan
                for name, of in (("argmax", np.argmax), ("argmin", np.argmin)):
                    text = f"""graph "extremes" {{
                      input %0 "x": float32[{rows}, {columns}]
                      %1 = aten.{name}.default(%0)
                      %2 = aten.{name}.default(%0, 0)
                      %3 = aten.{name}.default(%0, 1)
                      output "all" = %1
                      output "columns" = %2
                      output "rows" = %3
                    }}"""
                    self.gives(text, [x], [np.array(of(x)), of(x, 0), of(x, 1)], runs=3)
                text = f"""graph "largest" {{
                  input %0 "x": float32[{rows}, {columns}]
                  %1, %2 = aten.max.dim(%0, 1)
                  output "values" = %1
                  output "places" = %2
                }}"""
                if not nans:
                    self.gives(text, [x], [x.max(1), x.argmax(1)])

    def places(self):
        """Places and elements that a mask picks, few and nearly all, of many."""
        random = np.random.default_rng(3)
        for shape, least in (((2000, 1100), 0.1), ((2000, 1100), 0.99), ((7,), 0.5), ((40, 50, 60), 0.5), ((300, 5), 2.0), ((0, 4), 0.5)):
            x = random.random(shape).astype(np.float32)
            text = f"""graph "places" {{
              input %0 "x": float32{list(shape)}
              %1 = aten.gt.Scalar(%0, {least})
              %2 = aten.nonzero.default(%1)
              %3 = aten.masked_select.default(%0, %1)
              output "places" = %2
              output "picked" = %3
            }}"""
            mask = x > np.float32(least)
            self.gives(text, [x], [np.argwhere(mask), x[mask]], runs=2)

    def repeated(self):
        """A sum at places of which data say how many there are: the kernel's workspace waits for the number."""
        text = """graph "repeated" {
          input %0 "counts": int64[3]
          input %1 "x": float32[2, 3, 4]
          %2 = aten.repeat_interleave.Tensor(%0)
          %3 = aten.index_select.default(%1, 1, %2)
          %4 = aten.zeros_like.default(%1)
          %5 = aten.index_add.default(%4, 1, %2, %3)
          output "y" = %5
        }"""
        x = np.random.default_rng(3).standard_normal((2, 3, 4)).astype(np.float32)
        for counts in ([2, 1, 3], [0, 700, 5]):
            counts = np.array(counts)
            self.gives(text, [counts, x], [x * counts[None, :, None].astype(np.float32)], 1e-3)

    def folded(self):
        """Windows added up to an image: neighbours meet in each element."""
        x = np.random.default_rng(0).standard_normal((2, 4 * 9, 32 * 32)).astype(np.float32)
        want = np.zeros((2, 4, 34, 34))
        windows = x.reshape(2, 4, 3, 3, 32, 32)
        for row in range(3):
            for column in range(3):
                want[:, :, row : row + 32, column : column + 32] += windows[:, :, row, column]
        text = """graph "fold" {
          input %0 "x": float32[2, 36, 1024]
          %1 = aten.col2im.default(%0, [32, 32], [3, 3], [1, 1], [1, 1], [1, 1])
          output "y" = %1
        }"""
        self.gives(text, [x], [want[:, :, 1:33, 1:33].astype(np.float32)], 1e-5, runs=2)

    def reduced_windows(self):
        """The result of small windows and a mean of it, as squeeze-and-excite blocks take it."""
        draw = np.random.default_rng(0).standard_normal
        x, w = draw((1, 72, 56, 56)).astype(np.float32), draw((72, 1, 3, 3)).astype(np.float32)
        padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
        want = sum(padded[:, :, r : r + 56, c : c + 56] * w[None, :, 0, r, c, None, None] for r in range(3) for c in range(3))
        text = """graph "reduced_windows" {
          input %0 "x": float32[1, 72, 56, 56]
          input %1 "w": float32[72, 1, 3, 3]
          %2 = aten.conv2d.default(%0, %1, None, [1, 1], [1, 1], [1, 1], 72)
          %3 = aten.mean.dim(%2, [2, 3], true)
          output "y" = %2
          output "mean" = %3
        }"""
        wanted = [want.astype(np.float32), want.mean((2, 3), keepdims=True).astype(np.float32)]
        self.gives(text, [x, w], wanted, 1e-4, runs=2)

    def lowest_scores(self):
        """Masks of a dtype's lowest number: over a query's first keys, and over all of them, whose weights are equal then."""
        draw, lowest = np.random.default_rng(0).standard_normal, -3.3895314e38
        for queries in (200, 4):
            q, k, v = (draw((1, 4, n, 64)).astype(np.float32) for n in (queries, 512, 512))
            mask = np.zeros((queries, 512), np.float32)
            mask[:, :300], mask[1] = lowest, lowest
            scores = q.astype(np.float64) @ k.transpose(0, 1, 3, 2) / 8
            weights = np.exp(scores - scores.max(-1, keepdims=True)) * (mask == 0)
            weights[:, :, 1] = 1
            want = (weights / weights.sum(-1, keepdims=True)) @ v
            text = f"""graph "lowest" {{
              input %0 "q": float32[1, 4, {queries}, 64]
              input %1 "k": float32[1, 4, 512, 64]
              input %2 "v": float32[1, 4, 512, 64]
              input %3 "mask": float32[{queries}, 512]
              %4 = aten.to.dtype(%0, bfloat16)
              %5 = aten.to.dtype(%1, bfloat16)
              %6 = aten.to.dtype(%2, bfloat16)
              %7 = aten.to.dtype(%3, bfloat16)
              %8 = aten.scaled_dot_product_attention.default(%4, %5, %6, %7)
              %9 = aten.to.dtype(%8, float32)
              output "y" = %9
            }}"""
            self.gives(text, [q, k, v, mask], [want.astype(np.float32)], 3e-2, runs=2)

    def state(self):
        """State that a row's reduction is added to, which the threads of the row read and one of them stores."""
        for shape, kept, total, of in (((64, 96), (96,), "aten.sum.dim_IntList(%0, [0])", lambda x: x.sum(0)),
                                       ((67, 96), (67, 1), "aten.sum.dim_IntList(%0, [1], true)", lambda x: x.sum(1, keepdims=True)),
                                       ((5, 9000), (5, 1), "aten.sum.dim_IntList(%0, [1], true)", lambda x: x.sum(1, keepdims=True)),
                                       ((40,), (), "aten.sum.default(%0)", lambda x: x.sum())):
            text = f"""graph "state" {{
              input %0 "x": float32[{", ".join(map(str, shape))}]
              input %1 "state": float32[{", ".join(map(str, kept))}]
              %2 = {total}
              %3 = aten.add_.Tensor(%1, %2)
              %4 = aten.sub.Tensor(%0, %3)
              output "y" = %4
            }}"""
            x = np.random.default_rng(5).integers(-4, 5, shape).astype(np.float32)
            executable = self.litz.compile(text)
            given, state = OnDevice(self.device, x), OnDevice(self.device, np.zeros(kept, np.float32))
            y = OnDevice(self.device, np.zeros_like(x))
            for k in range(1, 31):
                executable.run_into([given.dl, state.dl], [y.dl])
                want = (k * of(x)).astype(np.float32).reshape(kept)
                assert np.array_equal(state.value(), want), f"state {kept} after {k} runs"
                assert np.array_equal(y.value(), x - want), f"what is made of state {kept} after {k} runs"
            for t in (given, state, y):
                t.release()
            executable.release()

    def large_numbers(self):
        """Integers beyond 32 bits that small tensors are computed from."""
        first, step = 3_000_000_000, 1 << 33
        text = f"""graph "ranges" {{
          input %0 "x": int64[1000]
          %1 = aten.arange.start_step({first}, {first + 1000}, 1)
          %2 = aten.arange.start_step(0, {1000 * step}, {step})
          %3 = aten.add.Tensor(%0, %1)
          %4 = aten.add.Tensor(%0, %2)
          output "y" = %3
          output "z" = %4
        }}"""
        x = np.arange(1000, dtype=np.int64)[::-1].copy()
        self.gives(text, [x], [x + first + np.arange(1000), x + step * np.arange(1000)], 0)
        # The windows' places are quotients of numbers up to 3.5 billions.
        size, out = 70001, 50000
        text = f"""graph "pool" {{
          input %0 "x": float32[2, 1, {size}]
          %1 = aten.adaptive_avg_pool1d.default(%0, [{out}])
          output "y" = %1
        }}"""
        x = np.random.default_rng(3).standard_normal((2, 1, size)).astype(np.float32)
        places = np.arange(out, dtype=np.int64)
        begin, end = places * size // out, -(-(places + 1) * size // out)
        sums = np.concatenate([np.zeros((2, 1, 1)), x.cumsum(2, dtype=np.float64)], 2)
        self.gives(text, [x], [((sums[..., end] - sums[..., begin]) / (end - begin)).astype(np.float32)], 1e-5)

    def too_large(self):
        path = os.path.join(DATA, "mlp_dynamic_batch.pt2")
        tensors = safetensors(path[:-4] + ".safetensors")
        _, inputs, outputs = next(cases(tensors))
        executable = self.litz.compile(path)
        beyond = describe(inputs[0], 1 << 40, 2)
        shape = (C.c_int64 * inputs[0].ndim)(1 << 40, *inputs[0].shape[1:])
        beyond.shape = C.cast(shape, C.POINTER(C.c_int64))
        room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
        try:
            executable.run_into([beyond], [t.dl for t in room])
        except Failure as failure:
            assert failure.status in (SHAPE, OUT_OF_MEMORY), failure
        else:
            raise AssertionError("a tensor larger than memory was taken")
        given = [OnDevice(self.device, a) for a in inputs]
        executable.run_into([t.dl for t in given], [t.dl for t in room])
        for got, want in zip(room, outputs):
            close(got.value(), want)


def main():
    faulthandler.enable()
    device = Device()
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    print(f"{time.strftime('%Y-%m-%d')}, {device.name}\n")
    tests = Tests(Litz(os.path.abspath(sys.argv[1])), device, only)
    for path in sorted(glob.glob(os.path.join(DATA, "*.pt2"))):
        # What PyTorch's autocast makes of a program on a CPU rounds otherwise than on a GPU.
        if os.path.exists(path[:-4] + ".safetensors") and "autocast" not in path:
            tests.model(path)
            tests.model(path, mode="reduce-overhead")
    attention.run(tests, OnDevice)
    tests.test("an artifact, saved and opened", tests.artifact)
    artifacts.run(tests, tests.litz, device)
    tests.test("runs on the host's stream, asynchronous", tests.streams)
    tests.test("misaligned tensors", tests.misaligned)
    tests.test("16 threads over one executable", tests.threads)
    convolutions.run(tests, tests.litz, device)
    products.run(tests, tests.litz, device)
    codes.run(tests, tests.litz, device)
    operators.run(tests, tests.litz, device)
    halves.run(tests, tests.litz, device)
    updates.run(tests, tests.litz, device)
    training.run(tests, tests.litz, device)
    unfused.run(tests, tests.litz, device)
    linalg.run(tests, tests.litz, device)
    random_numbers.run(tests, tests.litz, device)
    tests.test("sorts and scans of lines", tests.lines)
    tests.test("sorts of equal keys", tests.equal_keys)
    tests.test("wide rows", tests.wide_rows)
    tests.test("sorts and scans of lines of any length", tests.lines_of_any_length)
    tests.test("results of nothing", tests.nothing)
    tests.test("rows and columns of one matrix", tests.rows_and_columns)
    tests.test("scatters whose points meet", tests.scatters)
    tests.test("scatters of lines", tests.scatters_of_lines)
    tests.test("extremes and their places", tests.extremes)
    tests.test("places that a mask picks", tests.places)
    tests.test("sums at places whose number data say", tests.repeated)
    tests.test("windows added up to an image", tests.folded)
    tests.test("windows whose results are reduced", tests.reduced_windows)
    tests.test("attention to scores that are the lowest number", tests.lowest_scores)
    tests.test("numbers beyond 32 bits", tests.large_numbers)
    tests.test("state that a reduction is added to", tests.state)
    tests.test("random graphs", lambda: random_graphs.check(tests.litz, device))
    tests.test("random networks over images", lambda: random_images.check(tests.litz, device))
    tests.test("a tensor that is elsewhere is named", tests.elsewhere)
    host.run(tests, tests.litz, device)
    watching.run(tests, tests.litz, device)
    tests.test("a tensor larger than memory; the next run", tests.too_large)
    machine.add(tests)
    print(f"\n{len(tests.rows) - tests.failed} passed, {tests.failed} failed")
    if os.environ.get("LITZ_TABLE"):
        with open(os.environ["LITZ_TABLE"], "w") as table:
            table.write(f"{time.strftime('%Y-%m-%d')}, {device.name}\n\n| test | outcome |\n|---|---|\n")
            table.writelines(f"| {name} | {outcome}{', ' + note if note else ''} |\n" for outcome, name, _, note in tests.rows)
    sys.exit(1 if tests.failed else 0)


if __name__ == "__main__":
    main()
