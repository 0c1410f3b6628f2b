"""A server of mail that takes letters as told: `mail_server.py clear|started|wrapped CERTIFICATE KEY FAULT…`.

Faults are used up one by one: `REPLY@VERB` answers a verb so instead (`421@RCPT`), `cut@VERB` closes there, `taken` takes a letter and closes
without a word. Prints its port first, then every letter as one line of JSON, as Python's own parser reads it.
"""

import base64
import email
import email.policy
import json
import socket
import ssl
import sys
import threading

mode, certificate, key, *faults = sys.argv[1:]
context = None
if mode != "clear":
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)


def fault(verb):
    """What goes wrong at this verb, if it is its turn."""
    if faults and faults[0].split("@")[-1] == verb:
        return faults.pop(0).split("@")[0]
    return None


def session(connection):
    secure = mode == "wrapped"
    if secure:
        connection = context.wrap_socket(connection, server_side=True)
    stream = connection.makefile("rwb")

    def say(text):
        stream.write(text.encode() + b"\r\n")
        stream.flush()

    say("220 mail.example ready")
    login, people = None, []
    while line := stream.readline():
        verb, _, rest = line.decode().strip().partition(" ")
        wrong = fault(verb)
        if wrong == "cut":
            return connection.close()
        if wrong:
            say(f"{wrong} not now: {rest}")
        elif verb == "EHLO":
            offers = ["mail.example", "AUTH PLAIN LOGIN"] + ["STARTTLS"] * (mode == "started" and not secure)
            say("\r\n".join(f"250{'-' if one != offers[-1] else ' '}{one}" for one in offers))
        elif verb == "STARTTLS":
            say("220 go on")
            connection, secure = context.wrap_socket(connection, server_side=True), True
            stream = connection.makefile("rwb")
        elif verb == "AUTH":
            login = base64.b64decode(rest.split()[1]).decode().split("\0")[1:]
            say("235 welcome" if login[1] == "p%w/farmjank" else "535 5.7.8 no")
        elif verb == "DATA":
            say("354 go on")
            lines = []
            while (one := stream.readline()) not in (b".\r\n", b""):
                lines.append(one[1:] if one.startswith(b".") else one)
            letter = email.message_from_bytes(b"".join(lines), policy=email.policy.default)
            print(json.dumps({"secure": secure, "login": login and login[0], "to": people, "subject": letter["Subject"], "from": letter["From"],
                              "id": letter["Message-ID"], "date": letter["Date"], "text": letter.get_content()}), flush=True)
            people = []
            if fault("taken"):
                return connection.close()
            say("250 taken")
        elif verb == "QUIT":
            say("221 bye")
            return connection.close()
        else:
            if verb == "RCPT":
                people.append(rest)
            if verb == "MAIL":
                people = []
            say("250 ok")


listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
while True:
    threading.Thread(target=session, args=(listening.accept()[0],), daemon=True).start()
