"""Linear algebra and Fourier transforms in programs for a GPU: cuFFT's transforms and cuSOLVER's factorisations against NumPy's, whatever the
length, dimension and alignment, and the routines that run on the host."""
import ctypes as C, os, re, subprocess, sys, tempfile
import numpy as np

from litz import Executable, OnDevice


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


def program(inputs, lines, outputs):
    inputs = "".join(f'  input %{k} "x{k}": {name_of(x)}\n' for k, x in enumerate(inputs))
    lines, outputs = "".join(f"  {line}\n" for line in lines), "".join(f'  output "y{k}" = {v}\n' for k, v in enumerate(outputs))
    return f'graph "g" {{\n{inputs}{lines}{outputs}}}\n'


def factorisations(litz, device, **options):
    m = random((3, 24, 24), np.float64)
    spd = m @ m.transpose(0, 2, 1) + 4 * np.eye(24)
    b, tall = random((3, 24, 5), np.float64), random((2, 30, 12), np.float64)

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


class Routines:
    """One program each, with the results as NumPy has them, or put together again; batches and sizes on both sides of the rules."""

    def __init__(self, litz, device, dtype, named, **options):
        self.litz, self.device, self.dtype, self.named, self.options, self.count = litz, device, dtype, named, options, 0

    def of(self, inputs, lines, outputs, shapes):
        room = [np.zeros(shape, self.dtype if dtype is None else dtype) for shape, dtype in shapes]
        values, about = ran(self.litz, self.device, program(inputs, lines, outputs), inputs, room, times=2, **self.options)
        names = [k["name"] for k in about["kernels"]]
        assert (("cuSOLVER" in names) if self.named else "liblitz_linalg" in names), names
        self.count += 1
        return [v.astype(np.float64) if v.dtype.kind == "f" else v for v in values]

    def near(self, what, have, want, by=1.0):
        limit = (1e-11 if self.dtype == np.float64 else 1e-4) * by
        assert have.shape == want.shape and np.isfinite(have).all(), f"{what}: {have.shape} {want.shape}"
        error = np.linalg.norm(have - want) / max(np.linalg.norm(want), 1e-30)
        assert error <= limit, f"{what} {self.dtype.__name__} {want.shape}: off by {error:.1e}"

    def matrix(self, *shape):
        return random(shape, self.dtype)

    def definite(self, *batch, n):
        m = random((*batch, n, n), np.float64)
        return (m @ m.swapaxes(-1, -2) / n + np.eye(n)).astype(self.dtype)

    def lu(self, *batch, m, n):
        x, few = self.matrix(*batch, m, n), min(m, n)
        shapes = [(x.shape, None), ((*batch, few), np.int32), (batch, np.int32)]
        lu, pivots, info = self.of([x], ["%1, %2, %3 = aten.linalg_lu_factor_ex.default(%0)"], ["%1", "%2", "%3"], shapes)
        assert not info.any()
        for k in np.ndindex(*batch):
            rows = x[k].astype(np.float64)
            for i, p in enumerate(pivots[k]):
                assert i + 1 <= p <= m
                rows[[i, p - 1]] = rows[[p - 1, i]]
            lower, upper = np.tril(lu[k], -1)[:, :few] + np.eye(m, few), np.triu(lu[k])[:few]
            assert np.abs(np.tril(lower, -1)).max(initial=0) <= 1 + 1e-6, "pivots are the largest of their columns"
            self.near("LU", lower @ upper, rows)

    def lu_solve(self, *batch, n, columns):
        x, b = self.definite(*batch, n=n) + self.matrix(*batch, n, n) / n, self.matrix(*batch, n, columns)
        rows, wide = np.ascontiguousarray(b.swapaxes(-1, -2)), x.astype(np.float64)
        solve = "aten.linalg_lu_solve.default(%3, %4,"
        lines = ["%3, %4, %5 = aten.linalg_lu_factor_ex.default(%0)", f"%6 = {solve} %1)", f"%7 = {solve} %1, adjoint=true)",
                 f"%8 = {solve} %2, left=false)", f"%9 = {solve} %2, left=false, adjoint=true)"]
        shapes = [(b.shape, None), (b.shape, None), (rows.shape, None), (rows.shape, None)]
        have = self.of([x, b, rows], lines, ["%6", "%7", "%8", "%9"], shapes)
        turned = wide.swapaxes(-1, -2)
        wants = [np.linalg.solve(wide, b), np.linalg.solve(turned, b), rows @ np.linalg.inv(wide), rows @ np.linalg.inv(turned)]
        for one, want in zip(have, wants):
            self.near("LU solve", one, want, 10)

    def cholesky(self, *batch, n):
        x = self.definite(*batch, n=n)
        want = np.linalg.cholesky(x.astype(np.float64))
        # The other triangle is not read.
        lower, upper = np.tril(x) + np.triu(np.full_like(x, 9), 1), np.triu(x) + np.tril(np.full_like(x, 9), -1)
        lines = ["%2, %3 = aten.linalg_cholesky_ex.default(%0)", "%4, %5 = aten.linalg_cholesky_ex.default(%1, upper=true)"]
        shapes = [(x.shape, None), (batch, np.int32), (x.shape, None), (batch, np.int32)]
        have, info, turned, other = self.of([lower, upper], lines, ["%2", "%3", "%4", "%5"], shapes)
        assert not info.any() and not other.any()
        self.near("Cholesky", have, want)
        self.near("upper Cholesky", turned, want.swapaxes(-1, -2))

    def triangular(self, *batch, n, columns):
        x = self.matrix(*batch, n, n) / n + 2 * np.eye(n, dtype=self.dtype)
        b = self.matrix(*batch, n, columns)
        rows, wide, lines, wants = np.ascontiguousarray(b.swapaxes(-1, -2)), x.astype(np.float64), [], []
        for upper, left, unit in ((u, l, o) for u in (False, True) for l in (False, True) for o in (False, True)):
            flags = ", ".join(f"{k}={str(v).lower()}" for k, v in dict(upper=upper, left=left, unitriangular=unit).items())
            lines.append(f"%{3 + len(lines)} = aten.linalg_solve_triangular.default(%0, %{1 if left else 2}, {flags})")
            t = (np.triu if upper else np.tril)(wide)
            if unit:
                t = (np.triu(t, 1) if upper else np.tril(t, -1)) + np.eye(n)
            wants.append(np.linalg.solve(t, b.astype(np.float64)) if left else rows @ np.linalg.inv(t))
        outputs = [f"%{3 + k}" for k in range(len(lines))]
        for have, want in zip(self.of([x, b, rows], lines, outputs, [(w.shape, None) for w in wants]), wants):
            self.near("triangular solve", have, want, 10)

    def qr(self, *batch, m, n):
        x, few = self.matrix(*batch, m, n), min(m, n)
        lines = ['%1, %2 = aten.linalg_qr.default(%0, "reduced")', '%3, %4 = aten.linalg_qr.default(%0, "complete")']
        shapes = [((*batch, *shape), None) for shape in ((m, few), (few, n), (m, m), (m, n))]
        have = self.of([x], lines, ["%1", "%2", "%3", "%4"], shapes)
        for q, r in (have[:2], have[2:]):
            self.near("QR", q @ r, x.astype(np.float64))
            self.near("Q", q.swapaxes(-1, -2) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*batch, q.shape[-1], q.shape[-1])))
            assert not np.tril(r, -1).any()

    def eigh(self, *batch, n):
        x = self.matrix(*batch, n, n)
        x = (x + x.swapaxes(-1, -2)) / 2
        want = np.linalg.eigvalsh(x.astype(np.float64))
        lower, upper = np.tril(x) + np.triu(np.full_like(x, 9), 1), np.triu(x) + np.tril(np.full_like(x, 9), -1)
        lines = ["%2, %3 = aten.linalg_eigh.default(%0)", '%4, %5 = aten.linalg_eigh.default(%1, "U")', '%6 = aten.linalg_eigvalsh.default(%1, "U")']
        shapes = [(want.shape, None), (x.shape, None), (want.shape, None), (x.shape, None), (want.shape, None)]
        have = self.of([lower, upper], lines, ["%2", "%3", "%4", "%5", "%6"], shapes)
        for values in (have[0], have[2], have[4]):
            self.near("eigenvalues", values, want)
        for values, vectors in (have[:2], have[2:4]):
            self.near("eigenvectors", vectors * values[..., None, :] @ vectors.swapaxes(-1, -2), x.astype(np.float64))
            self.near("eigenvectors", vectors @ vectors.swapaxes(-1, -2), np.broadcast_to(np.eye(n), x.shape))

    def svd(self, *batch, m, n):
        x, few = self.matrix(*batch, m, n), min(m, n)
        want = np.linalg.svd(x.astype(np.float64), compute_uv=False)
        lines = ["%1, %2, %3 = aten.linalg_svd.default(%0, false)", "%4, %5, %6 = aten.linalg_svd.default(%0, true)",
                 "%7 = aten.linalg_svdvals.default(%0)"]
        shapes = [((*batch, *shape), None) for shape in ((m, few), (few,), (few, n), (m, m), (few,), (n, n), (few,))]
        have = self.of([x], lines, [f"%{k}" for k in range(1, 8)], shapes)
        for values in (have[1], have[4], have[6]):
            self.near("singular values", values, want)
        for u, s, vh in (have[:3], have[3:6]):
            # Jacobi's method leaves 1.2e-4 to 1.5e-4 in float32 of 513 x 520, in PyTorch as well.
            self.near("SVD", u[..., :few] * s[..., None, :] @ vh[..., :few, :], x.astype(np.float64), by=3)
            for q in (u.swapaxes(-1, -2) @ u, vh @ vh.swapaxes(-1, -2)):
                self.near("singular vectors", q, np.broadcast_to(np.eye(q.shape[-1]), q.shape), by=3)

    def empty(self):
        for batch, n in (((0,), 5), ((3,), 0), ((), 0)):
            x = np.zeros((*batch, n, n), self.dtype)
            lu = ["%1, %2, %3 = aten.linalg_lu_factor_ex.default(%0)", "%4, %5 = aten.linalg_cholesky_ex.default(%0)"]
            shapes = [(x.shape, None), (batch, np.int32), (x.shape, None), (batch, np.int32)]
            _, info, _, other = self.of([x], lu, ["%1", "%3", "%4", "%5"], shapes)
            assert not info.any() and not other.any()
            lines = ["%1, %2 = aten.linalg_eigh.default(%0)", "%3, %4 = aten.linalg_qr.default(%0)", "%5 = aten.linalg_svdvals.default(%0)"]
            self.of([x], lines, ["%1", "%2", "%3", "%4", "%5"], [((*batch, n), None)] + 3 * [(x.shape, None)] + [((*batch, n), None)])


