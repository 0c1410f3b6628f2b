#!/usr/bin/env python3
"""What the worst files of strangers cost: time and memory of `farmjank` on bundles, traces, logs and YAML that are meant to hurt.

Each is written, given to the verb that reads it, and measured as a process of its own (peak resident memory, time until it
ends). The exit status is 1 where one takes more than 288 MiB and 64 times its size, or does not end within 120 s. It needs
cargo, Linux, and 1 GB of memory; the figures are in docs/limits.md.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
ANYWAY, TIMES, SECONDS = 288 << 20, 64, 120
SCENARIO = """\
name: Home feed
appId: com.example.shop
iterations: 1
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 700ms } ]
thresholds: { fps: 'mean >= 10%refresh' }
"""
LAYER = "com.example.shop/com.example.shop.FeedActivity#1"


def arguments():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--farmjank", metavar="FILE", help="this binary, instead of building one")
    reader.add_argument("--only", metavar="WORD", default="", help="only attacks whose name has this word")
    return reader.parse_args()


def binary(given):
    if given:
        return pathlib.Path(given).resolve()
    words = ["cargo", "build", "--release", "--quiet", "--package", "farmjank-cli", "--message-format", "json"]
    made = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    messages = (json.loads(line) for line in made.stdout.splitlines())
    made = [one["executable"] for one in messages if one.get("executable", None) and one["target"]["name"] == "farmjank"]
    return pathlib.Path(made[-1])


class Evidence:
    """An evidence file: dumps of new lines, and of lines of the dump before."""

    def __init__(self):
        self.parts = ["# farmjank evidence 1\n"]

    def dump(self, parts, source="surfaceflinger", target=LAYER):
        lines = sum(part if isinstance(part, int) else len(part) for part in parts)
        head = {"source": source, "target": target, "asked": 1, "answered": 2, "arrived": 3, "lines": lines, "tail": True}
        self.parts.append("@dump " + json.dumps(head, separators=(",", ":")) + "\n")
        for part in parts:
            self.parts.append(f"=0 {part}\n" if isinstance(part, int) else f"+{len(part)}\n" + "".join(f"{line}\n" for line in part))
        return lines

    def doubled(self, lines, most, **words):
        """The lines again and again, until a dump has as many as one may have."""
        size = self.dump([lines], **words)
        while size * 2 <= most:
            size = self.dump([size, size], **words)
        return size

    def bytes(self):
        return "".join(self.parts).encode()


def still_screen():
    evidence = Evidence()
    rows = ["16666667"] + [f"{10**12 + n * 16666667}\t{10**12 + n * 16666667}\t{10**12 + n * 16666667}" for n in range(127)]
    size = evidence.dump([rows])
    for _ in range(30_000):
        evidence.dump([size])
    return evidence.bytes()


def large_dumps():
    evidence = Evidence()
    size = evidence.doubled(["1\t2\t3"], 1 << 17)
    for _ in range(4_000):
        evidence.dump([size])
    return evidence.bytes()


def long_lines():
    evidence = Evidence()
    size = evidence.doubled(["1\t2\t3\t" + "4" * 50_000], 300)
    for _ in range(5_000):
        evidence.dump([size])
    return evidence.bytes()


def many_layers():
    evidence = Evidence()
    for layer in range(15):
        evidence.doubled(["1\t2\t" + "3" * 40], 1 << 16, target=f"com.example.shop/.Main#{layer}")
    for _ in range(2_000):
        evidence.dump([1 << 16], target="com.example.shop/.Main#3")
    return evidence.bytes()


def many_rings():
    evidence = Evidence()
    size = evidence.doubled(["16666667", "1\t2\t3", ""], 1 << 17)
    for _ in range(4_000):
        evidence.dump([size])
    return evidence.bytes()


def short_rows():
    evidence = Evidence()
    for first in range(0, 1_000_000, 100_000):
        evidence.dump([[f"1\t{first + n + 1}\t1" for n in range(100_000)]])
    return evidence.bytes()


def backwards():
    evidence = Evidence()
    for first in range(20_000, 0, -1):
        evidence.dump([[f"1\t{first * 20_000_000 + n * 16_000_000}\t1" for n in range(2)]], target=LAYER)
    return evidence.bytes()


def windows_of_gfxinfo():
    evidence = Evidence()
    columns = "Flags,IntendedVsync,Vsync,OldestInputEvent,NewestInputEvent,HandleInputStart,AnimationStart,PerformTraversalsStart,"
    columns += "DrawStart,SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,FrameCompleted,"
    head = ["Applications Graphics Acceleration Info:", "Uptime: 51000 Realtime: 90000", "", "** Graphics info for pid 2101 [com.example.shop] **", ""]
    window = ["Window: w", "Stats since: 1ns", "", "---PROFILEDATA---", columns]
    window += ["0," + ",".join(str(1_000 + n * 16_666_667 + at) for at in range(13)) + "," for n in range(100)] + ["---PROFILEDATA---", ""]
    size = evidence.dump([head + window], source="gfxinfo", target="com.example.shop")
    while size * 2 <= 1 << 16:
        size = evidence.dump([size, size], source="gfxinfo", target="com.example.shop")
    for _ in range(2_000):
        evidence.dump([size], source="gfxinfo", target="com.example.shop")
    return evidence.bytes()


def huge_log():
    evidence = Evidence()
    line = " 1700000000.123  2101  2101 W Looper  : Slow dispatch took 120ms main h=android.app.ActivityThread$H c=x m=1"
    for _ in range(400):
        evidence.dump([["begin"]], source="logcat", target="begin")
        evidence.doubled([line], 1 << 16, source="logcat", target="end")
    return evidence.bytes()


def bombs_in_a_trace():
    def field(number, payload):
        def varint(value):
            out = bytearray()
            while value > 127:
                out.append(value & 127 | 128)
                value >>= 7
            return bytes(out + bytes([value]))
        return varint(number << 3 | 2) + varint(len(payload)) + payload
    bomb = zlib.compress(b"\x0a\x02\x40\x01" * (4 << 20), 9)
    return field(1, field(50, bomb)) * 200


def replaced(ending, content):
    """A bundle whose first file with this ending is another."""
    def make(folder, bundle):
        bytes_ = content()
        first = sorted(bundle.glob(f"evidence/**/*{ending}*"))[0]
        first.write_bytes(bytes_)
        return ["report", str(bundle), "--rejudge", "s.yaml", "--format", "json"], len(bytes_)
    return make


def packed(content):
    """The same, packed as small as zstd can where the tool still opens it."""
    return lambda: subprocess.run(["zstd", "-19", "-q", "-c"], input=content(), check=True, stdout=subprocess.PIPE).stdout


def analyzed(content, name):
    def make(folder, bundle):
        bytes_ = content()
        (folder / name).write_bytes(bytes_)
        return ["analyze", name], len(bytes_)
    return make


def long_journal(folder, bundle):
    log = (bundle / "events.ndjson").read_text().splitlines()
    lines = [log[0]] + [json.dumps({"seq": n, "at": 9_000_000_000, "kind": "noticed", "what": "x"}) for n in range(1, 700_000)]
    (folder / "large").mkdir(exist_ok=True)
    size = (folder / "large/events.ndjson").write_text("\n".join(lines) + "\n")
    return ["report", "large"], size


def yaml(text):
    def make(folder, bundle):
        (folder / "y.yaml").write_text(text())
        return ["check", "y.yaml"], (folder / "y.yaml").stat().st_size
    return make


def aliases():
    lists = "".join(f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(12))
    return "a0: &a0 [x, x]\n" + lists


def of_a_megabyte(piece):
    return lambda: (piece * (1 + (1 << 20) // len(piece)))[: (1 << 20) - 1]


ATTACKS = {
    "bundle: a still screen, 30 000 dumps": replaced(".dumps", still_screen),
    "bundle: 4000 dumps of 131 072 lines": replaced(".dumps", large_dumps),
    "bundle: 5000 dumps of 16 MB": replaced(".dumps", long_lines),
    "bundle: 15 layers of large dumps": replaced(".dumps", many_layers),
    "bundle: 40 000 rings in each dump": replaced(".dumps", many_rings),
    "bundle: a million short rows": replaced(".dumps", short_rows),
    "bundle: 20 000 dumps backwards": replaced(".dumps", backwards),
    "bundle: 600 windows in each dump": replaced(".dumps", windows_of_gfxinfo),
    "bundle: 400 logs of 65 536 lines": replaced(".dumps", huge_log),
    "bundle: 200 bombs in its trace": replaced(".perfetto-trace", bombs_in_a_trace),
    "bundle: a gigabyte of zeros, packed": replaced(".dumps", packed(lambda: bytes(1 << 30))),
    "bundle: a still screen, packed": replaced(".dumps", packed(still_screen)),
    "bundle: 600 windows in each dump, packed": replaced(".dumps", packed(windows_of_gfxinfo)),
    "bundle: 200 bombs in its trace, packed": replaced(".perfetto-trace", packed(bombs_in_a_trace)),
    "analyze: 4000 dumps of 131 072 lines": analyzed(large_dumps, "w.dumps"),
    "analyze: a million short rows": analyzed(short_rows, "w.dumps"),
    "analyze: 200 bombs in a trace": analyzed(bombs_in_a_trace, "t.perfetto-trace"),
    "log: 700 000 notices": long_journal,
    "YAML: aliases of aliases": yaml(aliases),
    "YAML: a megabyte of lists": yaml(of_a_megabyte("[[[[[[[[[[x]]]]]]]]]],")),
    "YAML: a megabyte of steps": yaml(lambda: "name: x\nappId: com.a\nsteps:\n" + "- back\n" * 149_000),
    "YAML: a megabyte of wrong keys": yaml(lambda: "".join(f"k{n}: x\n" for n in range(110_000))[: (1 << 20) - 1]),
    "YAML: 100 MB": yaml(lambda: "- back\n" * 15_000_000),
}


# A process that is forked has the memory of who forked it: a small one forks what is measured.
FORKED = """
import json, resource, subprocess, sys, time
began = time.monotonic()
try:
    told = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=float(sys.argv[1]))
    code, said = told.returncode, told.stderr.decode(errors="replace")
