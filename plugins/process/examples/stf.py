#!/usr/bin/env python3
"""A plugin of farmjank that lends phones: those of STF or DeviceHub, booked by their REST API for as long as a run needs
them. The token of its user is read from the environment, STF_TOKEN, and belongs to a user of its own, no administrator.

    STF_TOKEN=… farmjank run --plugin stf='python3 stf.py https://stf.example --most 4' scenarios/

    --most N       so many phones at most (4)
    --model TEXT   only models whose name has this in it
    --timeout S    a booking lapses after so many seconds in which nobody renews it (180); it is renewed in a third of them
    --adb-key FILE the key of this computer's adb, which the user's phones are told (~/.android/adbkey.pub); none: no key
"""
import argparse
import base64
import hashlib
import json
import os
import socket
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

TRIES = 3
# Seconds. STF waits 5 s for a phone, and 6 more where others ask for it, too; while it begins anew nobody answers.
ANSWERS, BOOKS, TAKES = 6, 15, 100
# So often it is asked whether it ended a booking: it cuts adb off then.
LOOKS = 5


def say(message, lock=threading.Lock()):
    with lock:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def notice(text):
    say({"plugin": "notice", "text": text})


class Refused(Exception):
    """What the server said instead; `status` is 0 where STF did not answer."""

    def __init__(self, status, words):
        super().__init__(words)
        self.status = status