def routines(litz, device, dtypes=(np.float32, np.float64), named=True, least=1, **options):
    count = 0
    for dtype in dtypes:
        r = Routines(litz, device, dtype, named, **options)
        some = lambda shapes: shapes[::least]
        # Single matrices; batched functions; one by one; and what is the host's.
        for batch, m, n in some([((), 1, 1), ((), 300, 200), ((), 100, 260), ((7,), 40, 40), ((2, 2), 5, 5), ((2,), 300, 300), ((3,), 20, 30)]):
            r.lu(*batch, m=m, n=n)
            r.qr(*batch, m=m, n=n)
        for batch, n, columns in some([((), 1, 1), ((), 129, 3), ((2, 3), 16, 16), ((2,), 300, 5), ((9,), 260, 3)]):
            r.lu_solve(*batch, n=n, columns=columns)
            r.triangular(*batch, n=n, columns=columns)
        for batch, n in some([((), 1), ((), 257), ((), 100), ((6,), 33), ((2,), 301), ((9,), 280)]):
            r.cholesky(*batch, n=n)
        for batch, n in some([((), 1), ((), 32), ((), 50), ((), 200), ((5,), 32), ((3,), 40), ((2,), 130), ((17,), 96)]):
            r.eigh(*batch, n=n)
        for batch, m, n in some([((), 20, 10), ((), 256, 256), ((), 400, 300), ((), 260, 500), ((2,), 513, 520)]):
            r.svd(*batch, m=m, n=n)
        r.empty()
        count += r.count
    return f"{count} programs"


