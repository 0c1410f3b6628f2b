"""Ports for servers that are told theirs before they start.

One that the system gave and that was let go again may be given to anybody before the server listens there, or while it is away: to
another listener, or to any connection that goes out. These are below the ones that systems give by themselves.
"""

import os
import socket
import threading

HOME = "127.0.0.1"
FIRST, ALL = 10_000, 10_000
# Where the next is looked for, by process: two that run at once begin apart.
at, giving = [os.getpid() * 37 % ALL], threading.Lock()


def free_port():
    """One at which nobody listens; the same again only after all others."""
    with giving:
        for _ in range(ALL):
            port, at[0] = FIRST + at[0], (at[0] + 1) % ALL
            with socket.socket() as tried:
                try:
                    tried.bind((HOME, port))
                    return port
                except OSError:
                    continue
        raise SystemExit(f"no port from {FIRST} on is free")
