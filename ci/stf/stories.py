#!/usr/bin/env python3
"""Phones of the real STF, lent by the plugin `stf.py`: each line that is printed was held, and one that was not ends it in 1.

    python3 stories.py FARMJANK FOLDER [WORD…]     FOLDER has STF's package; only stories whose names have one of these words
"""

import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import farm as farms
from farm import ADMIN, HOME, Farm, Unit, until

PLUGIN = farms.HERE.parent.parent / "plugins/process/examples/stf.py"
ME, ANN = "lab@example.com", "ann@example.com"
SCENARIO = """name: Smooth
appId: com.example.shop
iterations: 1
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 2, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 700ms } ] } } ]
thresholds: { fps: 'mean >= 30%refresh' }
"""
RUN = ["run", "s.yaml", "--out", "out", "--no-history", "--retries", "0"]


def holds(what, fits, seen=""):
    assert fits, f"{what}\n{seen}"
    print(f"holds  {what}", flush=True)


class World:
    """A farm of STF, and a computer beside it with an adb server that knows none of its phones."""

    def __init__(self, farm, folder):
        self.farm, self.folder, self.begun = farm, folder, 0
        (folder / "s.yaml").write_text(SCENARIO, encoding="utf-8")
        self.adb = self.adb_server("adb")
        farm.user(ME), farm.user(ANN)

    def adb_server(self, name):
        """One that has a home, and so a key, of its own; its port."""
        home, port = self.folder / name, farms.free_ports()
        home.mkdir()
        env = {"HOME": str(home), "ADB_MDNS": "0"}
        self.farm.units[name] = Unit(self.folder, name, ["adb", "-P", port, "server", "nodaemon"], env)
        until("adb has a key", lambda: farms.listens(port) and (home / ".android/adbkey.pub").is_file())
        return name, port

    def command(self, words, own="", token=None, url=None, adb=None, computer="here"):
        name, port = adb or self.adb
        key = self.folder / name / ".android/adbkey.pub"
        plugin = f"stf=python3 '{PLUGIN}' {url or self.farm.url} --adb-key '{key}' {own}"
        (self.folder / computer).mkdir(exist_ok=True)  # What says which runs here have which phones.
        env = {**os.environ, "STF_TOKEN": token or self.farm.tokens[ME], "ANDROID_ADB_SERVER_PORT": str(port),
               "FARMJANK_CLAIMS": str(self.folder / computer)}
        return [self.farm.farmjank, *words, "--plugin", plugin], env

    def begin(self, *words, **how):
        command, env = self.command(words, **how)
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        return subprocess.Popen(command, env=env, cwd=self.folder, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, *words, **how):
        """Its exit code, and all that it said."""
        return ended(self.begin(*words, **how))

    def events(self):
        return (self.folder / "out/events.ndjson").read_text(encoding="utf-8")

    def measures(self):
        """Waits until a phone is measured."""
        path = self.folder / "out/events.ndjson"
        until("something is measured", lambda: path.is_file() and '"sample_taken"' in path.read_text(encoding="utf-8"))

    def history(self):
        """What STF says of who had phones since this was asked last: of each, in order."""
        text = self.farm.units["provider"].said()
        new, self.begun = text[self.begun:], len(text)
        found = re.findall(r'\[(\w)\] (Now|No longer) owned by "([^"]*)"(?: \(reason: (\w+)\))?', new)
        return [f"{serial} {'booked' if verb == 'Now' else why} {email}" for serial, verb, email, why in found]

    def clear(self):
        """Whatever a story left, the next one finds phones free."""
        for serial in "AB":
            owner = self.farm.owner(serial)
            self.farm.ask(ADMIN, "DELETE", f"/users/{owner}/devices/{serial}")
        self.history()

    def free(self):
        """Nobody has a phone, a moment later at the latest."""
        until("phones are free", lambda: not any(self.farm.owner(serial) for serial in "AB"))


def ended(process):
    try:
        out, _ = process.communicate(timeout=180)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, out


def booked(*serials, by=ME, end="ungroup_request"):
    return sorted(f"{serial} {what} {by}" for serial in serials for what in ("booked", end))


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
    holds("a run of the same user on another computer takes no phone from the first", code == 3 and f"A is booked by {ME}" in said, said)
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


@contextlib.contextmanager
def elsewhere():
    """What STF's guide to deployments has in front of it for http."""
    class Sends(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(301)
            self.send_header("Location", f"https://stf.example{self.path}")
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer((HOME, 0), Sends) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{HOME}:{server.server_port}"
        server.shutdown()


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
    code, said = world.run(*RUN)
    took = time.monotonic() - begun
    for worker in world.farm.workers("A"):
        os.kill(worker, signal.SIGCONT)
    holds(f"a phone that does not respond to STF is told in its words, and the other is measured ({took:.0f} s)",
          code == 3 and "504 Device is not responding" in world.events() and "1 passed" in said, said)
    until("what was asked of A while it slept is over", lambda: world.farm.owner("A") in (None, ME))
    world.farm.ask(ME, "DELETE", "/user/devices/A")
    world.free()
    world.history()


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


def parent(number):
    try:
        return int(pathlib.Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def kicked(world):
    farm = world.farm
    run = world.begin(*RUN[:-2], "-s", "A", "--iterations", "20")
    world.measures()
    farm.ask(ADMIN, "DELETE", f"/users/{ME}/devices/A")
    said = farm.ask(ANN, "POST", "/user/devices", {"serial": "A"})
    farm.ask(ANN, "POST", "/user/devices/A/remoteConnect")
    code, said = ended(run)
    told = "its booking is over: POST /user/devices/A/remoteConnect: 403 Device is not owned by you or is not available"
    holds("a booking that an administrator ends is told, and the run is broken", code == 3 and told in world.events(), said)
    told = world.history()
    holds("whoever has the phone then keeps it", farm.owner("A") == ANN and told == [
        f"A booked {ME}", f"A ungroup_request {ME}", f"A booked {ANN}"], told)
    farm.ask(ANN, "DELETE", "/user/devices/A")
    world.free()
    world.history()


def restarted(world):
    api = world.farm.units["api"]
    run = world.begin(*RUN, "-s", "A", "--iterations", "6", own="--timeout 24")
    world.measures()
    api.end(signal.SIGKILL)
    time.sleep(10)
    api.begin()
    code, said = ended(run)
    holds("an API that is away for 10 s, which STF's own proxy answers with silence, costs no run", code == 0, said)
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


STORIES = [measured, others, tokens, keys, absent, stuck, lapses, kicked, restarted]


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