def of_the_host(litz, device, **options):
    """What no library of the device's does: eigenvalues of matrices that are not symmetric, and LU without pivots."""
    for batch, n in ((), 1), ((), 40), ((3,), 7), ((2, 2), 5):
        for kind in (np.float32, np.float64, np.complex64, np.complex128):
            x = random((*batch, n, n), kind)
            wide = np.result_type(kind, np.complex64)
            lines = ["%1, %2 = aten.linalg_eig.default(%0)", "%3 = aten.linalg_eigvals.default(%0)"]
            shapes = [np.zeros((*batch, n), wide), np.zeros(x.shape, wide), np.zeros((*batch, n), wide)]
            (values, vectors, alone), _ = ran(litz, device, program([x], lines, ["%1", "%2", "%3"]), [x], shapes, **options)
            near("eigenvectors", x @ vectors, vectors * values[..., None, :], wide)
            for found in (values, alone):
                near("eigenvalues", found.sum(-1), np.trace(x, axis1=-2, axis2=-1).astype(wide), wide)
                near("eigenvalues", np.sort(np.abs(found)), np.sort(np.abs(np.linalg.eigvals(x))), wide)
    for batch, m, n in ((), 5, 5), ((), 300, 200), ((4,), 20, 33):
        for kind in (np.float32, np.float64):
            x = random((*batch, m, n), kind) / m + np.eye(m, n, dtype=kind)
            few = min(m, n)
            lines = ["%1, %2, %3 = aten.linalg_lu_factor_ex.default(%0, pivot=false)", "%4, %5, %6 = aten.linalg_lu.default(%0, pivot=false)"]
            shapes = [np.zeros((*batch, few), np.int32), np.zeros(batch, np.int32), np.zeros((*batch, m, few), kind), np.zeros((*batch, few, n), kind)]
            (pivots, info, lower, upper), _ = ran(litz, device, program([x], lines, ["%2", "%3", "%5", "%6"]), [x], shapes, **options)
            near("LU without pivots", lower.astype(np.float64) @ upper, x, kind)
            assert not info.any() and (pivots == np.arange(1, few + 1)).all()


