"""What a farm costs whose phones are behind adb: every agent has an adb server of its own with its phones, in real time, and the run here
has all these servers. One phone in ten of each is in trouble. Whatever else is broken, or passes without proved frames, is a complaint."""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import sweep
from farm_memory import MOST, listens
from farm_processes import Farm
from ports import HOME, free_port

# An agent looks at its phones when it begins, and what happens to them then is no trouble of the run.
SETTLES = 30.0
# So many labs are tried until both runs waited alike.
TURNS = 5


class Racks:
    """Adb servers with the phones of a lab, an equal share on each."""

    def __init__(self, program, folder, phones, agents, plan):
        self.ports, self.processes, self.troubled = [], [], set()
        for rack in range(agents):
            place = folder / f"rack-{rack}"
            place.mkdir()
            share = [f"S{phone:04}" for phone in range(rack, phones, agents)]
            for serials in sweep.lab_written(place, share, plan, SETTLES):
                self.troubled |= serials
            port = free_port()
            words = [program, "lab", "serve", "--port", str(port), "lab.yaml"]
            with open(place / "lab.log", "w") as said:
                self.processes.append(subprocess.Popen(words, cwd=place, stdout=subprocess.DEVNULL, stderr=said))
            self.ports.append(port)
        self.began = time.monotonic()
        for port in self.ports:
            listens(port)

    def settled(self):
        time.sleep(max(0.0, self.began + SETTLES - time.monotonic()))

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


def came_to(folder, racks, jobs):
    """How many jobs have which verdict, and how many frames were seen; complaints, of phones without trouble."""
    cells = json.loads((folder / "results.json").read_text())["cells"]
    counts, frames = {}, 0
    wrong = [] if len(cells) == jobs else [f"{len(cells)} jobs of {jobs}"]
    for cell in cells:
        if cell["verdict"] == "broken" and cell["device"] not in racks.troubled:
            wrong.append(f"{cell['device']} has no trouble and is broken: {cell['fault']}")
        if cell["verdict"] == "pass" and not (cell["coverage"] and cell["coverage"]["proved"]):
            wrong.append(f"{cell['device']} passed without proved frames")
        counts[cell["verdict"]] = counts.get(cell["verdict"], 0) + 1
        frames += (cell["coverage"] or {}).get("frames_seen", 0)
    return counts, frames, wrong


def ran(command, folder, out):
    began = time.monotonic()
    run = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=(folder / f"{out}.err").open("w"))
    _, status, _ = os.wait4(run.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if not (folder / out / "results.json").exists():
        raise AssertionError(f"no results, exit {code}: {(folder / f'{out}.err').read_text()[-1000:]}")
    return time.monotonic() - began


def played(program, phones, agents, seed):
    """A run here and one over the farm: how long each took, what it came to and its frames; most memory of the agents, MB; complaints."""
    plan = argparse.Namespace(seed=seed, scenarios=2, iterations=1)
    row, bad = [], []
    for where in "here", "farm":
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            sweep.scenarios_written(folder, plan)
            racks = Racks(program, folder, phones, agents, plan)
            farm = None
            try:
                farm = Farm(program, folder, agents, "") if where == "farm" else None
                words = [program, "run", "scenarios", "--out", "out", "--no-history", "-q", "--wait-for-devices", "60s", "--jobs", "4000"]
                if farm:
                    farm.agents = [
                        farm.begin(f"host-{at}", ["agent", "--farm", farm.url(), "--host", f"host-{at}", "--adb", f"{HOME}:{port}", "--state", f"state-{at}"], f"host-{at}")
                        for at, port in enumerate(racks.ports)
                    ]
                    words += ["--farm", farm.url(), "--phones", str(phones)]
                else:
                    words += [word for port in racks.ports for word in ("--adb", f"{HOME}:{port}")]
                racks.settled()
                took = ran(words, folder, "out")
                counts, frames, wrong = came_to(folder / "out", racks, phones * plan.scenarios)
                row.append((took, counts, frames))
                bad += [f"{phones} phones, {where}: {words}" for words in wrong[:5]]
                peaks = farm.peaks() if farm else []
            finally:
                if farm:
                    farm.end()
                racks.end()
    return row, max(peaks), bad


def size(program, phones, agents):
    """Complaints. A phone that leaves for good is waited for a minute where its jobs are not done by then, which is chance."""
    peak = 0.0
    for turn in range(TURNS):
        row, most, bad = played(program, phones, agents, 1 + turn)
        peak = max(peak, most)
        waited = ["broken" in counts for _, counts, _ in row]
        if bad or waited[0] == waited[1]:
            break
    (here, counts, frames), (far, far_counts, far_frames) = row
    told = lambda counts: " ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    print(
        f"{phones:>7} {agents:>7} {here:>8.1f} {far:>8.1f} {far / here:>6.2f} {peak:>9.1f}  {told(counts)}, {frames} frames | {told(far_counts)}, {far_frames} frames",
        flush=True,
    )
    if far / here > 2:
        bad.append(f"{phones} phones: {far / here:.2f} times as long as here")
    if peak > MOST:
        bad.append(f"{phones} phones: an agent holds {peak:.1f} MB, more than {MOST:.0f}")
    return bad


def told(program, pairs):
    """Complaints."""
    print(f"{'phones':>7} {'agents':>7} {'here s':>8} {'farm s':>8} {'ratio':>6} {'agent MB':>9}  verdicts here | over the farm")
    return [words for pair in pairs.split(",") for words in size(program, *map(int, pair.split(":")))]
