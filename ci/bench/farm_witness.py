"""What stands on a farm's server, read from outside: plain sockets, NATS's own protocol, no line of farmjank's code.

A witness reads a run's log as a stranger would, and says what is wrong with it. What it saw once was acknowledged, for the server
shows nothing else.
"""

import base64
import collections
import gzip
import json
import secrets
import socket
import threading
import time

LOGS, LEASES, OBJECTS = "FJ_LOG_main", "KV_FJ_LEASES", "FJ_OBJ_main"
OPENING, HEAD = "_opening", "_head"
# How long servers that run may take to agree who leads, seconds.
PATIENCE = 60.0


class Connection:
    """One connection to a server, for questions with one answer each."""

    def __init__(self, port, patience=5.0):
        self.socket = socket.create_connection(("127.0.0.1", port), patience)
        self.file = self.socket.makefile("rb")
        # Answers come where nobody else listens.
        self.asked, self.inbox = 0, f"_INBOX.{secrets.token_hex(8)}"
        self.file.readline()
        hello = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True, "lang": "python", "version": "0"}
        self.send(f"CONNECT {json.dumps(hello)}\r\nSUB {self.inbox}.* 1\r\n")

    def send(self, words):
        self.socket.sendall(words.encode())

    def ask(self, subject, body=b""):
        """The answer's bytes; an OSError where none comes."""
        self.asked += 1
        inbox = f"{self.inbox}.{self.asked}"
        self.socket.sendall(f"PUB {subject} {inbox} {len(body)}\r\n".encode() + body + b"\r\n")
        while True:
            words = self.file.readline().split()
            if not words:
                raise ConnectionError("the server is gone")
            if words[0] == b"PING":
                self.send("PONG\r\n")
            if words[0] in (b"MSG", b"HMSG"):
                payload = self.file.read(int(words[-1]) + 2)[:-2]
                if words[0] == b"HMSG":
                    payload = payload[int(words[-2]):]
                if words[1].decode() == inbox:
                    return payload

    def api(self, question, body=None):
        answer = self.ask(f"$JS.API.{question}", json.dumps(body).encode() if body else b"")
        if not answer:
            raise ConnectionError("nobody answers")
        return json.loads(answer)

    def put(self, subject, headers, body=b""):
        """Writes a message of JetStream; what the server says of it."""
        self.asked += 1
        inbox = f"{self.inbox}.{self.asked}"
        head = ("NATS/1.0\r\n" + "".join(f"{key}: {value}\r\n" for key, value in headers.items()) + "\r\n").encode()
        whole = len(head) + len(body)
        self.socket.sendall(f"HPUB {subject} {inbox} {len(head)} {whole}\r\n".encode() + head + body + b"\r\n")
        while True:
            words = self.file.readline().split()
            if not words:
                raise ConnectionError("the server is gone")
            if words[0] in (b"MSG", b"HMSG"):
                payload = self.file.read(int(words[-1]) + 2)[:-2]
                if words[1].decode() == inbox:
                    return json.loads(payload[int(words[-2]):] if words[0] == b"HMSG" else payload)

    def messages(self, stream, after=0):
        """Every message of a stream behind a sequence: its sequence, subject, whether it says that something was given up, body."""
        while True:
            answer = self.api(f"STREAM.MSG.GET.{stream}", {"seq": after + 1, "next_by_subj": ">"})
            if "error" in answer:
                # No such message, or no such stream.
                if answer["error"].get("code") == 404:
                    return
                raise ConnectionError(answer["error"].get("description"))
            found = answer["message"]
            after = found["seq"]
            gone = b"KV-Operation" in base64.b64decode(found.get("hdrs", ""))
            yield after, found["subject"], gone, base64.b64decode(found.get("data", "")), found["time"]

    def close(self):
        self.socket.close()


class Line:
    """What one host says, by the numbers of its entries: an attempt that begins again says the same again."""

    def __init__(self, floor):
        self.attempt, self.next, self.entries = floor["attempt"], floor["next"], {}

    def take(self, head, entries, complaints):
        if head["attempt"] < self.attempt:
            return
        self.attempt = head["attempt"]
        for number, entry in enumerate(entries, head["first"]):
            known = self.entries.setdefault(number, entry)
            if known != entry:
                complaints.append(f"entry {number} of a line was said twice and in other words")