def failures(litz, device, **options):
    """What the CPU's program refuses is refused, in the same words, and what it gives in `info` is given."""
    said = []

    def refused(x, line, *words):
        text = program([x], [f"%1 = {line}"], ["%1"]) if " = " not in line else program([x], [line], ["%1"])
        messages = []
        for more in (options, {"cuda.cusolver": "off"}):
            try:
                shape = x.shape if "vals" not in line else x.shape[:-1]
                ran(litz, device, text, [x], [np.zeros(shape, x.dtype)], **more)
                messages.append("none")
            except Exception as error:
                messages.append(str(error))
        assert messages[0] == messages[1] and all(w in messages[0] for w in words), messages
        said.append(messages[0][:40])

    nan = np.eye(80)
    nan[3, 2] = nan[2, 3] = np.nan
    singular = np.ones((70, 70))
    for batch in ((), (3,)):
        every = lambda x: np.ascontiguousarray(np.broadcast_to(x, (*batch, *x.shape)))
        refused(every(-np.eye(3)), "aten.linalg_cholesky.default(%0)", "positive")
        refused(every(singular), "aten.linalg_inv.default(%0)", "singular")
        refused(every(nan), "aten.linalg_eigvalsh.default(%0)", "non-finite")
        refused(every(np.where(np.eye(20) > 0, np.inf, 0)), "aten.linalg_eigvalsh.default(%0)", "non-finite")
        refused(every(np.pad(nan, (0, 240), constant_values=1)), "aten.linalg_svdvals.default(%0)", "non-finite")
        # Which minor, and which pivot.
        x = every(np.diag([1.0, 2, 3, -4, 5]))
        lines = ["%1, %2 = aten.linalg_cholesky_ex.default(%0)", "%3, %4, %5 = aten.linalg_lu_factor_ex.default(%0)"]
        (info, zero), _ = ran(litz, device, program([x], lines, ["%2", "%5"]), [x], 2 * [np.zeros(batch, np.int32)], **options)
        assert (info == 4).all() and (zero == 0).all(), (info, zero)
        x = every(np.diag([1.0, 2, 0, 4, 0]))
        (zero,), _ = ran(litz, device, program([x], lines[1:], ["%5"]), [x], [np.zeros(batch, np.int32)], **options)
        assert (zero == 3).all(), zero
    # Pivots that name no row.
    x, b = np.eye(40), np.ones((40, 2))
    for wrong in (0, 41, -7, 1 << 30):
        pivots = np.arange(1, 41, dtype=np.int32)
        pivots[30] = wrong
        text = program([x, pivots, b], ["%3 = aten.linalg_lu_solve.default(%0, %1, %2)"], ["%3"])
        try:
            ran(litz, device, text, [x, pivots, b], [np.zeros_like(b)], **options)
        except Exception as error:
            assert "pivot" in str(error), error
        else:
            raise AssertionError(f"a pivot of {wrong} was taken")
    return said[0]


