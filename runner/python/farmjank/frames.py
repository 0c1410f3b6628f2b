"""The frames of a window in one trial, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from farmjank._native import WORDS

if TYPE_CHECKING:
    import pandas

NUMBERS = ("from_us", "to_us", "length_us", "period_ns", "vsyncs", "due_vsyncs", "late_vsyncs", "late_us")


@dataclass(frozen=True, repr=False)
class Frames:
    """Frames in order of time, and the stretches of motion between them that are none.

    Columns of numbers are read-only arrays of numpy where it is installed, else memoryviews, which index, slice and
    iterate as lists do; columns of words are lists. Times are whole microseconds from `origin_ns` on: they are what the
    report draws, while metrics are computed from the phone's own nanoseconds (docs/frame-log.md).
    """

    origin_ns: int
    """The beginning of the first motion, on the phone's CLOCK_MONOTONIC."""
    from_us: Any
    """The present of the frame before."""
    to_us: Any
    """Its own present."""
    length_us: Any
    """The interval between the two."""
    period_ns: Any
    """The refresh period it is judged by; 0 where none is known."""
    vsyncs: Any
    """How many refresh periods it took; 0 for what is no frame."""
    due_vsyncs: Any
    """How many it was due to take."""
    late_vsyncs: Any
    """By how many it came late."""
    late_us: Any
    """The same as time."""
    what: list[str]
    """`frame`, or why it is none: `idle`, `ambiguous`, `gap`."""
    phase: list[str]
    """`finger`, `fling`, `scroll`, `free`."""
    owner: list[str | None]
    """Whose fault it came late, where a trace tells: `app`, `compositor`, `display`, `stuffing`, `dropped`."""
    stage: list[str | None]
    """The stage of rendering that ate it, where framestats tell; `several` where it was no single one."""

    @staticmethod
    def of(columns: dict[str, Any]) -> Frames:
        """Columns as the compiled half gives them."""
        try:
            import numpy
        except ImportError:
            return Frames(**columns)
        return Frames(**{**columns, **{name: numpy.asarray(columns[name]) for name in NUMBERS}})

    def __len__(self) -> int:
        return len(self.what)

    def __repr__(self) -> str:
        return f"<{self.what.count('frame')} frames, {sum(late > 0 for late in self.late_vsyncs)} of them late>"

    def columns(self) -> dict[str, Any]:
        """All columns by name."""
        return {name: getattr(self, name) for name in (*NUMBERS, *WORDS)}

    def to_pandas(self) -> pandas.DataFrame:
        """One row for each; needs pandas."""
        return table_of([self])


def table_of(parts: list[Frames]) -> pandas.DataFrame:
    """One row for each frame of all of these, one behind another."""
    import numpy
    import pandas

    columns: dict[str, Any] = {}
    for name in NUMBERS:
        columns[name] = numpy.concatenate([numpy.empty(0, "int64"), *(getattr(part, name) for part in parts)])
    # Always the same categories: tables of several windows are put together as they are.
    for name, words in WORDS.items():
        codes = {word: code for code, word in enumerate(words)} | {None: -1}
        of_each = [codes[word] for part in parts for word in getattr(part, name)]
        columns[name] = pandas.Categorical.from_codes(of_each, categories=pandas.Index(list(words)))
    return pandas.DataFrame(columns)
