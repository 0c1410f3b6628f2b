"""The compiled half of the package (src/lib.rs)."""

import os
from typing import Any

from farmjank.shapes import Document, TrialShape

__version__: str
WORDS: dict[str, tuple[str, ...]]

class BundleError(Exception):
    """A run cannot be read: the file, and what is wrong with it."""

class Bundle:
    """The folder of a run, open."""

    def __new__(cls, path: str | os.PathLike[str]) -> Bundle: ...
    def document(self) -> Document: ...
    def trials(self) -> list[list[TrialShape]]: ...
    def frames(self, job: int, window: str, trial: int) -> dict[str, Any] | None: ...
