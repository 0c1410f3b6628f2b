"""Calls the parsers of one other tool on one file of dumps, and prints how long it took and how many frames it found.

`python rivals.py devlib|solox FILE`. Runs inside the environment that `throughput.py` makes. Nothing of the parsers is
rewritten: only the calls that would ask a phone are answered from the file. Of three runs the fastest counts.
"""

import json
import logging
import sys
import time
import types

RUNS = 3
TITLE = "Applications Graphics Acceleration Info:"
ACTIVITY = "com.example.shop/com.example.shop.FeedActivity"


def devlib_frames(path):
    """devlib keeps the dumps of a run in one file and reads it at the end, each new frame once."""
    try:
        import pipes  # noqa: F401  devlib needs it; Python 3.13 has it no more
    except ImportError:
        import shlex

        sys.modules["pipes"] = types.SimpleNamespace(quote=shlex.quote)
    from devlib.utils import rendering

    # Pending rows are warned about one by one; nobody reads it here.
    logging.getLogger("rendering").setLevel(logging.ERROR)

    def once():
        if "framestats" in path:
            collector = rendering.GfxinfoFrameCollector(None, 1, "com.example.shop", header=["Flags"])
        else:
            collector = rendering.SurfaceFlingerFrameCollector(None, 1, ACTIVITY)
        begun = time.perf_counter()
        with open(path) as file:
            collector._process_raw_file(file)
        return time.perf_counter() - begun, len(collector.frames)

    return once


def solox_frames(path):
    """SoloX reads each dump as it comes, keeps the rows newer than the last, and computes frame rate and PerfDog counts."""
    # Importing it would start an adb server.
    sys.modules["solox.public.adb"] = types.ModuleType("solox.public.adb")
    sys.modules["solox.public.adb"].adb = types.SimpleNamespace(adb_path="", shell=lambda **_: "")
    from solox.public import android_fps

    with open(path) as file:
        text = file.read()
    surface = "framestats" not in path
    if surface:
        dumps = [piece + "\n\n" for piece in text.split("\n\n") if piece]
    else:
        dumps = [TITLE + piece for piece in text.split(TITLE) if piece]

    def once():
        collector = android_fps.SurfaceStatsCollector("phone", 1, "com.example.shop", None, 166, surface)
        collector.focus_window = ACTIVITY
        collector.get_surfaceview = lambda: ACTIVITY
        collector.get_surfaceview_activity = lambda: ACTIVITY
        now = {}

        def shell(cmd, deviceId):
            # For framestats it asks for the refresh period first, which a latency dump of no layer tells.
            return now["dump"] if surface or "gfxinfo" in cmd else "16666666\n"

        android_fps.adb = types.SimpleNamespace(shell=shell)
        frames, last = 0, 0
        begun = time.perf_counter()
        for dump in dumps:
            now["dump"] = dump
            period, rows = collector._get_surfaceflinger_frame_data()
            # As its collecting thread does between asking and computing.
            fresh = [row for row in rows if row[1] > last]
            if fresh:
                last = fresh[-1][1]
                collector._calculate_results_new(period, fresh)
            frames += len(fresh)
        return time.perf_counter() - begun, frames

    return once


def main():
    tool, path = sys.argv[1:]
    once = {"devlib": devlib_frames, "solox": solox_frames}[tool](path)
    runs = [once() for _ in range(RUNS)]
    seconds = min(took for took, _ in runs)
    print("answer " + json.dumps({"seconds": seconds, "frames": runs[0][1]}))


if __name__ == "__main__":
    main()