def saved(litz, device, **options):
    """A program with a transform, a product and a factorisation as an artifact, opened by Litz and in a process without it."""
    x, m = random((6, 96), np.float32), random((2, 160, 160), np.float32)
    spd = (m @ m.transpose(0, 2, 1) + 160 * np.eye(160)).astype(np.float32)
    text = """graph "saved" {
  input %0 "x": float32[6, 96]
  input %1 "m": float32[2, 160, 160]
  %2 = aten.fft_rfft.default(%0, None, -1, "ortho")
  %3 = aten.abs.default(%2)
  %4 = aten.linalg_inv.default(%1)
  %5 = aten.bmm.default(%4, %1)
  output "spectrum" = %3
  output "identity" = %5
}
"""
    want = [np.abs(np.fft.rfft(x.astype(np.float64), norm="ortho")), np.broadcast_to(np.eye(160), (2, 160, 160))]
    folder = tempfile.mkdtemp()
    path, arrays, results = (os.path.join(folder, name) for name in ("saved.so", "arrays.npz", "results.npz"))
    compiled = litz.compile(text, **options)
    needs = compiled.describe().get("needs", [])
    litz.call("litz_executable_save", compiled.handle, path.encode())
    compiled.release()
    handle = C.c_void_p()
    litz.call("litz_executable_open", path.encode(), None, C.byref(handle))
    opened = Executable(litz, handle)
    empty = [np.full(w.shape, np.nan, np.float32) for w in want]
    here, room = [OnDevice(device, a) for a in (x, spd)], [OnDevice(device, a) for a in empty]
    for _ in range(3):
        opened.run_into([t.dl for t in here], [t.dl for t in room])
    np.savez(arrays, i0=x, i1=spd, **{f"o{k}": a for k, a in enumerate(empty)})
    beside = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, os.path.join(beside, "bare.py"), path, arrays, results], capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": os.pathsep.join([*folders(), os.environ.get("LD_LIBRARY_PATH", "")])})
    assert done.returncode == 0, done.stderr.strip()[-300:] or f"exit status {done.returncode}"
    alone = np.load(results)
    for k, w in enumerate(want):
        near("in the process", room[k].value(), w, np.float32)
        near("in a process of its own", alone[f"o{k}"], w, np.float32)
    opened.release()
    for tensor in here + room:
        tensor.release()
    return f"{needs}, {os.path.getsize(path) >> 10} KB"


def folders():
    """Where this process has the libraries from that an artifact looks for."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if re.search("cufft|cusolver|liblitz_linalg", line)}
    return sorted({os.path.dirname(path) for path in paths})


def run(tests, litz, device):
    tests.test("Fourier transforms", lambda: transforms(litz, device))
    tests.test("Fourier transforms of misaligned signals", lambda: misaligned(litz, device))
    tests.test("Fourier transforms of late sizes", lambda: late_sizes(litz, device))
    tests.test("Fourier transforms without cuFFT", lambda: on_the_host(litz, device))
    tests.test("factorisations", lambda: factorisations(litz, device))
    tests.test("factorisations in a mode with graphs", lambda: factorisations(litz, device, mode="reduce-overhead"))
    tests.test("factorisations of every routine", lambda: routines(litz, device))
    tests.test("factorisations without cuSOLVER", lambda: routines(litz, device, (np.float64,), False, 3, **{"cuda.cusolver": "off"}))
    tests.test("eigenvalues and LU that no library of the GPU has", lambda: of_the_host(litz, device))
    tests.test("a matrix without a factorisation", lambda: failures(litz, device))
    tests.test("an artifact of transforms and factorisations", lambda: saved(litz, device))
    tests.test("an artifact of them without cuFFT and cuSOLVER",
               lambda: saved(litz, device, **{"artifact.vendor": "off", "cuda.cusolver": "off"}))
