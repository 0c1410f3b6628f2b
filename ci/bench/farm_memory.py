"""What an agent holds whose phones are behind adb: a lab is served by a process of its own, in real time."""

import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

import sweep
from farm_processes import Farm
from ports import HOME, free_port

# An agent of 34 phones or fewer may hold so much, MB.
MOST = 40.0
# Iterations of runs, one after another.
RUNS = (1, 1, 8)
# Phones of an agent whose farm goes away.
PHONES_OF_ABSENCE = 34
# What each further iteration of a phone may add, MB: to an agent, which holds its readings until its job is judged, and nothing
# else of it; and to the run, which holds them to its end, for the report.
EACH, EACH_OF_RUN = 0.03, 0.042
# And while its farm is away. What agents and phones say in an iteration is 10 kB: held, it would be more than this.
EACH_WITHOUT_FARM = 0.02


def held(process):
    """What a process holds and held at most, MB."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return [int(re.search(rf"{name}:\s+(\d+)", status)[1]) / 1024 for name in ("VmRSS", "VmHWM")]


def listens(port, within=60):
    ends = time.monotonic() + within
    while time.monotonic() < ends:
        if subprocess.run(["bash", "-c", f"</dev/tcp/{HOME}/{port}"], stderr=subprocess.DEVNULL).returncode == 0:
            return
        time.sleep(0.1)
    raise TimeoutError("the lab does not listen")


@contextlib.contextmanager
def attached(program, phones):
    """A farm with one agent, whose phones are behind adb; and what begins a run of so many iterations on them."""
    with tempfile.TemporaryDirectory() as name:
        folder, port = pathlib.Path(name), free_port()
        sweep.laid_out(folder, phones, argparse.Namespace(seed=1, scenarios=1, iterations=1))
        lab = subprocess.Popen([program, "lab", "serve", "--port", str(port), "lab.yaml"], cwd=folder, stdout=subprocess.DEVNULL)
        farm = Farm(program, folder, 1, "lab.yaml")

        def run(out, iterations, *more):
            words = ["run", "scenarios", "--farm", farm.url(), "--wait-for-devices", "60s", "--out", out, "--no-history", "-q"]
            return farm.begin("run", [*words, "--iterations", str(iterations), *more], "out")

        try:
            listens(port)
            words = ["agent", "--farm", farm.url(), "--host", "rack", "--adb", f"{HOME}:{port}", "--state", "state"]
            farm.agents = [farm.begin("rack", [*words, "--wait-for-devices", "30s"], "rack")]
            time.sleep(20)
            yield farm, run
        finally:
            lab.kill()
            lab.wait()
            farm.end()


def measured(program, phones):
    """What an agent of so many phones holds before a run, and at most until the end of each of some; what each run holds at
    most; how they ended, and how long the agent computed."""
    most, codes, conducts = [], [], []
    with attached(program, phones) as (farm, run):
        idle, _ = held(farm.agents[0])
        for number, iterations in enumerate(RUNS):
            _, status, usage = os.wait4(run(f"out-{number}", iterations).pid, 0)
            codes.append(os.waitstatus_to_exitcode(status))
            most.append(held(farm.agents[0])[1])
            conducts.append(usage.ru_maxrss / 1024)
        spent = sum(int(word) for word in pathlib.Path(f"/proc/{farm.agents[0].pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])
    return idle, most, conducts, codes, spent / os.sysconf("SC_CLK_TCK")


def absent(program, minutes):
    """Complaints of an agent whose farm is away so long, while its phones are measured."""
    # An iteration takes 5 to 6 seconds: the run is at work for all that time.
    iterations, seconds = 12 * minutes, 60 * minutes
    with attached(program, PHONES_OF_ABSENCE) as (farm, run):
        conducting = run("out", iterations, "--farm-patience", f"{2 * minutes}m")
        # All phones are at work by then.
        time.sleep(40)
        before, _ = held(farm.agents[0])
        farm.servers[0].kill()
        for _ in range(4):
            time.sleep(seconds / 4)
            print(f"{held(farm.agents[0])[0]:>7.1f} MB", flush=True)
        after, _ = held(farm.agents[0])
        farm.servers[0].begin()
        code = conducting.wait()
        results = json.loads((farm.folder / "out" / "results.json").read_text()) if code in (0, 1, 3, 4) else {}
        ended, said = held(farm.agents[0])[1], farm.said()
    print(f"{before:.1f} MB before, {after:.1f} after {minutes} minutes, {ended:.1f} at most; exit {code}, {results.get('counts')}, whole: {results.get('whole', True)}")
    bad, may = [], EACH_WITHOUT_FARM * PHONES_OF_ABSENCE * iterations
    if after - before > may:
        bad.append(f"an agent holds {after - before:.1f} MB more after {minutes} minutes without its farm, not {may:.1f}")
    codes = sorted({cell["fault"]["code"] for cell in results.get("cells", []) if cell.get("fault")})
    bad += [f"jobs are broken by the farm: {code}" for code in codes if code.startswith(("farm_", "host_"))]
    return bad + ([] if code in (0, 1, 3, 4) else [f"the run ended with {code}: {said[-500:]}"])


def told(program, sizes):
    """A line for each number of phones; complaints."""
    bad, many = [], " ".join(map(str, RUNS))
    print(f"{'phones':>7} {'idle MB':>8} {'CPU s':>6}  an agent at most, MB, and the runs, of {many} iterations")
    for phones in map(int, sizes.split(",")):
        idle, most, conducts, codes, spent = measured(program, phones)
        listed = lambda all: " ".join(f"{one:>6.1f}" for one in all)
        print(f"{phones:>7} {idle:>8.1f} {spent:>6.1f}  {listed(most)} | {listed(conducts)}", flush=True)
        bad += [f"{phones} phones: a run ended with {code}" for code in codes if code not in (0, 1, 3, 4)]
        if most[1] > MOST:
            bad.append(f"{phones} phones: an agent holds {most[1]:.1f} MB, more than {MOST:.0f}")
        for whose, held_at_most, each in ("an agent", most, EACH), ("the run", conducts, EACH_OF_RUN):
            grown, may = held_at_most[2] - held_at_most[1], each * phones * (RUNS[2] - 1)
            if grown > may:
                bad.append(f"{phones} phones: {RUNS[2]} iterations have {whose} hold {grown:.1f} MB more, not {may:.1f}")
    return bad
