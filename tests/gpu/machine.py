"""CUDA graphs, memory, streams, several GPUs and faults, on a real GPU."""
import ctypes as C, json, os, subprocess, sys
import numpy as np

from litz import (ASYNC, CUDA, DATA, DEVICE, Device, Failure, HAS_STREAM, Litz, OnDevice, OUT_OF_MEMORY, RunOptions, STATE, cases,
                  close, describe, safetensors)


def refused(body, status, *parts):
    """What a call that must fail says."""
    try:
        body()
    except Failure as failure:
        assert failure.status == status, f"status {failure.status} instead of {status}: {failure.message}"
        for part in parts:
            assert part in failure.message, f"`{part}` is not in: {failure.message}"
        return failure.message
    raise AssertionError("it was taken")


class Machine:
    def __init__(self, litz, device):
        self.litz, self.device = litz, device
        self.dynamic = os.path.join(DATA, "mlp_dynamic_batch.pt2")

    def stats(self, index=0):
        text = C.c_void_p()
        self.litz.call("litz_memory_stats", 2, index, C.byref(text))
        value = json.loads(self.litz.library.litz_string_data(text))
        self.litz.library.litz_string_release(text)
        return value

    def release(self):
        self.litz.call("litz_memory_release", 2, 0)

    def once(self, executable, array, width, options=None, device=None):
        """One run on memory of its own; its result."""
        device = device or self.device
        given, room = OnDevice(device, array), OnDevice(device, np.zeros((len(array), width), np.float32))
        executable.run_into([given.dl], [room.dl], options)
        self.litz.call("litz_executable_synchronize", executable.handle)
        got = room.value()
        given.release(), room.release()
        return got

    def example(self):
        tensors = safetensors(self.dynamic[:-4] + ".safetensors")
        _, inputs, outputs = next(cases(tensors))
        return inputs[0], outputs[0].shape[1]

    def graphs_of_sizes(self):
        plain, fast = self.litz.compile(self.dynamic), self.litz.compile(self.dynamic, mode="reduce-overhead")
        like, width = self.example()
        random = np.random.default_rng(1)
        for k in range(120):
            array = random.standard_normal((2 + k * 7 % 20, like.shape[1])).astype(np.float32)
            close(self.once(fast, array, width), self.once(plain, array, width))
        counts = fast.describe()["graphs"]
        assert counts["recorded"] <= 8 and counts["replayed"] >= 100 and counts["patched"] > 0, counts
        assert counts["not_recorded_because"] is None, counts
        assert "mode" in plain.describe()["graphs"]["not_recorded_because"]
        plain.release(), fast.release()
        return json.dumps(counts)

    def graphs_and_new_constants(self):
        executable = self.litz.compile(self.dynamic, mode="reduce-overhead")
        like, width = self.example()
        constants = executable.describe()["constants"]
        bias = next(c for c in constants if len(c["shape"]) == 1 and c["shape"][0] == width)
        results = []
        for shift in range(3):
            value = np.full(bias["shape"], float(shift), np.float32)
            names = (C.c_char_p * 1)(bias["name"].encode())
            tensor = describe(value, value.ctypes.data, 1)
            self.litz.call("litz_executable_update_constants", executable.handle, names, (C.c_void_p * 1)(C.addressof(tensor)),
                           C.c_size_t(1))
            results.append([self.once(executable, like, width) for _ in range(4)])
        for shift in range(3):
            for got in results[shift]:
                close(got, results[0][0] + shift)
        executable.release()

    def graphs_on_streams(self):
        executable = self.litz.compile(self.dynamic, mode="reduce-overhead")
        like, width = self.example()
        want = self.once(executable, like, width)
        streams = [self.device.stream(), self.device.stream(), C.c_void_p(0)]
        for k in range(30):
            options = RunOptions(C.sizeof(RunOptions), HAS_STREAM | ASYNC, 0, streams[k % 3])
            close(self.once(executable, like, width, options), want)
        executable.release()

    def steps(self):
        executable = self.litz.compile(self.dynamic, mode="reduce-overhead")
        like, width = self.example()
        given = [OnDevice(self.device, like + k) for k in range(3)]
        room = [OnDevice(self.device, np.zeros((len(like), width), np.float32)) for _ in range(3)]
        for step in range(5):
            self.litz.library.litz_cudagraph_mark_step_begin()
            for k in range(3):
                executable.run_into([given[k].dl], [room[k].dl])
            if step == 2:
                before = executable.describe()["graphs"]["patched"]
        counts = executable.describe()["graphs"]
        assert counts["recorded"] == 3 and counts["patched"] == before, counts
        for t in given + room:
            t.release()
        executable.release()
        return json.dumps(counts)

    def shared_memory(self):
        path = os.path.join(DATA, "gpt2_tiny.pt2")
        inputs = next(cases(safetensors(path[:-4] + ".safetensors")))[1]
        outputs = next(cases(safetensors(path[:-4] + ".safetensors")))[2]
        for trees in ("true", "false"):
            programs = [self.litz.compile(path, mode="reduce-overhead", **{"cudagraph.trees": trees}) for _ in range(4)]
            given = [OnDevice(self.device, a) for a in inputs]
            room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
            for _ in range(4):
                for program in programs:
                    program.run_into([t.dl for t in given], [t.dl for t in room])
                    close(room[0].value(), outputs[0])
            for t in given + room:
                t.release()
            for program in programs:
                program.release()

    def shared_constants(self):
        """Two programs over equal constants have one copy of them on the device; an update is one program's own."""
        path = os.path.join(DATA, "gpt2_tiny.pt2")
        _, inputs, outputs = next(cases(safetensors(path[:-4] + ".safetensors")))
        self.release()
        empty = self.stats()["allocated"]
        first = self.litz.compile(path)
        one = self.stats()["allocated"] - empty
        second = self.litz.compile(path)
        more = self.stats()["allocated"] - empty - one
        assert one > 0 and more < one / 2, (one, more)
        given = [OnDevice(self.device, a) for a in inputs]
        room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]

        def result(executable):
            executable.run_into([t.dl for t in given], [t.dl for t in room])
            return room[0].value()

        close(result(second), outputs[0])
        largest = max(first.describe()["constants"], key=lambda c: int(np.prod(c["shape"])))
        value = np.zeros(largest["shape"], np.float32)
        names, tensor = (C.c_char_p * 1)(largest["name"].encode()), describe(value, value.ctypes.data, 1)
        self.litz.call("litz_executable_update_constants", first.handle, names, (C.c_void_p * 1)(C.addressof(tensor)), C.c_size_t(1))
        assert np.abs(result(first) - outputs[0]).max() > 1e-3
        close(result(second), outputs[0])
        first.release()
        close(result(second), outputs[0])
        second.release()
        for t in given + room:
            t.release()
        self.release()
        assert self.stats()["allocated"] == empty, (self.stats(), empty)
        return f"{one} bytes for one program, {more} for another one"

    def statistics(self):
        self.release()
        before = self.stats()
        executable = self.litz.compile(self.dynamic)
        like, width = self.example()
        self.once(executable, like, width)
        during = self.stats()
        assert during["allocated"] > before["allocated"] and during["peak_allocated"] >= during["allocated"], during
        assert 0 < during["available"] < during["total"], during
        executable.release()
        self.release()
        after = self.stats()
        assert after["allocated"] <= before["allocated"] and after["cached"] <= before["cached"], (before, after)
        refused(lambda: self.stats(99), DEVICE, "no CUDA device 99")
        return json.dumps(during)

    def out_of_memory(self):
        text = ('graph "wide" {\n  input %0 "x": float32[1048576]\n  %1 = aten.repeat.default(%0, [1048576])\n'
                '  output "z" = %1\n}\n')
        executable = self.litz.compile(text)
        given, out = OnDevice(self.device, np.zeros(1 << 20, np.float32)), (C.c_void_p * 1)()
        inputs = (C.c_void_p * 1)(C.addressof(given.dl))
        message = refused(lambda: self.litz.call("litz_executable_run", executable.handle, inputs, C.c_size_t(1), out, C.c_size_t(1),
                                                 None), OUT_OF_MEMORY, "are free", "cached")
        given.release(), executable.release()
        self.statistics()
        return message

    def asserted_sizes(self):
        executable = self.litz.compile(self.dynamic, **{"debug.size_asserts": "true"})
        like, width = self.example()
        want = self.once(executable, like, width)
        room = OnDevice(self.device, np.zeros((len(like), width), np.float32))
        wrong = describe(like, like.ctypes.data, 2)
        refused(lambda: executable.run_into([wrong], [room.dl]), DEVICE, "is not memory of a GPU")
        close(self.once(executable, like, width), want)
        room.release(), executable.release()

    def captured_stream(self):
        executable = self.litz.compile(self.dynamic)
        like, width = self.example()
        stream, graph = self.device.stream(), C.c_void_p()
        given, room = OnDevice(self.device, like), OnDevice(self.device, np.zeros((len(like), width), np.float32))
        self.device.check(self.device.cuda.cuStreamBeginCapture_v2(stream, 2))
        options = RunOptions(C.sizeof(RunOptions), HAS_STREAM | ASYNC, 0, stream)
        refused(lambda: executable.run_into([given.dl], [room.dl], options), 2, "captured")
        self.device.check(self.device.cuda.cuStreamEndCapture(stream, C.byref(graph)))
        executable.run_into([given.dl], [room.dl])
        given.release(), room.release(), executable.release()

    def foreign_stream(self):
        executable = self.litz.compile(self.dynamic)
        like, width = self.example()
        other, device = C.c_void_p(), C.c_int()
        self.device.check(self.device.cuda.cuDeviceGet(C.byref(device), 0))
        # CUDA 13 has a fourth version; the second one stays.
        self.device.check(self.device.cuda.cuCtxCreate_v2(C.byref(other), 0, device))
        stream = self.device.stream()
        self.device.enter()
        options = RunOptions(C.sizeof(RunOptions), HAS_STREAM, 0, stream)
        refused(lambda: self.once(executable, like, width, options), DEVICE, "another context")
        self.device.check(self.device.cuda.cuCtxDestroy_v2(other))
        self.device.enter()
        self.once(executable, like, width)
        executable.release()

    def two_devices(self):
        if self.device.count < 2:
            return "one GPU here"
        first, second = self.litz.compile(self.dynamic), self.litz.compile(self.dynamic, device="1", mode="reduce-overhead")
        like, width = self.example()
        want = self.once(first, like, width)
        other = Device(1)
        for _ in range(4):
            close(self.once(second, like, width, device=other), want)
        there, room = OnDevice(other, like), OnDevice(other, np.zeros((len(like), width), np.float32))
        refused(lambda: first.run_into([there.dl], [room.dl]), DEVICE, "input 0", "index 1")
        there.release(), room.release()
        self.device.enter()
        here = OnDevice(self.device, like)
        refused(lambda: second.run_into([here.dl], [here.dl]), DEVICE, "input 0", "index 0")
        assert self.stats(1)["allocated"] > 0
        here.release(), first.release(), second.release()

    def torch_tensors(self):
        try:
            import torch
        except ImportError:
            return "no PyTorch here"
        executable = self.litz.compile(self.dynamic, mode="reduce-overhead")
        like, width = self.example()
        want = self.once(executable, like, width)
        stream = torch.cuda.Stream()
        for k in range(10):
            with torch.cuda.stream(stream):
                x = torch.from_numpy(like).cuda(non_blocking=True)
                z = torch.empty(len(like), width, device="cuda")
                given, room = describe(like, x.data_ptr(), 2), describe(want, z.data_ptr(), 2)
                options = RunOptions(C.sizeof(RunOptions), HAS_STREAM | ASYNC, 0, C.c_void_p(stream.cuda_stream))
                executable.run_into([given], [room], options)
                twice = z + z
            # A copy to the host waits for the current stream alone, which is another one here.
            stream.synchronize()
            close(twice.cpu().numpy(), 2 * want)
        self.litz.call("litz_executable_synchronize", executable.handle)
        executable.release()
        self.device.enter()


