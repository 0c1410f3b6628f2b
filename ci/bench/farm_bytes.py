"""The byte law: one lab over 1, 7 and 30 agents, left alone and with agents killed all the while, leaves one and the same folder."""

import argparse
import pathlib
import random
import tempfile
import time

import sweep
from farm_processes import Farm, here
from farm_troubles import differ

PHONES = 60
AGENTS = [1, 7, 30]
# An agent is killed so long after the one before, seconds; its service begins it again after a moment.
BETWEEN, MOMENT = (0.3, 2.5), (0.1, 1.0)
# How many are killed while the run goes on, at most: it has to end.
MOST = 12


def killed(draw, farm, run):
    """Kills agents, one after the other, as long as the run goes on; how many it were."""
    many = 0
    while run.poll() is None and many < MOST:
        time.sleep(draw.uniform(*BETWEEN))
        if run.poll() is not None:
            break
        number = draw.randrange(farm.many)
        farm.agents[number].kill()
        farm.agents[number].wait()
        time.sleep(draw.uniform(*MOMENT))
        farm.agents[number] = farm.agent(number)
        many += 1
    return many


def one(program, agents, seed, kills):
    """A line of the table; a complaint, or none."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sweep.laid_out(folder, PHONES, argparse.Namespace(seed=seed, scenarios=3, iterations=2))
        expected, _, _ = here(program, folder, ["scenarios"], "lab.yaml")
        farm = Farm(program, folder, agents, "lab.yaml")
        farm.played()
        began = time.monotonic()
        run = farm.run(["scenarios"], "out")
        many = killed(random.Random(f"{agents}-{seed}"), farm, run) if kills else 0
        code = run.wait()
        took = time.monotonic() - began
        files = sum(1 for file in expected.rglob("*") if file.is_file())
        wrong = differ(expected, folder / "out") if (folder / "out").exists() else f"exit {code}, and no folder"
        said = farm.said()[-1500:] if wrong else ""
        farm.end()
    print(f"{agents:>7} {seed:>5} {many:>7} {took:>8.1f} {files:>6}  {wrong or 'same bytes'}", flush=True)
    return f"{agents} agents, seed {seed}, {many} killed: {wrong}\n{said}" if wrong else None


def told(program, seeds):
    """A line for each number of agents and each seed, without and with agents killed; complaints."""
    print(f"{PHONES} phones, one in ten in trouble\n{'agents':>7} {'seed':>5} {'killed':>7} {'took s':>8} {'files':>6}")
    bad = [one(program, agents, seed, kills) for agents in AGENTS for seed in range(1, seeds + 1) for kills in (False, True)]
    return [words for words in bad if words]
