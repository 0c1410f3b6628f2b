"""One other tool collects the frames of one phone, and prints what it saw and said.

`python peer.py TOOL ADDRESS FOLDER`, where TOOL is one of `TOOLS` below. Runs inside the environment that `peers.py` makes, with that
tool's own code, unchanged. Says `collecting` when it begins, stops when its standard input ends, and prints one line of JSON: `presents`
(ns) it knows of, `fps` and `stalls` as the tool itself tells them, `words` it had for what it may have missed.
"""

import json
import logging
import os
import re
import subprocess
import sys
import threading
import time
import types

APP = "com.example.shop"
PENDING = (1 << 63) - 1


def shell(address, command):
    """The answer of a command, asked for as such tools do: by a client of its own."""
    return subprocess.run(["adb", "-s", address, "shell", command], stdout=subprocess.PIPE, text=True).stdout


def layer(address):
    """The app's layer as scripts find it: the last that is named after it. Since Android 14 the name is wrapped."""
    names = [line.strip() for line in shell(address, "dumpsys SurfaceFlinger --list").splitlines() if APP in line]
    return re.sub(r"^RequestedLayerState\{(.*?)(?: parentId=.*)?\}$", r"\1", names[-1]) if names else ""


def latencies(text):
    """Presents of what `--latency` printed, ns; those still to come are none."""
    rows = (line.split() for line in text.splitlines())
    return [int(row[1]) for row in rows if len(row) == 3 and 0 < int(row[1]) < PENDING]


def until_told():
    print("collecting", flush=True)
    sys.stdin.read()


class Complaints(logging.Handler):
    """What a tool's own log warns of."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage().splitlines()[0])


def devlib(address, folder, source, period):
    """devlib's instrument, 2 s being its own period, and the numbers it derives."""
    try:
        import pipes  # noqa: F401  devlib needs it; Python 3.13 has it no more
    except ImportError:
        import shlex

        sys.modules["pipes"] = types.SimpleNamespace(quote=shlex.quote)
    from devlib.derived.fps import DerivedGfxInfoStats, DerivedSurfaceFlingerStats
    from devlib.instrument.frames import GfxInfoFramesInstrument, SurfaceFlingerFramesInstrument

    complaints = Complaints()
    logging.getLogger("rendering").addHandler(complaints)
    target = types.SimpleNamespace(execute=lambda command: shell(address, command))
    if source == "surfaceflinger":
        frames, derived = SurfaceFlingerFramesInstrument(target, layer(address), period=period), DerivedSurfaceFlingerStats()
    else:
        frames, derived = GfxInfoFramesInstrument(target, APP, period=period), DerivedGfxInfoStats()
    frames.reset()
    frames.start()
    until_told()
    collector = frames.collector
    frames.stop()
    csv = frames.get_data(os.path.join(folder, "frames.csv"))
    numbers = {one.name: one.value for one in derived.process(csv) if hasattr(one, "value")}
    if source == "surfaceflinger":
        presents = [int(frame.actual_present_time) for frame in collector.frames]
    else:
        # The only stamp of framestats on every Android is when the frame was done, which is near its present.
        [at] = [at for at, name in enumerate(collector.header) if name.startswith("FrameCompleted")]
        presents = [int(frame[at]) for frame in collector.frames]
    return {"presents": presents, "fps": numbers.get("fps"), "stalls": numbers.get("janks"), "words": sorted(set(complaints.said))}


def solox(address, _folder):
    """SoloX asked for its frame rate again and again, as its page does; what it read on the way is kept."""
    from solox.public import adb as asked, android_fps
    from solox.public.apm import FPS

    read, own = [], asked.adb.shell

    def overheard(cmd, deviceId):
        answer = own(cmd=cmd, deviceId=deviceId)
        if "--latency" in cmd:
            read.extend(latencies(answer))
        return answer

    asked.adb.shell = overheard
    complaints = Complaints()
    android_fps.logger.addHandler(complaints)
    stopped, samples = threading.Event(), []

    def sample():
        monitor = FPS(APP, address, surfaceview=True)
        while not stopped.is_set():
            samples.append(monitor.getAndroidFps(noLog=True))

    thread = threading.Thread(target=sample)
    thread.start()
    until_told()
    stopped.set()
    thread.join()
    fps = [rate for rate, _ in samples]
    return {"presents": sorted(set(read)), "fps": sum(fps) / len(fps) if fps else None, "stalls": sum(jank for _, jank in samples),
            "words": sorted(set(complaints.said))}


def script(address, _folder):
    """The loop that is copied from answer to answer: `--latency` once a second, what was not there before is new."""
    name, seen, stopped = layer(address), set(), threading.Event()

    def poll():
        while not stopped.is_set():
            seen.update(latencies(shell(address, f"dumpsys SurfaceFlinger --latency '{name}'")))
            time.sleep(1)

    thread = threading.Thread(target=poll)
    thread.start()
    until_told()
    stopped.set()
    thread.join()
    presents = sorted(seen)
    gaps = [after - before for before, after in zip(presents, presents[1:])]
    usual = sorted(gaps)[len(gaps) // 2] if gaps else 0
    fps = (len(presents) - 1) * 1e9 / (presents[-1] - presents[0]) if len(presents) > 1 else None
    return {"presents": presents, "fps": fps, "stalls": sum(gap > 5 * usual for gap in gaps), "words": []}


TOOLS = {
    "devlib SurfaceFlinger, every 2 s": lambda *phone: devlib(*phone, "surfaceflinger", 2),
    "devlib SurfaceFlinger, every 0.5 s": lambda *phone: devlib(*phone, "surfaceflinger", 0.5),
    "devlib gfxinfo, every 2 s": lambda *phone: devlib(*phone, "gfxinfo", 2),
    "SoloX": solox,
    "a script, every 1 s": script,
}

if __name__ == "__main__":
    answer = TOOLS[sys.argv[1]](sys.argv[2], sys.argv[3])
    print("answer " + json.dumps(answer, default=float), flush=True)
    # Threads that a tool left behind are not waited for.
    os._exit(0)