class Stay(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else: a POST would become a GET there, and the token is for this server alone."""

    def redirect_request(self, request, fp, code, msg, headers, newurl):
        return None


class Stf:
    def __init__(self, args):
        self.args, self.root = args, args.url.rstrip("/") + "/api/v1"
        self.token = os.environ.get("STF_TOKEN", "").strip()
        self.me = None
        self.opener = urllib.request.build_opener(Stay)

    def ask(self, method, path, body=None, wait=ANSWERS):
        request = urllib.request.Request(self.root + path, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with self.opener.open(request, timeout=wait) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                status, words = self.refusal(error)
            raise Refused(status, f"{method} {path}: {error.code} {words}") from None
        except (OSError, ValueError) as error:
            raise Refused(0, f"{method} {path}: {error}") from None

    @staticmethod
    def refusal(error):
        """Its status and words. What is not STF's JSON is said by a server in front, or by one that just begins (404)."""
        if error.code // 100 == 3:
            return error.code, f"it sends elsewhere: give {error.headers.get('Location')} as its address"
        try:
            said = json.load(error)
            return error.code, said.get("description") or said.get("message") or error.reason
        except (OSError, ValueError, AttributeError):
            return 0, error.reason

    def patiently(self, *asked, final=range(300, 500)):
        """The same, where nothing is done twice by asking again; what is `final` is said once."""
        for left in reversed(range(TRIES)):
            try:
                return self.ask(*asked)
            except Refused as refused:
                if left == 0 or refused.status in final:
                    raise
                time.sleep(0.5)

    def begin(self):
        if not self.token:
            raise Refused(0, "the variable STF_TOKEN holds no token")
        user = self.patiently("GET", "/user")["user"]
        if user.get("privilege") == "admin":
            # Its bookings throw other people off their phones.
            raise Refused(0, "the token is of an administrator; take one of an ordinary user")
        self.me = user["email"]
        if self.args.adb_key != "none":
            self.show_key(user)

    def show_key(self, user):
        """Without this computer's key STF lets its adb reach no phone."""
        try:
            with open(os.path.expanduser(self.args.adb_key), encoding="utf-8") as file:
                key = file.read().strip()
            digest = hashlib.md5(base64.b64decode(key.split()[0])).hexdigest()
            if self.knows(user, digest):
                return
            self.ask("POST", "/user/adbPublicKeys", {"publickey": key, "title": socket.gethostname()})
            if not self.knows(self.patiently("GET", "/user")["user"], digest):
                notice(f"STF lets this computer's adb in for another user than {self.me} and so reaches no phone: "
                       f"have that one remove the key of {self.args.adb_key}, or give adb a key of its own")
        except (OSError, ValueError, IndexError, Refused) as error:
            notice(f"STF was not told the key of this computer's adb: {error}")

    @staticmethod
    def knows(user, digest):
        return any(key["fingerprint"].replace(":", "") == digest for key in user.get("adbKeys") or [])

    def device(self, serial):
        return self.patiently("GET", "/devices/" + urllib.parse.quote(serial, safe=""))["device"]

    def ours(self):
        """The serials of all that the user has, where that is known."""
        try:
            return {device["serial"] for device in self.ask("GET", "/user/devices?fields=serial")["devices"]}
        except (Refused, KeyError):
            return None

    def is_mine(self, device):
        return (device.get("owner") or {}).get("email") == self.me

    def phones(self):
        fields = "serial,present,ready,owner,manufacturer,model,marketName,notes"
        wanted = (self.args.model or "").lower()
        found = []
        for device in self.patiently("GET", f"/devices?fields={fields}")["devices"]:
            maker, model, market = (device.get(name) or "" for name in ("manufacturer", "model", "marketName"))
            # Where STF knows no name of the market, it gives the maker's word for it, such as `shiba`.
            name = f"{maker} {model if market.islower() else market or model}".strip()
            if device.get("present") and device.get("ready") and wanted in f"{name} {model}".lower():
                found.append((device["serial"], name, device))
        return found


class Plugin:
    def __init__(self, args):
        self.args, self.stf = args, Stf(args)
        self.lock = threading.RLock()
        self.held = {}  # serial: when it was renewed last
        self.kept = set()  # those that are being renewed
        self.offered = []
        self.listed = None

    def list(self, asked):
        try:
            if self.stf.me is None:
                self.stf.begin()
            found = self.stf.phones()
        except Refused as refused:
            if self.listed is None:
                sys.exit(f"stf.py: {refused}")
            return say({"plugin": "phones", "id": asked["id"], "phones": self.listed})
        with self.lock:
            self.listed = self.offer(found)
        say({"plugin": "phones", "id": asked["id"], "phones": self.listed})

    def offer(self, found):
        # What was offered once stays it; the others are offered as long as there is room, free ones first.
        for serial, _, _ in sorted(found, key=lambda one: (bool(one[2].get("owner")), one[0])):
            if serial not in self.offered and len(self.offered) < self.args.most:
                self.offered.append(serial)
        phones = []
        for serial, name, device in found:
            if serial in self.offered:
                phone = {"phone": serial, "name": name, "labels": ["stf"]}
                owner = device.get("owner")
                if owner and serial not in self.held:
                    phone["busy"] = owner.get("email") or owner.get("name") or "somebody"
                phones.append(phone)
        return phones

    def take(self, asked):
        serial, booked = asked["phone"], False
        try:
            self.book(serial)
            booked = True
            # It may say that a phone is booked a moment before it writes down by whom.
            where = self.connected(serial, final=())
        except Refused as refused:
            if booked:
                self.give(serial)
            passes = refused.status not in (400, 401, 404)
            return say({"plugin": "not_taken", "id": asked["id"], "why": str(refused), "passes": passes})
        with self.lock:
            self.held[serial] = time.monotonic()
        say({"plugin": "taken", "id": asked["id"], "connect": where})

    def book(self, serial):
        try:
            self.stf.ask("POST", "/user/devices", {"serial": serial, "timeout": self.args.timeout * 1000}, BOOKS)
        except Refused as refused:
            # Where the server fell over, the phone may be ours nevertheless. Where it refuses or is too busy (503), a
            # phone of ours is that of another run of the same user.
            if refused.status not in (0, 500, 502, 504) or not self.stf.is_mine(self.stf.device(serial)):
                raise

    def connected(self, serial, **how):
        path = f"/user/devices/{urllib.parse.quote(serial, safe='')}/remoteConnect"
        return self.stf.patiently("POST", path, **how)["remoteConnectUrl"]

    def give(self, serial):
        """Gives a phone back; what is wrong with that, if anything."""
        with self.lock:
            self.held.pop(serial, None)
        path = f"/user/devices/{urllib.parse.quote(serial, safe='')}"
        try:
            self.stf.ask("DELETE", path + "/remoteConnect")
        except Refused:
            pass  # What follows ends it as well.
        try:
            self.stf.patiently("DELETE", path)
        except Refused as refused:
            over = "was booked for us no more" if refused.status in (403, 404) else "stays booked until its booking lapses"
            return f"{serial} {over}: {refused}"

    def back(self, asked):
        wrong = self.give(asked["phone"])
        if wrong:
            notice(wrong)
        say({"plugin": "returned", "id": asked["id"]})

    def renew(self):
        while True:
            time.sleep(min(LOOKS, self.args.timeout / 6))
            ours = self.stf.ours()
            with self.lock:
                held = [one for one in self.held.items() if one[0] not in self.kept]
                late = time.monotonic() - self.args.timeout / 3
                due = [one for one in held if one[1] <= late or ours is not None and one[0] not in ours]
                self.kept.update(serial for serial, _ in due)
            # Each by itself: for one that does not respond the server takes its time.
            for one in due:
                threading.Thread(target=self.keep, args=one, daemon=True).start()

    def keep(self, serial, last):
        try:
            self.connected(serial)
            renewed = True
        except Refused as refused:
            renewed, why = False, str(refused)
            over = 400 <= refused.status < 500 or time.monotonic() - last > self.args.timeout
        with self.lock:
            self.kept.discard(serial)
            if serial not in self.held:
                return
            if renewed:
                self.held[serial] = time.monotonic()
            elif over:
                del self.held[serial]
                say({"plugin": "phone_lost", "phone": serial, "why": f"its booking is over: {why}"})

    def leave(self):
        with self.lock:
            held = list(self.held)
        threads = [threading.Thread(target=self.give, args=(serial,), daemon=True) for serial in held]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(4)

    def work(self):
        threading.Thread(target=self.renew, daemon=True).start()
        # What takes its time keeps nothing waiting; but the first list may end it.
        beside = {"list_phones": self.list, "take_phone": self.take, "return_phone": self.back}
        for line in sys.stdin.buffer:
            message = json.loads(line)
            asked = message.get("farmjank")
            if asked == "hello":
                if 1 not in message["protocols"]:
                    say({"plugin": "refuse", "why": "stf.py speaks protocol 1 alone"})
                    return
                say({"plugin": "hello", "protocol": 1, "offers": ["devices"], "take_s": TAKES})
            elif asked == "list_phones" and self.listed is None:
                self.list(message)
            elif asked in beside:
                threading.Thread(target=beside[asked], args=(message,), daemon=True).start()
            elif asked == "bye":
                return


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--most", type=int, default=4)
    parser.add_argument("--model")
    parser.add_argument("--timeout", type=int, default=180)
    parser.add_argument("--adb-key", default="~/.android/adbkey.pub")
    plugin = Plugin(parser.parse_args())
    try:
        plugin.work()
    finally:
        # Whatever ends it, nothing stays booked.
        plugin.leave()


main()
