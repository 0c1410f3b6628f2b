#!/usr/bin/env python3
"""A phone that is not our lab, behind an adb server of its own, in real time, for as long as one command runs.

    phone.py --hz 120 --adaptive --sdk 30 --truth truth.json -- farmjank run scenario.yaml

Shell lines run in a real mksh; what a phone brings along are stubs (`programs.py`) that ask the model (`model.py`), the
rest is toybox. Afterwards `--truth` holds what was really on the screen. Needs python3, mksh, toybox and cc, nothing else.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from model import DEPTH, World  # noqa: E402
from programs import Programs  # noqa: E402
from usage import Usage  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
STUBS = "dumpsys input getprop setprop settings wm svc am pm cmd pidof ps logcat log perfetto".split()


def span(text):
    low, high = (float(part) for part in text.split(","))
    return low, high


def stall(text):
    number, after, length = text.split(":")
    return int(number), float(after), float(length)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hz", type=int, default=120)
    parser.add_argument("--adaptive", action="store_true", help="rests at 60 Hz")
    parser.add_argument("--sdk", type=int, default=33)
    parser.add_argument("--input", choices=["full", "old", "hidden", "none"], help="dialect of `dumpsys input`")
    parser.add_argument("--before", type=span, help="ms that `input` takes before its first event: LO,HI")
    parser.add_argument("--after", type=span, help="ms that it takes after its last: LO,HI")
    parser.add_argument("--fps", type=float, help="a page that keeps a slow rate")
    parser.add_argument("--fall", action="store_true", help="three seconds at 25 fps, suddenly")
    parser.add_argument("--random-5-6", action="store_true", help="each frame takes five or six refreshes")
    parser.add_argument("--stall", type=stall, action="append", default=[], help="TOUCH:MS after its down:LONG ms")
    parser.add_argument("--pixels", action="store_true", help="a fling draws only when it moved a whole pixel")
    parser.add_argument("--keeps", default="", help="what it keeps from a shell, a list: cpu,memory,temperature,battery,network")
    parser.add_argument("--unplugged", action="store_true", help="nothing but its battery feeds it")
    parser.add_argument("--current", choices=["micro", "milli", "plus"], default="micro", help="its kernel's unit and sign of current")
    parser.add_argument("--app", default="com.example.shop")
    parser.add_argument("--model", default="Outsider")
    parser.add_argument("--serial", default="OUTSIDE")
    parser.add_argument("--width", type=int, default=1080)
    parser.add_argument("--height", type=int, default=2400)
    parser.add_argument("--density", type=int, default=420)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--truth", help="file for what was really shown")
    parser.add_argument("--log", help="file for every line the shell was sent")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    virtual_machine = options.sdk <= 30
    options.before = options.before or ((300, 700) if virtual_machine else (8, 35))
    options.after = options.after or ((20, 90) if virtual_machine else (2, 15))
    options.input = options.input or ("old" if options.sdk < 30 else "full")
    options.command = options.command[1:] if options.command[:1] == ["--"] else options.command
    return options


class Phone:
    """The phone's shell: a folder of programs, and the socket behind which they are answered."""

    def __init__(self, options, folder):
        self.world = World(options, slept())
        self.world.lock = threading.RLock()
        self.programs = Programs(self.world, options)
        self.programs.log_entry = None
        self.programs.usage = self.usage = Usage(self.world, options, self.programs)
        self.files = os.path.join(folder, "files")
        os.mkdir(self.files)
        self.bin = os.path.join(folder, "bin")
        os.mkdir(self.bin)
        ask = os.path.join(folder, "ask")
        subprocess.run(["cc", "-O1", "-o", ask, os.path.join(HERE, "ask.c")], check=True)
        self.lines = {}
        for name in STUBS:
            os.symlink(ask, os.path.join(self.bin, name))
        toybox = shutil.which("toybox")
        known = subprocess.run([toybox], capture_output=True, text=True, check=True).stdout.split()
        for name in known:
            if name not in STUBS:
                os.symlink(toybox, os.path.join(self.bin, name))
        self.path = os.path.join(folder, "socket")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.path)
        listener.listen(64)
        serve(listener, self.answer)

    def answer(self, connection):
        """One program's words in, its answer out."""
        (count,) = struct.unpack("<I", exactly(connection, 4))
        argv = []
        for _ in range(count):
            (length,) = struct.unpack("<I", exactly(connection, 4))
            argv.append(exactly(connection, length).decode())
        argv[0] = "log_" if argv[0] == "log" else argv[0]
        status, out, complaint = (0, self.processes(), "") if argv[0] == "ps" else self.programs.ask(argv)
        out, complaint = out.encode(), complaint.encode()
        connection.sendall(struct.pack("<III", status, len(out), len(complaint)) + out + complaint)

    def processes(self):
        """The shells of this phone: those of the computer it runs on are not its own."""
        return "  PID ARGS\n    1 init second_stage\n" + "".join(f"{pid:>5} sh -c {line}\n" for pid, line in sorted(self.lines.copy().items()))

    def shell(self, connection, line, packets):
        """Runs a line; what it prints goes to the connection as it comes, and it ends when the asker leaves."""
        environment = {"PATH": self.bin, "OUTSIDE_PHONE": self.path, "HOME": "/", "TMPDIR": "/tmp"}
        line = self.usage.shown(line, self.files)
        both = subprocess.PIPE if packets else subprocess.STDOUT
        child = subprocess.Popen([shutil.which("mksh"), "-c", line], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=both, env=environment, start_new_session=True)
        self.lines[child.pid] = line
        lock = threading.Lock()

        def send(kind, data):
            head = struct.pack("<BI", kind, len(data)) if packets else b""
            with lock:
                try:
                    connection.sendall(head + data)
                except OSError:
                    end(child)

        def pump(kind, stream):
            while data := os.read(stream.fileno(), 65536):
                send(kind, data)

        def leave():
            try:
                while connection.recv(4096):
                    pass
            except OSError:
                pass
            end(child)

        pumps = [threading.Thread(target=pump, args=(1, child.stdout), daemon=True)]
        if packets:
            pumps.append(threading.Thread(target=pump, args=(2, child.stderr), daemon=True))
        for thread in pumps:
            thread.start()
        threading.Thread(target=leave, daemon=True).start()
        for thread in pumps:
            thread.join()
        status = child.wait()
        self.lines.pop(child.pid, None)
        if packets:
            send(3, bytes([status & 0xFF]))