def alone(what):
    """A test that ends its process's use of the GPU runs in a process of its own."""
    def body():
        done = subprocess.run([sys.executable, os.path.abspath(__file__), sys.argv[1], what], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, (done.stdout + done.stderr).strip().splitlines()[-1]
        return done.stdout.strip()[-160:]
    return body


def nowhere(m, like):
    """A tensor at addresses that belong to this process and that no memory stands behind."""
    address, granule = C.c_uint64(), 2 << 20
    m.device.check(m.device.cuda.cuMemAddressReserve(C.byref(address), C.c_size_t(granule), C.c_size_t(0), C.c_uint64(0),
                                                     C.c_uint64(0)))
    return describe(like, address.value, 2)


def fault(m):
    good, bad = m.litz.compile(m.dynamic, mode="reduce-overhead"), m.litz.compile(m.dynamic)
    like, width = m.example()
    m.once(good, like, width)
    room = OnDevice(m.device, np.zeros((len(like), width), np.float32))
    unmapped = nowhere(m, like)
    print(refused(lambda: bad.run_into([unmapped], [room.dl]), CUDA, "unusable", "compute-sanitizer"))
    refused(lambda: good.run_into([unmapped], [room.dl]), CUDA, "was lost by an earlier fault")
    refused(lambda: m.litz.compile(m.dynamic), CUDA, "lost")
    good.release(), bad.release()


def later_fault(m):
    bad = m.litz.compile(m.dynamic)
    like, width = m.example()
    room = OnDevice(m.device, np.zeros((len(like), width), np.float32))
    bad.run_into([nowhere(m, like)], [room.dl], RunOptions(C.sizeof(RunOptions), ASYNC))
    print(refused(lambda: m.litz.call("litz_executable_synchronize", bad.handle), CUDA, "unusable"))
    bad.release()


def fork(m):
    executable = m.litz.compile(m.dynamic)
    like, width = m.example()
    want = m.once(executable, like, width)
    given, room = OnDevice(m.device, like), OnDevice(m.device, np.zeros((len(like), width), np.float32))
    child = os.fork()
    if child == 0:
        try:
            refused(lambda: executable.run_into([given.dl], [room.dl]), STATE, "forked")
            refused(lambda: m.litz.compile(m.dynamic), STATE, "forked")
            executable.release()
            os._exit(0)
        except BaseException as error:
            print(error, flush=True)
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    close(m.once(executable, like, width), want)


def add(tests):
    m = Machine(tests.litz, tests.device)
    tests.test("graphs: sizes and memory that change", m.graphs_of_sizes)
    tests.test("graphs: constants that change", m.graphs_and_new_constants)
    tests.test("graphs: on the host's streams", m.graphs_on_streams)
    tests.test("graphs: a graph for each run of a step", m.steps)
    tests.test("graphs: four programs share memory", m.shared_memory)
    tests.test("graphs: PyTorch's tensors on PyTorch's stream", m.torch_tensors)
    tests.test("memory: programs over equal constants share them", m.shared_constants)
    tests.test("memory: statistics and release", m.statistics)
    tests.test("memory: none left; the next run", m.out_of_memory)
    tests.test("size asserts", m.asserted_sizes)
    tests.test("a stream that is being captured", m.captured_stream)
    tests.test("a stream of another context", m.foreign_stream)
    tests.test("two GPUs", m.two_devices)
    tests.test("a fault is reported once", alone("fault"))
    tests.test("a fault of an asynchronous run", alone("later_fault"))
    tests.test("a forked child is told", alone("fork"))


if __name__ == "__main__":
    {"fault": fault, "later_fault": later_fault, "fork": fork}[sys.argv[2]](Machine(Litz(os.path.abspath(sys.argv[1])), Device()))
