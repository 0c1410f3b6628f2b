#!/usr/bin/env python3
"""Phones of the real STF, lent by the plugin `stf.py`: each line that is printed was held, and one that was not ends it in 1.

    python3 stories.py FARMJANK FOLDER [WORD…]     FOLDER has STF's package; only stories whose names have one of these words
"""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import farm as farms
from farm import ADMIN, HOME, Farm, Unit, until
from world import ANN, ME, PLUGIN, RUN, World, begins, booked, elsewhere, ended, holds, parent


def measured(world):
    code, said = world.run(*RUN)
    holds("a run books both phones, measures them over STF's own bridge of adb, and passes", code == 0 and
          world.events().count('"verdict":"pass"') >= 2, said)
    world.free()
    told = world.history()
    holds("and gives both back, which STF says of each once", sorted(told) == booked("A", "B"), told)
    listed = subprocess.run(["adb", "-P", str(world.adb[1]), "devices"], capture_output=True, text=True, check=True).stdout
    holds("adb knows none of them any more", listed.strip() == "List of devices attached", listed)
    keys = [key["title"] for key in world.farm.ask(ME, "GET", "/user")["user"]["adbKeys"]]
    code, said = world.run(*RUN, "-s", "B")
    again = [key["title"] for key in world.farm.ask(ME, "GET", "/user")["user"]["adbKeys"]]
    holds("the key of adb is told once, whatever runs", code == 0 and len(keys) == 1 and keys == again, (keys, again, said))
    world.free()
    world.history()
    command = ["python3", str(PLUGIN), world.farm.url, "--adb-key", "none"]
    env = {**os.environ, "STF_TOKEN": world.farm.tokens[ME]}
    check = subprocess.run([world.farm.farmjank, "plugin", "check", *command], env=env, capture_output=True, text=True, check=False)
    holds("`plugin check` finds every rule kept", check.stdout.endswith("5 of 5 rules kept\n"), check.stdout + check.stderr)
    world.free()
    world.history()


def others(world):
    farm = world.farm
    farm.ask(ANN, "POST", "/user/devices", {"serial": "A"})
    who = world.run("devices", "--who")
    holds("a phone of somebody else is told with its user", who[1].startswith(f"A  booked by {ANN}\nB  free\n"), who)
    code, said = world.run(*RUN)
    holds("is not measured, and the other is", code == 3 and f"A is booked by {ANN}" in said and "1 passed" in said, said)
    holds("and stays hers", farm.owner("A") == ANN and world.history() == [f"A booked {ANN}", *booked("B")])
    farm.ask(ANN, "DELETE", "/user/devices/A")
    first = world.begin(*RUN, "-s", "A", "--iterations", "6")
    world.measures()
    command, env = world.command(["run", "s.yaml", "--out", "second", "--no-history", "-s", "A"], computer="there")
    second = subprocess.run(command, env=env, cwd=world.folder, capture_output=True, text=True, check=False)
    code, said = second.returncode, second.stdout + second.stderr
    told = f"A is booked by {ME}"
    holds("a run of the same user on another computer takes no phone from the first", code == 3 and told in said, said)
    code, said = ended(first)
    holds("which goes on and passes", code == 0, said)
    world.free()
    world.history()


def tokens(world):
    code, said = world.run(*RUN, token="old")
    told = "its last words: stf.py: GET /user: 401 Bad Credentials"
    holds("a token that is none is told in STF's words", code == 3 and told in world.events(), said)
    _, said = world.run("devices", token=world.farm.tokens[ADMIN])
    holds("one of an administrator is not taken", "the token is of an administrator" in said, said)
    with elsewhere() as url:
        code, said = world.run(*RUN, url=url)
        holds("a server that sends elsewhere is told with the address that it gives, and sees no second request",
              code == 3 and "give https://stf.example/api/v1/user as its address" in world.events(), said)
    holds("nobody booked anything meanwhile", world.history() == [])


def keys(world):
    adb = world.adb_server("anns")
    key = (world.folder / "anns/.android/adbkey.pub").read_text(encoding="utf-8").strip()
    said = world.farm.ask(ANN, "POST", "/user/adbPublicKeys", {"publickey": key, "title": "hers"})
    code, said = world.run(*RUN, "-s", "A", adb=adb)
    told = f"STF lets this computer's adb in for another user than {ME}"
    holds("a key of adb that is another user's is told, since STF lets it reach no phone", code == 3 and told in said, said)
    world.free()
    world.history()


