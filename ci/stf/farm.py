"""STF's own units as processes, beside what stands in its place: the database, and what its apk does on hardware."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
HOME = "127.0.0.1"
SECRET = "known to the units alone"
ADMIN = "administrator@fakedomain.com"
# Ms, as of a disk that has other work: STF answers that a phone is booked before its database says by whom.
LATE = 30
LAB = "name: shelf\nphones: [ { archetype: pixel-6, serial: A }, { archetype: pixel-8, serial: B } ]\n"


def free_ports(many=1, given=[61000 + os.getpid() * 8 % 3000]):
    """So many in a row that nobody has, above those that systems give away by themselves; the first of them."""
    while given[0] < 65500:
        first, given[0] = given[0], given[0] + many
        if not any(listens(port) for port in range(first, first + many)):
            return first
    raise SystemExit("no free ports")


def until(what, fits, seconds=60):
    """Waits for it; what it came to."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        found = fits()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"not within {seconds} s: {what}")


def listens(port):
    with socket.socket() as one:
        return one.connect_ex((HOME, port)) == 0


class Unit:
    """One process, whose words are in a file."""

    def __init__(self, folder, name, words, env=None):
        self.words, self.env, self.log = [str(word) for word in words], {**os.environ, **(env or {})}, folder / f"{name}.log"
        self.folder = folder
        self.begin()

    def begin(self):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                self.words, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.env, cwd=self.folder)

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def said(self):
        return self.log.read_text(encoding="utf-8", errors="replace")


class Farm:
    """A lab of two phones, STF that lends them, and users that have tokens."""

    def __init__(self, folder, farmjank):
        self.folder, self.farmjank = folder, farmjank
        self.first = free_ports(24)
        self.url = f"http://{HOME}:{self.port(0)}"
        self.units, self.tokens = {}, {}
        self.package = folder / "node_modules/@devicefarmer/stf/lib"
        self.cli = self.package / "cli"

    def port(self, nth):
        return self.first + nth

    def at(self, nth):
        return f"tcp://{HOME}:{self.port(nth)}"

    def unit(self, name, *words, env=None):
        self.units[name] = Unit(self.folder, name, words, env)

    def stf(self, name, *words, loads=()):
        """One of STF's units, as `stf` begins it."""
        told = {"RETHINKDB_PORT_28015_TCP": self.at(1), "NODE_OPTIONS": "--no-deprecation"}
        self.unit(name, "node", *loads, self.cli, *words, env=told)

    def begin(self):
        (self.folder / "lab.yaml").write_text(LAB, encoding="utf-8")
        self.unit("lab", self.farmjank, "lab", "serve", "lab.yaml", "--port", self.port(2))
        self.unit("database", "node", HERE / "database.js", self.port(1), LATE)
        until("the database listens", lambda: listens(self.port(1)) and listens(self.port(2)))
        self.stf("migrate", "migrate")
        assert self.units.pop("migrate").process.wait(60) == 0, "STF sets up its tables"
        self.users()
        app, device = [self.at(nth) for nth in (3, 4, 5)], [self.at(nth) for nth in (6, 7, 8)]
        for name, (pub, dealer, pull) in (("app", app), ("dev", device)):
            self.stf(name, "triproxy", name, "--bind-pub", pub, "--bind-dealer", dealer, "--bind-pull", pull)
        self.stf("processor", "processor", "--connect-app-dealer", app[1], "--connect-dev-dealer", device[1])
        self.stf("reaper", "reaper", "--connect-push", device[2], "--connect-sub", app[0])
        both = ["--connect-push", app[2], "--connect-sub", app[0], "--connect-push-dev", device[2], "--connect-sub-dev", device[0]]
        self.stf("api", "api", "--port", self.port(9), "--secret", SECRET, *both)
        self.stf("groups", "groups-engine", *both)
        self.stf("provider", *self.provider(device), loads=("-r", HERE / "phone.js"))
        self.poorxy()
        until("phones are ready", lambda: len(self.ready()) == 2, 90)

    def provider(self, device):
        return ["provider", "--name", "shelf", "--min-port", self.port(16), "--max-port", self.port(23), "--public-ip", HOME,
                "--connect-sub", device[0], "--connect-push", device[2], "--storage-url", self.url, "--adb-port", self.port(2),
                "--heartbeat-interval", 1000]

    def poorxy(self):
        """The server in front, that STF brings; nobody is behind it but for the API."""
        others = [word for name in ("app", "auth", "websocket", "storage", "storage-plugin-image", "storage-plugin-apk")
                  for word in (f"--{name}-url", f"http://{HOME}:{self.port(10)}/")]
        self.stf("poorxy", "poorxy", "--port", self.port(0), "--api-url", f"http://{HOME}:{self.port(9)}/", *others)

    def users(self):
        """The first token is written by STF's own code; all others are asked of the API."""
        words = (
            "const [lib, email, secret] = process.argv.slice(1); const api = require(lib + '/db/api');"
            "const jwt = require(lib + '/util/jwtutil').encode({payload: {email, name: 'administrator'}, secret});"
            "api.saveUserAccessToken(email, {title: 'first', id: 'first', jwt}).then(() => process.exit(0))")
        env = {**os.environ, "RETHINKDB_PORT_28015_TCP": self.at(1)}
        subprocess.run(["node", "-e", words, self.package, ADMIN, SECRET], env=env, check=True, capture_output=True)
        self.tokens[ADMIN] = "first"

    def user(self, email):
        """One more of STF's users; its token."""
        path = f"/users/{urllib.parse.quote(email)}"
        self.ask(ADMIN, "POST", f"{path}?name={email.split('@')[0]}")
        self.tokens[email] = self.ask(ADMIN, "POST", f"{path}/accessTokens?title=lab")["token"]["id"]
        return self.tokens[email]

    def ask(self, email, method, path, body=None):
        """What the API answers one of its users; its words where it refuses."""
        request = urllib.request.Request(f"http://{HOME}:{self.port(9)}/api/v1{path}", method=method)
        request.add_header("Authorization", f"Bearer {self.tokens[email]}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return {"status": error.code, **json.load(error)}

    def devices(self):
        return {one["serial"]: one for one in self.ask(ADMIN, "GET", "/devices")["devices"]}

    def ready(self):
        try:
            return [serial for serial, one in self.devices().items() if one["present"] and one["ready"]]
        except (OSError, ValueError):
            return []  # It begins: for a moment the API knows no path.

    def owner(self, serial):
        return (self.devices()[serial]["owner"] or {}).get("email")

    def workers(self, serial):
        """The processes that the provider began for a phone."""
        below = subprocess.run(["pgrep", "-P", str(self.units["provider"].process.pid), "-f", "--", f"--serial {serial} "],
                               capture_output=True, text=True, check=False)
        return [int(number) for number in below.stdout.split()]

    def end(self):
        for unit in reversed(self.units.values()):
            unit.end()
