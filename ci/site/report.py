#!/usr/bin/env python3
"""The picture of a report that the README and docs/reports.md show: the window of the demo that failed, as report.html has it.

    python3 ci/site/report.py FARMJANK [PICTURE]     # docs/report.png unless told otherwise; look at it before it is committed

Runs the README's demo, follows the first cell of its report that failed, and photographs it down to the last iteration. Needs Debian's
chromium and chromium-driver.
"""

import base64
import pathlib
import subprocess
import sys
import tempfile

from pictures import Browser

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WIDTH, EDGE = 1180, 6
FOLLOW = "document.querySelector('a.cell.fail').click()"
# Where the last iteration ends, once the page of the cell is drawn.
BOTTOM = "const rows = document.querySelector('.rows'); return rows ? Math.ceil(rows.getBoundingClientRect().bottom + scrollY) : 0"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    farmjank = pathlib.Path(sys.argv[1]).resolve()
    picture = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs/report.png"
    with tempfile.TemporaryDirectory() as name:
        run = pathlib.Path(name) / "run"
        ended = subprocess.run([farmjank, "run", "--lab", "demo", "scenarios/gallery", "--out", run, "--no-history", "--quiet"], cwd=ROOT,
                               capture_output=True, text=True)
        if ended.returncode != 1:
            sys.exit(f"the demo ends with {ended.returncode}, and not with the cell that fails: {ended.stderr}")
        browser = Browser(pathlib.Path(name) / "profile")
        try:
            browser.look(WIDTH, 1200, "light")
            browser.visit(run / "report.html")
            browser.ask("/execute/sync", {"script": FOLLOW, "args": []})
            height = browser.ask("/execute/sync", {"script": BOTTOM, "args": []})
            if not height:
                sys.exit("the page of the cell that failed has no iterations")
            browser.look(WIDTH, height + EDGE, "light")
            picture.write_bytes(base64.b64decode(browser.ask("/screenshot")))
        finally:
            browser.end()
    print(f"{picture}: {WIDTH} x {height + EDGE}")


if __name__ == "__main__":
    main()