class Log:
    """A run's log as a stranger reads it: the generation that its head names, what opens it, then each line by its numbers."""

    def __init__(self, messages):
        self.runs = collections.defaultdict(lambda: collections.defaultdict(list))
        self.heads = {}
        for _, subject, _, body, _ in messages:
            _, _, _, run, generation, writer, number = subject.split(".")
            self.runs[run][int(generation)].append((writer, number, body))
            if writer == HEAD:
                self.heads[run] = json.loads(body)

    def entries(self, run, complaints):
        """All entries, in no order."""
        # Not the highest there is: who died once it was opened, and before anybody was told of it, left it to nobody.
        head = self.heads.get(run)
        if head is None:
            complaints.append("the run has no head")
            return []
        if not head["over"]:
            complaints.append("nobody said that the run is over")
        generation = head["generation"]
        all_, lines = [], {}
        for writer, number, body in self.runs[run][generation]:
            head, _, packed = body.partition(b"\n")
            head, texts = json.loads(head), gzip.decompress(packed).decode().splitlines() if packed else []
            if writer == OPENING:
                all_ += [text.split(" ", 4)[3:] for text in texts]
                lines = {name: Line(floor) for name, floor in (head.get("floors") or {}).items()}
            elif f"{number}-{writer}" in lines:
                lines[f"{number}-{writer}"].take(head, [text.split(" ", 1) for text in texts], complaints)
        for line in lines.values():
            all_ += line.entries.values()
        return all_


class Watch(threading.Thread):
    """Reads a server's logs all the while; keeps every entry it ever saw."""

    def __init__(self, ports):
        super().__init__(daemon=True)
        self.ports, self.over, self.seen = ports, threading.Event(), set()

    def run(self):
        turn, connection, after = 0, None, 0
        while not self.over.wait(0.2):
            try:
                connection = connection or Connection(self.ports[turn % len(self.ports)], 2.0)
                state = connection.api(f"STREAM.INFO.{LOGS}").get("state", {"last_seq": 0})
                # A store that was lost or went back begins again.
                after = 0 if state["last_seq"] < after else after
                for after, subject, _, body, _ in connection.messages(LOGS, after):
                    self.keep(subject, body)
            except (OSError, ValueError, KeyError):
                connection, after, turn = None, 0, turn + 1

    def keep(self, subject, body):
        if subject.split(".")[5] in (OPENING, HEAD) or b"\n" not in body:
            return
        lines = gzip.decompress(body.partition(b"\n")[2]).decode().splitlines()
        self.seen.update(line.split(" ", 1)[1] for line in lines)

    def end(self):
        self.over.set()
        self.join()
        return self.seen


def fact(text):
    """A fact of an entry in the words that the folder's log has; none where the entry says something else."""
    found = json.loads(text).get("fact")
    return found and json.dumps(found, sort_keys=True)


def folder(out):
    """The facts of a folder's log, and what its plan holds."""
    facts, jobs = collections.Counter(), []
    for line in (out / "events.ndjson").read_text().splitlines():
        event = json.loads(line)
        if event["kind"] == "plan_made":
            jobs = [job["job"] for job in event["jobs"]]
        if event["kind"] not in ("run_started",):
            facts[json.dumps({key: value for key, value in event.items() if key not in ("seq", "at")}, sort_keys=True)] += 1
    return facts, jobs


def answered(port, question):
    """What a server says to this. Several may be about to agree who leads, as some of them were killed a moment ago."""
    ends = time.monotonic() + PATIENCE
    while True:
        connection = Connection(port)
        try:
            return question(connection)
        except OSError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.5)
        finally:
            connection.close()


def judged(port, out, seen):
    """What is wrong with the one run of a server: in the stream as in the folder each planned job is judged once, and nothing is
    missing in the folder that was seen on the server."""
    complaints = []
    log = answered(port, lambda connection: Log(connection.messages(LOGS)))
    facts, jobs = folder(out)
    if not jobs:
        complaints.append("the folder's log has no plan")
    if len(log.runs) != 1:
        complaints.append(f"the stream holds {len(log.runs)} runs")
    for run in log.runs:
        # Of thousands of entries a few are verdicts: whatever lacks the word is not read.
        told = [json.loads(text).get("fact") or {} for _, text in log.entries(run, complaints) if "job_judged" in text]
        verdicts = collections.Counter(one["job"] for one in told if one.get("kind") == "job_judged")
        if verdicts != collections.Counter(jobs):
            complaints.append(f"jobs {jobs} are planned, and judged in the stream: {dict(verdicts)}")
    lost = [one for one in map(fact, seen) if one and one not in facts]
    if lost:
        complaints.append(f"{len(lost)} facts that the server had are not in the folder: {lost[0][:200]}")
    return complaints


def exit_code(out, code):
    """Whether the exit status is the one of the verdict that results.json tells."""
    told = json.loads((out / "results.json").read_text())["verdict"]
    wanted = {"pass": 0, "fail": 1, "broken": 3, "undecided": 4}[told]
    return [] if code == wanted else [f"exit {code}, and results.json says {told}"]


def leases(port, patience):
    """Leases that stand there after so long: those that nobody gave up end by themselves."""
    ends = time.monotonic() + patience
    while True:
        held = answered(port, held_leases)
        if not held or time.monotonic() > ends:
            return [f"leases are left: {', '.join(held)}"] if held else []
        time.sleep(1)


def held_leases(connection):
    return [subject for _, subject, gone, _, _ in connection.messages(LEASES) if not gone]
