"""Updates of many tensors on a GPU, as optimizers make them: computed element by element, and run by few launches."""
import numpy as np

from litz import OnDevice

SHAPES = [(768,), (96, 40), (2304,), (64, 64), (8,), (3, 5, 16), (10,), (7, 3), (1,), (300, 24)]
COUNT = 150


def text(dtype, shapes):
    """Momentum in float32, and a step of each parameter by it; both are written where they lie."""
    lines, n = [], 3 * len(shapes)
    for k, shape in enumerate(shapes):
        of = list(shape)
        lines += [f'input %{3 * k} "p{k}": {dtype}{of}', f'input %{3 * k + 1} "g{k}": {dtype}{of}', f'input %{3 * k + 2} "m{k}": float32{of}']
    lines.append(f'input %{n} "lr": float32[]')
    for k in range(len(shapes)):
        at = n + 1 + 4 * k
        lines += [f"%{at} = aten.mul_.Scalar(%{3 * k + 2}, 0.5)", f"%{at + 1} = aten.add_.Tensor(%{at}, %{3 * k + 1})",
                  f"%{at + 2} = aten.mul.Tensor(%{at + 1}, %{n})", f"%{at + 3} = aten.sub_.Tensor(%{3 * k}, %{at + 2})"]
    return 'graph "updates" {\n  ' + "\n  ".join(lines) + f'\n  output "y" = %{n}\n}}\n'


def check(litz, device, dtype, aligned):
    shapes = [s for s in SHAPES if s[-1] % 8 == 0] if aligned else SHAPES
    shapes = [shapes[k % len(shapes)] for k in range(COUNT)]
    random = np.random.default_rng(5)
    # Exact in halves, so that results are.
    draw = lambda shape, of: (random.integers(-8, 9, shape) / 4).astype(of)
    arrays = [draw(shape, of) for shape in shapes for of in (dtype, dtype, np.float32)]
    given = [OnDevice(device, a) for a in arrays] + [OnDevice(device, np.float32(0.5).reshape(()))]
    room = OnDevice(device, np.zeros((), np.float32))
    executable = litz.compile(text(np.dtype(dtype).name, shapes))
    for _ in range(2):
        executable.run_into([t.dl for t in given], [room.dl])
        for k in range(COUNT):
            m = arrays[3 * k + 2] = arrays[3 * k + 2] * np.float32(0.5) + arrays[3 * k + 1].astype(np.float32)
            arrays[3 * k] = (arrays[3 * k].astype(np.float32) - m * np.float32(0.5)).astype(dtype)
    for t, want in zip(given, arrays):
        assert np.array_equal(t.value(), want), "a parameter or its momentum is wrong"
    launches = len(executable.describe()["kernels"])
    for t in given + [room]:
        t.release()
    executable.release()
    # A launch has up to 64 kernels of one vector's width.
    assert launches <= (4 if aligned else 9), f"{launches} launches"
    return f"{COUNT} tensors, {launches} kernels"


def run(tests, litz, device):
    for dtype in (np.float32, np.float16):
        for aligned in (True, False):
            name = f"updates of many tensors {np.dtype(dtype).name}{'' if aligned else ', some of odd sizes'}"
            tests.test(name, lambda: check(litz, device, dtype, aligned))
