#!/usr/bin/env python3
"""Pictures of the site in light, in dark and on a phone, and whether any page of it has to be pushed sideways there.

    cargo ci site && python3 ci/site/pictures.py [FOLDER [PICTURES]]

Needs Debian's chromium and chromium-driver. Exit 1 where a page is wider than a phone, with what sticks out.
"""

import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

PHONE = 390
PAGES = ["index", "docs/tutorial/lab", "docs/roles/app-developer", "docs/metrics", "reference/commands", "reference/schema-scenario"]
# Name, width, height, theme of the computer.
LOOKS = [("light", 1280, 900, "light"), ("dark", 1280, 900, "dark"), ("phone", PHONE, 844, "light"), ("phone-dark", PHONE, 844, "dark")]
WIDE = """
const page = document.documentElement;
if (page.scrollWidth <= WIDTH) return [];
const scrolls = (e) => e && (['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
return [...document.querySelectorAll('body *')]
    .filter((e) => e.getBoundingClientRect().right > WIDTH + 1 && !scrolls(e.parentElement))
    .map((e) => `${e.tagName} ${e.textContent.trim().slice(0, 60)}`).slice(0, 3).concat('the page');
"""


class Browser:
    """One chromedriver and one browser."""

    def __init__(self, profile):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        said = next(line for line in self.driver.stdout if "started successfully on port" in line)
        self.at = f"http://127.0.0.1:{said.split()[-1].rstrip('.')}"
        args = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", f"--user-data-dir={profile}"]
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": args}}}}
        session = self.ask("/session", wanted)["sessionId"]
        self.at += f"/session/{session}"

    def ask(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(self.at + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(asked, timeout=120) as answer:
            return json.load(answer)["value"]

    def chrome(self, command, **params):
        return self.ask("/goog/cdp/execute", {"cmd": command, "params": params})

    def look(self, width, height, theme):
        self.chrome("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width == PHONE)
        self.chrome("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def visit(self, page):
        self.ask("/url", {"url": page.resolve().as_uri()})

    def end(self):
        self.ask("", method="DELETE")
        self.driver.terminate()
        self.driver.wait()


def main():
    site = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/site/book")
    pictures = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "target/site/pictures")
    pictures.mkdir(parents=True, exist_ok=True)
    if not (site / "index.html").is_file():
        sys.exit(f"{site} holds no site: `cargo ci site` makes one")
    wide = []
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        for name, width, height, theme in LOOKS:
            browser.look(width, height, theme)
            for page in PAGES:
                browser.visit(site / f"{page}.html")
                picture = base64.b64decode(browser.ask("/screenshot"))
                (pictures / f"{page.replace('/', '-')}-{name}.png").write_bytes(picture)
        browser.look(PHONE, 844, "light")
        pages = sorted(site.rglob("*.html"))
        for page in pages:
            browser.visit(page)
            found = browser.ask("/execute/sync", {"script": WIDE.replace("WIDTH", str(PHONE)), "args": []})
            if found:
                wide.append(f"{page.relative_to(site)} is wider than {PHONE} px: {'; '.join(found)}")
        browser.end()
    print("\n".join(wide) or f"{len(pages)} pages fit {PHONE} px; pictures in {pictures}")
    sys.exit(bool(wide))


if __name__ == "__main__":
    main()