def absent(world):
    for worker in world.farm.workers("A"):
        os.kill(worker, signal.SIGKILL)
    until("STF says that A is absent", lambda: not world.farm.devices()["A"]["present"])
    who = world.run("devices", "--who")
    holds("a phone that STF says is absent is not offered", who[1].startswith("B  free\n"), who)
    code, said = world.run(*RUN, "-s", "A")
    holds("a run that needs it is broken, and names it", code == 3 and "A" in said, said)
    world.farm.units["provider"].end()
    world.farm.units["provider"].begin()
    until("phones are ready", lambda: len(world.farm.ready()) == 2, 90)
    code, said = world.run(*RUN, "-s", "A")
    holds("and measured once it is back", code == 0, said)
    world.free()
    world.history()


def stuck(world):
    for worker in world.farm.workers("A"):
        os.kill(worker, signal.SIGSTOP)
    begun = time.monotonic()
    code, said = world.run(*RUN, own="--timeout 6")
    took = time.monotonic() - begun
    for worker in world.farm.workers("A"):
        os.kill(worker, signal.SIGCONT)
    holds(f"a phone that does not respond to STF is told in its words, and the other is measured ({took:.0f} s)",
          code == 3 and "504 Device is not responding" in world.events() and "1 passed" in said, said)
    late = booked("A", end="automatic_timeout")
    told = []
    until("A is booked late, and lapses", lambda: told.extend(world.history()) or sorted(told) == sorted([*late, *booked("B")]))
    print("holds  what STF booked after it had given up is renewed by nobody, and lapses", flush=True)
    world.free()


def lapses(world):
    run = world.begin(*RUN, "-s", "A", "--iterations", "20", own="--timeout 6")
    world.measures()
    below = subprocess.run(["pgrep", "-f", PLUGIN.name], capture_output=True, text=True, check=False).stdout.split()
    mine = [int(number) for number in below if parent(number) == run.pid or parent(parent(number)) == run.pid]
    run.kill()
    for number in mine:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    run.communicate()
    world.free()
    told = world.history()
    holds("a booking that nobody renews any more lapses", sorted(told) == booked("A", end="automatic_timeout"), told)


def kicked(world):
    farm = world.farm
    run = world.begin(*RUN[:-2], "-s", "A", "--iterations", "20")
    world.measures()
    farm.ask(ADMIN, "DELETE", f"/users/{ME}/devices/A")
    said = farm.ask(ANN, "POST", "/user/devices", {"serial": "A"})
    farm.ask(ANN, "POST", "/user/devices/A/remoteConnect")
    code, said = ended(run)
    # STF cuts adb off at once: what adb says may be told instead of the plugin's first word, and then its next one.
    told = "its booking is over: POST /user/devices/A/remoteConnect: 403" in world.events() or f"A is booked by {ANN}" in said
    holds("a run whose booking an administrator ends is broken, and says who has the phone or why", code == 3 and told, said)
    told = world.history()
    holds("whoever has the phone then keeps it", farm.owner("A") == ANN and told == [
        f"A booked {ME}", f"A ungroup_request {ME}", f"A booked {ANN}"], told)
    farm.ask(ANN, "DELETE", "/user/devices/A")
    world.free()
    world.history()


def restarted(world):
    api = world.farm.units["api"]
    run = world.begin(*RUN, "-s", "A", "--iterations", "8", own="--timeout 36")
    world.measures()
    api.end(signal.SIGKILL)
    time.sleep(5)
    with begins(world.farm.port(9)):
        time.sleep(13)
    api.begin()
    code, said = ended(run)
    holds("an API that begins anew, first silent behind STF's own proxy and then without paths, costs no run", code == 0, said)
    world.free()
    told = world.history()
    holds("and the phone is given back", sorted(told) == booked("A"), told)
    run = world.begin(*RUN, "-s", "A", "--iterations", "2", own="--timeout 9")
    world.measures()
    api.end(signal.SIGKILL)
    code, said = ended(run)
    api.begin()
    until("the API answers", lambda: len(world.farm.ready()) == 2)
    holds("one that is away at the end costs the run nothing, and who looks is told that the phone stays booked",
          code == 0 and "A stays booked until its booking lapses" in said, said)
    world.free()
    told = world.history()
    holds("until it lapses", sorted(told) == booked("A", end="automatic_timeout"), told)


