"""Compiles models of PyTorch's packages with Litz, compares each with eager execution, and writes docs/models.md.

    python tests/real_models                          every model on the CPU; writes docs/models.md
    python tests/real_models --only 'timm/' --backend interpreter
    python tests/real_models --keep FOLDER            exported programs stay there, and are found again
    python tests/real_models --results FILE           outcomes are appended there; --resume takes those that stand in it
    python tests/real_models --results FILE --resume --again earlier    runs what ran with other sources

Needs PyTorch with the packages that docs/models.md names, and the Python package `litz`. Weights are random, and nothing is
downloaded. Each model runs in a process of its own, with a limit of time. A model that allows it is exported with any batch
size, and then runs with two. The outcomes:

- ok: results equal eager's within 1e-3 of a value and 1e-4 of the largest value of the tensor;
- unstable: they differ, by no more than twice what eager's own results do where the parameters change by a millionth;
- wrong: they do not, or have another shape or dtype;
- refused: Litz says what it does not support;
- crash: the process died, or met an error that is no refusal;
- slow: compiling and running were not done within the limit of time;
- not exported: PyTorch itself cannot export the model. These do not count.

An outcome has the state of Litz's sources that it was found with. Those of another state are marked on the page.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
os.environ.setdefault("HF_HUB_OFFLINE", "1")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", help="a regular expression over package/model")
    parser.add_argument("--backend", default="cpu", choices=["cpu", "interpreter"])
    parser.add_argument("--until", default="run", choices=["export", "compile", "run"], help="how far each model goes")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for each model")
    parser.add_argument("--option", action="append", default=[], help="KEY=VALUE, an option of Litz")
    parser.add_argument("--keep", help="folder for exported programs and eager's results")
    parser.add_argument("--results", help="file of outcomes, one JSON object a line")
    parser.add_argument("--resume", action="store_true", help="models with an outcome in --results are not run again")
    parser.add_argument("--again", help="with --resume: outcomes that are run again all the same, as wrong,crash,earlier")
    parser.add_argument("--page", help="where the page is written; without it, docs/models.md if every model was asked for")
    parser.add_argument("--list", action="store_true", help="print names alone")
    return parser.parse_args()


def child(name, args):
    """Runs one model, in a process of its own, and prints its outcome as JSON."""
    import trial

    options = dict(o.split("=", 1) for o in args.option)
    outcome = trial.run(name, args.keep, args.backend, options, args.until)
    print("\noutcome " + json.dumps(outcome), flush=True)


def one(name, args):
    """The outcome of one model in a process of its own, which starts with the packages loaded."""
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+") as out:
        sys.stdout.flush(), sys.stderr.flush()
        process = os.fork()
        if process == 0:
            status = 1
            try:
                os.dup2(out.fileno(), 1), os.dup2(out.fileno(), 2)
                child(name, args)
                status = 0
            except BaseException:  # noqa: BLE001
                traceback.print_exc()
            finally:
                sys.stdout.flush(), sys.stderr.flush()
                # Threads of the packages need not end well.
                os._exit(status)
        ended = waited(process, begin + args.timeout) or f"no end in {args.timeout:.0f} s"
        out.seek(0)
        text = out.read()
    found = re.findall(r"^outcome (.*)$", text, re.M)
    if found:
        return {"name": name, **json.loads(found[-1]), "seconds": round(time.monotonic() - begin, 1)}
    # How far it came says whether PyTorch or Litz is at fault.
    stage = (re.findall(r"^stage (.*)$", text, re.M) or ["building"])[-1]
    kind = "not exported" if not stage.startswith("litz") else "slow" if ended.startswith("no end") else "crash"
    return {"name": name, "outcome": kind, "message": f"{stage}: {ended}", "output": text[-2000:],
            "seconds": round(time.monotonic() - begin, 1)}  # fmt: skip


def waited(process, until):
    """How the process ended; None if it was stopped for its time."""
    while time.monotonic() < until:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            code = os.waitstatus_to_exitcode(status)
            return f"ended with status {code}" if code >= 0 else f"died of signal {-code}"
        time.sleep(0.05)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return None


def sources():
    """The name that git has for the library's sources as they are committed."""
    call = ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD:src"]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()


def main():
    args = arguments()
    sys.path.insert(0, str(HERE))
    import models
    import page

    names = [n for n in models.names(args.only) if re.search(args.only or "", n)]
    if args.list:
        return print("\n".join(names))
    import trial

    trial.warm()
    if not args.keep:
        args.keep = tempfile.mkdtemp()
    pathlib.Path(args.keep).mkdir(parents=True, exist_ok=True)
    results, again, own = {}, (args.again or "").split(","), sources()
    if args.resume and args.results and os.path.exists(args.results):
        for line in open(args.results):
            r = json.loads(line)
            results[r["name"]] = r
    for name in names:
        found = results.get(name)
        is_earlier = found is not None and found.get("sources") != own
        if found and found["outcome"] not in again and not (is_earlier and "earlier" in again):
            continue
        r = results[name] = {**one(name, args), "sources": own}
        print(f"{r['outcome']:12} {name} ({r['seconds']} s) {r.get('message', '')[:600]}", flush=True)
        if args.results:
            with open(args.results, "a") as file:
                print(json.dumps(r), file=file)
    asked = [results[n] for n in names]
    print(dict(collections.Counter(r["outcome"] for r in asked)))
    place = args.page or (HERE.parents[1] / "docs" / "models.md" if not args.only else None)
    if place:
        pathlib.Path(place).write_text(page.text(asked, args.backend, own))


main()