except subprocess.TimeoutExpired:
    code, said = -9, "does not end"
memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
print(json.dumps([code, time.monotonic() - began, memory, said[:300]]))
"""


def measured(command, folder):
    """Exit status, seconds, bytes of memory at most, and what was said."""
    words = [sys.executable, "-I", "-S", "-c", FORKED, str(SECONDS), *map(str, command)]
    return json.loads(subprocess.run(words, cwd=folder, check=True, stdout=subprocess.PIPE).stdout)


def main():
    given = arguments()
    farmjank = binary(given.farmjank)
    failed = False
    print("| what | size, kB | time, s | memory, MB | exit |\n| --- | --- | --- | --- | --- |")
    for name, make in ATTACKS.items():
        if given.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "s.yaml").write_text(SCENARIO)
            run = [farmjank, "run", "s.yaml", "--lab", "demo", "--quiet", "--out", "b"]
            subprocess.run(run, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            words, size = make(folder, folder / "b")
            code, seconds, memory, said = measured([farmjank, *words], folder)
        print(f"| {name} | {size / 1e3:.0f} | {seconds:.2f} | {memory / 1e6:.0f} | {code} |", flush=True)
        if memory > ANYWAY + TIMES * size or code < 0 or code > 4:
            failed = True
            print(f"{name}: {said}", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