def end(child):
    if child.poll() is None:
        try:
            os.killpg(child.pid, signal.SIGHUP)
        except OSError:
            pass


class Server:
    """An adb server with one phone."""

    def __init__(self, phone, options):
        self.phone, self.options = phone, options
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        self.port = listener.getsockname()[1]
        serve(listener, self.talk)

    def talk(self, connection):
        while True:
            asked = exactly(connection, int(exactly(connection, 4), 16)).decode()
            name, model = self.options.serial, self.options.model
            listing = f"{name:<22} device usb:1-1 product:out model:{model} device:out transport_id:1\n"
            if asked == "host:version":
                return connection.sendall(b"OKAY" + counted("0029"))
            if asked in ("host:devices-l", "host:devices"):
                return connection.sendall(b"OKAY" + counted(listing if asked.endswith("-l") else f"{name}\tdevice\n"))
            if asked.startswith("host:track-devices"):
                connection.sendall(b"OKAY" + counted(listing if asked.endswith("-l") else f"{name}\tdevice\n"))
                while connection.recv(4096):
                    pass
                return None
            if asked.endswith(":features"):
                return connection.sendall(b"OKAY" + counted("shell_v2,cmd,stat_v2,ls_v2"))
            if asked.endswith(":get-state"):
                return connection.sendall(b"OKAY" + counted("device"))
            if asked.startswith(("host:transport", "host:tport")):
                connection.sendall(b"OKAY" + (struct.pack("<Q", 1) if ":tport" in asked else b""))
                continue
            kind, _, line = asked.partition(":")
            if kind.split(",")[0] not in ("shell", "exec"):
                return connection.sendall(b"FAIL" + counted("unknown service"))
            if self.options.log:
                with open(self.options.log, "a", encoding="utf-8") as log:
                    log.write(line + "\n")
            connection.sendall(b"OKAY")
            return self.phone.shell(connection, line, "v2" in kind.split(","))


def counted(text):
    return f"{len(text):04x}{text}".encode()


def exactly(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def serve(listener, talk):
    """Answers every connection in a thread of its own."""

    def one(connection):
        with connection:
            try:
                talk(connection)
            except (EOFError, OSError, ValueError):
                pass

    def accept():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=one, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def slept():
    """How far CLOCK_MONOTONIC is behind CLOCK_BOOTTIME: this phone has slept, the computer need not have."""
    with open("/proc/uptime", encoding="ascii") as uptime:
        return int(float(uptime.read().split()[0]) * 0.31e9)


def truth(world, usage):
    """What was really shown: presents with the refresh each was due and shown at, fingers, stalls."""
    frames = [
        {"at": frame.present(world), "tick": frame.tick + DEPTH, "wanted": frame.wanted + DEPTH, "hz": frame.hz, "late_ms": (world.tick_at(frame.tick) - world.tick_at(frame.wanted)) / 1e6, "stalled": frame.stalled, "queued": frame.queued, "cpu_ms": frame.cost / 1e6}
        for frame in world.frames
    ]
    touches = [{"down": t.down, "slop": t.slop_at, "up": t.up, "caught": t.caught, "fling_until": t.fling_until} for t in world.touches]
    return {"skew": world.panel.skew, "frames": frames, "touches": touches, "stalls": world.stalls, "used": usage.truth()}


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="outside") as folder:
        phone = Phone(options, folder)
        port = str(Server(phone, options).port)
        environment = dict(os.environ, ANDROID_ADB_SERVER_PORT=port, ADB_SERVER_SOCKET=f"tcp:127.0.0.1:{port}", OUTSIDE_PHONE=phone.path)
        status = subprocess.run(options.command, env=environment, check=False).returncode
        phone.usage.stop()
        with phone.world.lock:
            phone.world.catch_up()
            if options.truth:
                with open(options.truth, "w", encoding="utf-8") as file:
                    json.dump(truth(phone.world, phone.usage), file)
    sys.exit(status)


if __name__ == "__main__":
    main()
