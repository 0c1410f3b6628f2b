"""A computer beside STF: its adb, its runs, what they said, and what STF says of who had phones."""

import contextlib
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import threading

import farm as farms
from farm import ADMIN, HOME, Unit, until

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


def parent(number):
    try:
        return int(pathlib.Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


@contextlib.contextmanager
def server(port, answers):
    class Handler(http.server.BaseHTTPRequestHandler):
        do_GET = do_POST = do_DELETE = answers

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer((HOME, port), Handler) as one:
        threading.Thread(target=one.serve_forever, daemon=True).start()
        yield f"http://{HOME}:{one.server_port}"
        one.shutdown()


def elsewhere():
    """What STF's guide to deployments has in front of it for http."""
    def answers(request):
        request.send_response(301)
        request.send_header("Location", f"https://stf.example{request.path}")
        request.end_headers()

    return server(0, answers)


def begins(port):
    """What STF's API is for a moment: it listens before it has its paths, and has a page of HTML for all."""
    return server(port, lambda request: request.send_error(404))
