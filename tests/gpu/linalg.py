"""Linear algebra and Fourier transforms in programs for a GPU: cuFFT's transforms against NumPy's, whatever the length, dimension and
alignment, and the routines that run on the host."""
import numpy as np

from litz import OnDevice


def ran(litz, device, text, arrays, results, times=1, offset=0, **options):
    """The results of a program on copies of these arrays."""
    executable = litz.compile(text, **options)
    given = [OnDevice(device, array, offset=offset) for array in arrays]
    room = [OnDevice(device, np.full_like(array, np.nan if array.dtype.kind in "fc" else 0)) for array in results]
    try:
        for _ in range(times):
            executable.run_into([g.dl for g in given], [r.dl for r in room])
        return [r.value() for r in room], executable.describe()
    finally:
        executable.release()
        for tensor in [*given, *room]:
            tensor.release()


def random(shape, dtype):
    source = np.random.default_rng(list(shape))
    x = source.standard_normal(shape)
    return (x + 1j * source.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def name_of(array):
    return f"{array.dtype}[{', '.join(map(str, array.shape))}]"


def near(what, have, want, dtype):
    limit = 1e-11 if np.dtype(dtype).itemsize in (8, 16) and np.dtype(dtype) != np.complex64 else 2e-5
    error = np.linalg.norm(have - want) / max(np.linalg.norm(want), 1e-30)
    assert have.shape == want.shape and error <= limit, f"{what}: off by {error:.1e}"


NORMS = {"backward": '"backward"', "ortho": '"ortho"', "forward": '"forward"'}


def transform(litz, device, name, x, dim, norm, n=None, **options):
    size = "None" if n is None else str(n)
    text = (f'graph "g" {{\n  input %0 "x": {name_of(x)}\n  %1 = aten.fft_{name}.default(%0, {size}, {dim}, {NORMS[norm]})\n'
            f'  output "y" = %1\n}}\n')
    want = getattr(np.fft, name)(x.astype(np.complex128 if x.dtype.kind == "c" else np.float64), n, dim, norm)
    wide = x.dtype in (np.float64, np.complex128)
    kind = {True: {"c": np.complex128, "f": np.float64}, False: {"c": np.complex64, "f": np.float32}}[wide][want.dtype.kind]
    (have,), about = ran(litz, device, text, [x], [np.zeros(want.shape, kind)], **options)
    near(f"{name} of {x.shape} along {dim}, {norm}", have, want, kind)
    return about


def transforms(litz, device, **options):
    count = 0
    for n in (1, 2, 31, 120, 211, 4096):
        for shape, dim in (((3, n), 1), ((n, 5), 0), ((2, n, 11), 1), ((9, n, 2), 1), ((3, n, 3), 1)):
            for wide in (False, True):
                real = random(shape, np.float64 if wide else np.float32)
                pair = random(shape, np.complex128 if wide else np.complex64)
                norm = list(NORMS)[count % 3]
                for name, x in (("fft", pair), ("ifft", pair), ("fft", real), ("rfft", real)):
                    about = transform(litz, device, name, x, dim, norm, **options)
                half = list(shape)
                half[dim] = n // 2 + 1
                # Its first and last points have imaginary parts that no real signal has.
                about = transform(litz, device, "irfft", random(half, pair.dtype), dim, norm, n, **options)
                count += 5
    kinds = [k["kind"] for k in about["kernels"]]
    assert "cufft" in kinds and "fourier" not in kinds, kinds
    return f"{count} transforms"


def misaligned(litz, device):
    """Numbers that begin in the middle of a pair."""
    for shape, dim in (((4, 64), 1), ((64, 3), 0), ((3, 15, 5), 1)):
        x = random(shape, np.float32)
        for name in ("fft", "rfft"):
            transform(litz, device, name, x, dim, "ortho", offset=4)
    return "real signals at 4 bytes"


def late_sizes(litz, device):
    text = ('graph "g" {\n  symbol rows in [1, 64]\n  symbol n in [2, 5000]\n  input %0 "x": float32[rows, n]\n'
            '  %1 = aten.fft_rfft.default(%0, None, 1, "ortho")\n  %2 = aten.abs.default(%1)\n  output "y" = %2\n}\n')
    executable = litz.compile(text)
    for shape in ((2, 100), (64, 4999), (1, 2), (2, 100), (7, 1000)):
        x = random(shape, np.float32)
        given, want = OnDevice(device, x), np.abs(np.fft.rfft(x.astype(np.float64), axis=1, norm="ortho"))
        room = OnDevice(device, np.zeros(want.shape, np.float32))
        executable.run_into([given.dl], [room.dl])
        near(f"a spectrum of {shape}", room.value(), want, np.float32)
        given.release(), room.release()
    executable.release()
    return "five sizes of one program"


def on_the_host(litz, device):
    """Without cuFFT."""
    about = transform(litz, device, "fft", random((5, 96), np.complex64), 1, "forward", **{"artifact.vendor": "off"})
    transform(litz, device, "irfft", random((5, 49), np.complex64), 1, "forward", 96, **{"artifact.vendor": "off"})
    kinds = [k["kind"] for k in about["kernels"]]
    assert "fourier" in kinds and "cufft" not in kinds, kinds
    return str(kinds)


def factorisations(litz, device, **options):
    m = random((3, 24, 24), np.float64)
    spd = m @ m.transpose(0, 2, 1) + 4 * np.eye(24)
    b, tall = random((3, 24, 5), np.float64), random((2, 30, 12), np.float64)

    def program(inputs, lines, outputs):
        inputs = "".join(f'  input %{k} "x{k}": {name_of(x)}\n' for k, x in enumerate(inputs))
        lines, outputs = "".join(f"  {line}\n" for line in lines), "".join(f'  output "y{k}" = {v}\n' for k, v in enumerate(outputs))
        return f'graph "g" {{\n{inputs}{lines}{outputs}}}\n'

    def one(what, inputs, lines, outputs, want):
        values, _ = ran(litz, device, program(inputs, lines, outputs), inputs, [np.zeros(w.shape, w.dtype) for w in want], times=3, **options)
        for have, wanted in zip(values, want):
            near(what, have, wanted, wanted.dtype)

    one("solve", [m, b], ["%2 = aten.linalg_solve.default(%0, %1)"], ["%2"], [np.linalg.solve(m, b)])
    one("inverse", [m], ["%1 = aten.linalg_inv.default(%0)"], ["%1"], [np.linalg.inv(m)])
    one("determinant", [m], ["%1 = aten.linalg_det.default(%0)"], ["%1"], [np.linalg.det(m)])
    one("cholesky", [spd], ["%1 = aten.linalg_cholesky.default(%0)"], ["%1"], [np.linalg.cholesky(spd)])
    one("eigenvalues", [spd], ["%1 = aten.linalg_eigvalsh.default(%0)"], ["%1"], [np.linalg.eigvalsh(spd)])
    one("singular values", [tall], ["%1 = aten.linalg_svdvals.default(%0)"], ["%1"], [np.linalg.svd(tall, compute_uv=False)])
    one("pseudo-inverse", [tall], ["%1 = aten.linalg_pinv.default(%0, 1e-15)"], ["%1"], [np.linalg.pinv(tall)])
    # Products and sums around them are kernels.
    lines = ["%1, %2 = aten.linalg_qr.default(%0)", "%3 = aten.bmm.default(%1, %2)", "%4 = aten.mul.Tensor(%3, 2.0)"]
    one("qr", [tall], lines, ["%4"], [2 * tall])
    lines = ["%1, %2, %3 = aten.linalg_svd.default(%0, false)", "%4 = aten.unsqueeze.default(%2, 1)", "%5 = aten.mul.Tensor(%1, %4)",
             "%6 = aten.bmm.default(%5, %3)"]
    one("svd", [tall], lines, ["%6"], [tall])
    return "nine programs"


def failures(litz, device):
    """What the CPU's program refuses is refused."""
    text = 'graph "g" {\n  input %0 "x": float64[3, 3]\n  %1 = aten.linalg_cholesky.default(%0)\n  output "y" = %1\n}\n'
    try:
        ran(litz, device, text, [-np.eye(3)], [np.zeros((3, 3))])
    except Exception as error:
        assert "positive" in str(error), error
        return str(error)[:80]
    raise AssertionError("a matrix that is not positive definite was factorised")


def run(tests, litz, device):
    tests.test("Fourier transforms", lambda: transforms(litz, device))
    tests.test("Fourier transforms of misaligned signals", lambda: misaligned(litz, device))
    tests.test("Fourier transforms of late sizes", lambda: late_sizes(litz, device))
    tests.test("Fourier transforms without cuFFT", lambda: on_the_host(litz, device))
    tests.test("factorisations", lambda: factorisations(litz, device))
    tests.test("factorisations in a mode with graphs", lambda: factorisations(litz, device, mode="reduce-overhead"))
    tests.test("a matrix without a factorisation", lambda: failures(litz, device))
