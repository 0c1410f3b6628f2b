"""Plugins that break the protocol, each in its own way: `broken.py WAY`."""
import json
import os
import sys
import time

WAY = sys.argv[1]


def say(**message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def hang():
    time.sleep(600)


def hello(message):
    if WAY == "hangs at hello":
        hang()
    if WAY == "crashes at hello":
        raise RuntimeError("no such \x1b[31mplanet")
    if WAY == "says garbage":
        print("Loading plugin...", flush=True)
    if WAY == "speaks another version":
        say(plugin="hello", protocol=2, offers=["reporter"])
    if WAY == "offers nothing":
        say(plugin="hello", protocol=1, offers=[])
    if 1 not in message["protocols"] and WAY != "takes any version":
        say(plugin="refuse", why="1 alone")
        sys.exit(0)
    if WAY == "is early":
        say(plugin="file", path="a.txt", text="a")
    offers = ["reporter", "hooks"] if "trial" in WAY else ["reporter"]
    if "window" in WAY:
        metric = {"name": "x", "unit": "ms", "better": "lower", "about": "x"}
        say(plugin="hello", protocol=1, offers=["reporter", "metrics"], metrics=[metric])
        return
    if "phone" in WAY:
        say(plugin="hello", protocol=1, offers=["devices"], take_s=2)
        return
    say(plugin="hello", protocol=1, offers=offers, **({"patience_s": 1} if WAY == "hangs in a run" else {}))
    if WAY == "leaves behind a child" and os.fork() == 0:
        hang()


def conclude():
    if WAY in ("hangs at the conclusion", "hangs in a run"):
        say(plugin="file", path="half.txt", text="half")
        hang()
    if WAY == "says nothing":
        return
    if WAY == "exits at the conclusion":
        os._exit(7)
    if WAY == "floods":
        while True:
            say(plugin="notice", text="!" * 100)
    if WAY == "says a line without an end":
        while True:
            sys.stdout.write("x" * 65536)
    if WAY == "leaves its folder":
        say(plugin="file", path="../../../escaped.txt", text="x")
    if WAY == "is sorry":
        say(plugin="failed", why="the server said 503")
    if WAY == "makes up words":
        say(plugin="finished")
    if WAY == "writes into a file":
        say(plugin="file", path="a/b", text="x")
        say(plugin="file", path="a", text="x")
    say(plugin="done")
    if WAY == "goes on after done":
        say(plugin="file", path="late.txt", text="x")
    if WAY == "is done twice":
        say(plugin="done")
    if WAY == "says garbage after done":
        print("Bye!", flush=True)


def moment(message):
    if WAY == "hangs at a trial" and "trial" in message:
        hang()
    if WAY == "crashes at a trial" and "trial" in message:
        os._exit(9)
    if WAY == "mistakes a trial":
        say(plugin="ready", id=message["id"] + 1)
    elif WAY == "is not ready for a trial" and message["farmjank"] == "before_trial":
        say(plugin="not_ready", id=message["id"], why="the meter is off")
    else:
        say(plugin="ready", id=message["id"])


def window(message):
    if WAY == "hangs at a window":
        hang()
    if WAY == "crashes at a window":
        os._exit(9)
    values = {"x": float("nan")} if WAY == "says NaN of a window" else {"x": 1, "y": 2}
    if WAY == "leaves out a number of a window":
        values = {}
    if WAY == "is below zero in a window":
        values = {"x": -1}
    say(plugin="measured", id=message["id"], values=values)


def phones(message):
    asked, answer = message["farmjank"], {"id": message["id"]}
    if WAY == "hangs at a phone" or WAY == "hangs at taking a phone" and asked == "take_phone":
        hang()
    if asked == "list_phones":
        phone = {"phone": "-A" if WAY == "names a phone badly" else "A", "connect": "127.0.0.1:5555"}
        if WAY == "lends a phone nowhere":
            del phone["connect"]
        if WAY == "has no phone":
            phone["busy"] = "everybody"
        say(plugin="phones", phones=[phone, phone] if WAY == "lists a phone twice" else [phone], **answer)
    elif asked == "return_phone":
        say(plugin="returned", id=message["id"] + (WAY == "mistakes a phone"))
    elif WAY == "keeps a phone":
        say(plugin="not_taken", why="it is mine", **answer)
    else:
        say(plugin="taken", **answer)


seen = 0
for line in sys.stdin:
    message = json.loads(line)
    asked = message.get("farmjank")
    if asked == "hello":
        hello(message)
    elif asked in ("before_job", "after_job", "before_trial", "after_trial"):
        moment(message)
    elif asked == "measure":
        window(message)
    elif asked in ("list_phones", "take_phone", "return_phone"):
        phones(message)
    elif asked == "conclude":
        conclude()
    elif asked == "bye":
        if WAY == "never leaves":
            hang()
        if WAY == "leaves with an error":
            sys.exit(3)
        break
    elif asked is not None:
        assert WAY != "knows everything", f"what is {asked}?"
    else:
        seen += 1
        if WAY == "crashes in the run" and seen == 20:
            os.abort()
        if WAY == "knows everything":
            assert "weather" not in message, "no weather"
if WAY == "stays behind":
    hang()
