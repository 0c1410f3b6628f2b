"""Runs of the virtual lab that the tests read, each made once, by the farmjank that FARMJANK names."""

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
FARMJANK = Path(os.environ["FARMJANK"]).resolve()


@functools.cache
def _folder() -> Path:
    folder = tempfile.mkdtemp(prefix="farmjank-python-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@functools.cache
def run(lab: str, *more: str) -> Path:
    """A run of the gallery on a lab."""
    out = _folder() / lab
    asked = ["run", "--lab", lab, "--no-history", "--quiet", "--out", str(out), *more, "scenarios/gallery"]
    ended = subprocess.run([FARMJANK, *asked], cwd=REPOSITORY, capture_output=True, text=True)
    assert ended.returncode in (0, 1, 3, 4), ended.stderr
    return out


def said(*asked: str | Path) -> str:
    """What farmjank prints."""
    return subprocess.run([FARMJANK, *asked], capture_output=True, text=True, cwd=REPOSITORY).stdout


def said_badly(*asked: str | Path) -> str:
    """What farmjank complains of."""
    ended = subprocess.run([FARMJANK, *asked], capture_output=True, text=True, cwd=REPOSITORY)
    assert ended.returncode != 0
    return ended.stderr


def copied(bundle: Path) -> Path:
    """A copy of a run, to be spoiled."""
    to = Path(tempfile.mkdtemp(dir=_folder())) / "run"
    shutil.copytree(bundle, to)
    return to
