"""Lends one phone that an adb server lists: `lender.py PORT SERIAL LEDGER [dies|is slow]`. Writes down what is taken and returned."""
import json
import os
import sys
import threading
import time

port, serial, ledger, *way = sys.argv[1:]


def say(**message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def note(what):
    with open(ledger, "a", encoding="utf-8") as file:
        file.write(what + "\n")


for line in sys.stdin:
    message = json.loads(line)
    asked = message.get("farmjank")
    if asked == "hello":
        say(plugin="hello", protocol=1, offers=["devices"], take_s=3)
    elif asked == "list_phones":
        say(plugin="phones", id=message["id"], phones=[{"phone": "SHELF-1", "adb": f"127.0.0.1:{port}", "serial": serial}])
    elif asked == "take_phone":
        if way == ["is slow"]:
            continue
        note("take")
        say(plugin="taken", id=message["id"])
        if way == ["dies"]:
            threading.Thread(target=lambda: (time.sleep(8), os._exit(9)), daemon=True).start()
    elif asked == "return_phone":
        note("return")
        say(plugin="returned", id=message["id"])
    elif asked == "bye":
        break
note("leaves")
