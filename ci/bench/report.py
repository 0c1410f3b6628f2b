#!/usr/bin/env python3
"""Writes the report of a night in a lab (a million frames) and opens it in Chromium: size, first paint, drill-down.

The page comes from farmjank's own benchmark (`plugins/reporters/benches/report.rs`). Chromium is driven through
chromedriver (Debian packages `chromium` and `chromium-driver`) on loopback.

Standard library only. Exit status: 0 when size, first paint and drill-down are within their limits, else 1.
"""

import argparse
import http.client
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST_BYTES = 20_000_000
FIRST_PAINT_MS = 1500
DRILL_DOWN_MS = 200
FLAGS = ("--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
         "--disable-component-update --disable-sync --window-size=1280,1000").split()

# From the change of the address to the first picture after it: what a click costs.
OPEN = """
const [hash, done] = [arguments[0], arguments[1]];
const begun = performance.now();
addEventListener("hashchange", () => requestAnimationFrame(() => setTimeout(() => {
  const canvas = document.querySelector(".plot canvas");
  done([performance.now() - begun, canvas ? canvas.width : 0, document.querySelectorAll(".rows .row").length]);
})), { once: true });
location.hash = hash;
"""


class Browser:
    """One chromedriver with one page."""

    def __init__(self, folder):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.driver.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                self.port = int(found[1])
                break
        options = {"args": [*FLAGS, f"--user-data-dir={folder}"], "binary": shutil.which("chromium") or shutil.which("google-chrome")}
        made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})
        self.session = f"/session/{made['sessionId']}"

    def ask(self, method, path, body=None):
        talk = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        talk.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json"})
        value = json.load(talk.getresponse())["value"]
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(value["message"])
        return value

    def open(self, address):
        self.ask("POST", f"{self.session}/url", {"url": "about:blank"})
        self.ask("POST", f"{self.session}/url", {"url": address})

    def run(self, script, *words, wait=False):
        kind = "async" if wait else "sync"
        return self.ask("POST", f"{self.session}/execute/{kind}", {"script": script, "args": list(words)})

    def end(self):
        try:
            self.ask("DELETE", self.session)
        finally:
            self.driver.kill()
            self.driver.wait()


def native(file, sizes):
    """Writes the page; what the native half tells of it."""
    command = ["cargo", "bench", "--quiet", "-p", "farmjank-reporters", "--bench", "report", "--", "write", str(file), *map(str, sizes)]
    told = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    line = next(line for line in told.splitlines() if line.startswith("report "))
    return dict(word.split("=", 1) for word in line.split()[1:])


def measured(browser, file, opens):
    """First paints of five openings, and how long cells take to open; all in ms."""
    paints, ready = [], []
    for _ in range(5):
        browser.open(file.as_uri())
        paints.append(browser.run("return performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        ready.append(browser.run("return performance.timing.loadEventEnd - performance.timing.navigationStart"))
    links = browser.run("return [...document.querySelectorAll('.matrix a.cell')].map((cell) => cell.getAttribute('href'))")
    step = max(1, len(links) // opens)
    times = []
    for link in links[::step][:opens]:
        took, width, rows = browser.run(OPEN, link, wait=True)
        assert width > 0 and rows > 0, f"{urllib.parse.unquote(link)} shows no frames"
        times.append(took)
        browser.run(OPEN.replace("canvas ? canvas.width : 0", "0"), "", wait=True)
    return paints, ready, times, len(links)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--phones", type=int, default=64)
    parser.add_argument("--windows", type=int, default=8)
    parser.add_argument("--iterations", type=int, default=15)
    parser.add_argument("--frames", type=int, default=131, help="frames of one window of one iteration")
    parser.add_argument("--opens", type=int, default=25, help="cells that are opened")
    parser.add_argument("--keep", metavar="FILE", help="write the page here and keep it")
    options = parser.parse_args()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="farmjank-report-"))
    browser = None
    try:
        file = pathlib.Path(options.keep or scratch / "report.html").resolve()
        told = native(file, (options.phones, options.windows, options.iterations, options.frames))
        size = int(told["bytes"])
        print(f"{int(told['frames']):,} bars of {int(told['strips']):,} bytes in strips; page of {size / 1e6:.2f} MB written in {told['seconds']} s")
        browser = Browser(scratch / "profile")
        paints, ready, times, cells = measured(browser, file, options.opens)
        paint, worst = statistics.median(paints), max(times)
        print(f"first paint {paint:.0f} ms (of five: {', '.join(f'{one:.0f}' for one in paints)}), loaded {statistics.median(ready):.0f} ms, {cells} cells")
        print(f"drill-down {statistics.median(times):.0f} ms, at worst {worst:.0f} ms of {len(times)}")
        good = size < MOST_BYTES and paint < FIRST_PAINT_MS and worst < DRILL_DOWN_MS
        print("within" if good else "OVER", f"the limits: {MOST_BYTES / 1e6:.0f} MB, {FIRST_PAINT_MS} ms, {DRILL_DOWN_MS} ms")
    finally:
        if browser:
            browser.end()
        shutil.rmtree(scratch, ignore_errors=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