def reserved(world):
    """A phone of a group that is to be booked ahead: ann has it for a while, and a run that has it then is cut off."""
    farm = world.farm
    pool = farm.ask(ADMIN, "POST", "/groups", {"name": "pool", "class": "bookable"})["group"]["id"]
    for email in (ME, ANN):
        farm.ask(ADMIN, "PUT", f"/groups/{pool}/users/{email}")
    said = farm.ask(ADMIN, "PUT", f"/devices/A/groups/{pool}")
    assert said["success"], said
    until("A is of the pool", lambda: farm.devices()["A"]["group"]["origin"] == pool)
    code, said = world.run(*RUN, "-s", "A")
    holds("a phone that can be reserved is lent while nobody has it", code == 0, said)
    world.free()
    world.history()
    run = world.begin(*RUN, "-s", "A", "--iterations", "20")
    world.measures()
    hour = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + after)) for after in (1, 3600)]
    mine = farm.ask(ANN, "POST", "/groups", {"name": "hers", "class": "once", "startTime": hour[0], "stopTime": hour[1]})
    group = mine["group"]["id"]
    farm.ask(ANN, "PUT", f"/groups/{group}/devices/A")
    said = farm.ask(ANN, "PUT", f"/groups/{group}", {"state": "ready"})
    assert said["success"], said
    code, said = ended(run)
    told = world.history()
    cut = code == 3 and sorted(told) == booked("A")
    holds("a run whose phone is reserved for others meanwhile is cut off and broken", cut, (told, said))
    code, said = world.run("devices", "--who")
    holds("the phone is no longer offered", said.startswith("B  free\n"), said)
    farm.ask(ANN, "DELETE", f"/groups/{group}")
    until("A is back", lambda: farm.devices().get("A", {"group": {"id": None}})["group"]["id"] == pool)
    code, said = world.run(*RUN, "-s", "A")
    holds("and lent again when the reservation is over", code == 0, said)
    world.free()
    world.history()


def agent(world):
    """The same over a farm of farmjank, whose agent has the plugin."""
    port, server = farms.free_ports(), os.environ.get("NATS_SERVER") or shutil.which("nats-server")
    if not server:
        print("       agent: left out, there is no nats-server", flush=True)
        return
    conf = f'listen: "{HOME}:{port}"\njetstream {{ store_dir: "{world.folder}/store", sync_interval: always }}\n'
    (world.folder / "nats.conf").write_text(conf, encoding="utf-8")
    world.farm.units["nats"] = Unit(world.folder, "nats", [server, "-c", world.folder / "nats.conf"])
    until("the farm's server listens", lambda: farms.listens(port))
    url = f"nats://{HOME}:{port}"
    words, env = world.command(["agent", "--host", "shelf", "--state", "state", "--farm", url])
    unit = world.farm.units["agent"] = Unit(world.folder, "agent", words, env)
    over = [world.farm.farmjank, "run", "s.yaml", "--farm", url, "--wait-for-devices", "60s", "--no-history", "--out"]
    run = subprocess.run([*over, "farm"], cwd=world.folder, capture_output=True, text=True, check=False)
    holds("a run over a farm measures both phones", run.returncode == 0, run.stdout + run.stderr + unit.said())
    world.free()
    world.history()
    world.farm.ask(ANN, "POST", "/user/devices", {"serial": "B"})
    phones = [world.farm.farmjank, "farm", "phones", "--farm", url]
    until("the farm says who has B", lambda: ANN in subprocess.run(phones, capture_output=True, text=True, check=False).stdout)
    print("holds  the farm says who has one that is not free", flush=True)
    unit.end()
    holds("its agent leaves nothing booked", world.history() == [f"B booked {ANN}"])
    world.farm.ask(ANN, "DELETE", "/user/devices/B")
    world.free()
    world.history()


STORIES = [measured, others, tokens, keys, absent, stuck, lapses, kicked, restarted, reserved, agent]


def main():
    farmjank, folder, words = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    farm, failed, begun = Farm(folder, str(farmjank)), 0, time.monotonic()
    try:
        farm.begin()
        world = World(farm, folder)
        print(f"       STF is up after {time.monotonic() - begun:.0f} s", flush=True)
        for story in STORIES:
            if words and not any(word in story.__name__ for word in words):
                continue
            since = time.monotonic()
            try:
                story(world)
            except Exception as error:  # The others are told, too.
                failed += 1
                world.clear()
                print(f"FAILS  {story.__name__}, {time.monotonic() - since:.0f} s: {type(error).__name__}: {error}", flush=True)
            print(f"       {story.__name__}: {time.monotonic() - since:.0f} s", flush=True)
    finally:
        farm.end()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
