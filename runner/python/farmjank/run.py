"""A run, its windows and their trials."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from farmjank._native import Bundle
from farmjank.frames import Frames, table_of
from farmjank.shapes import Cell, Coverage, Document, Judgement, Metric, Phone, Seen, TrialShape, Value, Verdict

if TYPE_CHECKING:
    import pandas


def open(path: str | os.PathLike[str]) -> Run:
    """Opens the folder of a run, such as results/runs/<id>; `BundleError` says what is wrong with one."""
    return Run(path)


class Run:
    """A run: what `farmjank report` tells of it, as values."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._bundle = Bundle(path)
        self._document = self._bundle.document()
        self._windows: list[Window] = []

    @property
    def document(self) -> Document:
        """The whole run as results.json has it."""
        return self._document

    @property
    def id(self) -> str:
        """Its name."""
        return self._document["run"]["id"]

    @property
    def lab(self) -> str | None:
        """The virtual lab, where every phone was simulated."""
        return self._document["run"]["lab"]

    @property
    def verdict(self) -> Verdict | None:
        """None where the run ended before it was judged."""
        return self._document["verdict"]

    @property
    def exit_code(self) -> int | None:
        """What farmjank ended with."""
        ended = self._document["exit"]
        return None if ended is None else ended["code"]

    @property
    def phones(self) -> list[Phone]:
        """Every phone whose facts became known."""
        return self._document["phones"]

    def phone(self, serial: str | None) -> Phone | None:
        """What is known of the phone of that serial."""
        return next((phone for phone in self.phones if phone["serial"] == serial), None)

    def windows(self) -> list[Window]:
        """Every window of every scenario on every phone, in order of the plan."""
        if not self._windows:
            both = zip(self._document["cells"], self._bundle.trials(), strict=True)
            self._windows = [Window(self, cell, trials) for cell, trials in both]
        return list(self._windows)

    def to_pandas(self) -> pandas.DataFrame:
        """One row for each trial of each window, with every metric that is a number as a column; needs pandas."""
        import pandas

        rows = [{**window._place(), **trial._row()} for window in self.windows() for trial in window.trials]
        return pandas.DataFrame(rows)

    def frames_to_pandas(self) -> pandas.DataFrame:
        """One row for each frame of each trial of each window; needs pandas."""
        import numpy
        import pandas

        all = [(window, trial, trial.frames()) for window in self.windows() for trial in window.trials]
        kept = [(window, trial, frames) for window, trial, frames in all if frames is not None]
        rows = [{**window._place(), "trial": trial.number, "counts": trial.counts} for window, trial, _ in kept]
        lengths = numpy.array([len(frames) for _, _, frames in kept], "int64")
        places = pandas.DataFrame(rows).iloc[numpy.repeat(numpy.arange(len(kept)), lengths)]
        return pandas.concat([places.reset_index(drop=True), table_of([frames for _, _, frames in kept])], axis=1)

    def __repr__(self) -> str:
        return f"<Run {self.id!r}: {self.verdict}, {len(self.phones)} phones>"


class Window:
    """One window of one scenario on one phone: what gets a verdict."""

    def __init__(self, run: Run, cell: Cell, trials: list[TrialShape]) -> None:
        self._run = run
        self.cell = cell
        """All of it, as results.json has it."""
        self.trials = [Trial(self, shape) for shape in trials]
        """The window in each trial that measured it, warm-ups included."""

    @property
    def name(self) -> str:
        """As its `measure` step calls it; `whole scenario` where it stands for the job."""
        return self.cell["window"]

    @property
    def scenario(self) -> str:
        """The scenario it is written in."""
        return self.cell["scenario"]

    @property
    def device(self) -> str | None:
        """The phone's serial; None where no phone qualified."""
        return self.cell["device"]

    @property
    def phone(self) -> Phone | None:
        """What is known of the phone."""
        return self._run.phone(self.device)

    @property
    def verdict(self) -> Verdict | None:
        """What it came to; None where it was not judged."""
        return self.cell["verdict"]

    @property
    def reasons(self) -> list[str]:
        """Why it is not a pass, in words."""
        return self.cell["reasons"]

    @property
    def metrics(self) -> dict[str, Metric]:
        """By key: the mean over the trials that count as `value`, else the `reason` why there is none."""
        return self.cell["metrics"]

    @property
    def judgements(self) -> list[Judgement]:
        """What became of each limit."""
        return self.cell["judgements"]

    @property
    def coverage(self) -> Coverage | None:
        """What was seen of what existed, over the trials that count."""
        return self.cell["coverage"]

    def _place(self) -> dict[str, str | None]:
        phone = self.phone
        return {
            "scenario": self.scenario,
            "window": self.name,
            "device": self.device,
            "model": None if phone is None else phone["model"],
            "verdict": self.verdict,
        }

    def __repr__(self) -> str:
        return f"<Window {self.scenario!r} › {self.name!r} on {self.device!r}: {self.verdict}>"


class Trial:
    """A window in one trial."""

    def __init__(self, window: Window, shape: TrialShape) -> None:
        self._window = window
        self._shape = shape

    @property
    def number(self) -> int:
        """From 0, warm-ups first."""
        return self._shape["trial"]

    @property
    def counts(self) -> bool:
        """Neither a warm-up nor void."""
        return self._shape["counts"]

    @property
    def warmup(self) -> bool:
        """It was kept and never counts."""
        return self._shape["warmup"]

    @property
    def void(self) -> str | None:
        """Why its numbers are not used, found before any of them was looked at."""
        return self._shape["void"]

    @property
    def refresh_hz(self) -> float | None:
        """The rate in force while its frames were counted."""
        return self._shape["refresh_hz"]

    @property
    def metrics(self) -> dict[str, Value | None]:
        """What was measured, by key; None where `reasons` says why it was not."""
        return self._shape["metrics"]

    @property
    def reasons(self) -> dict[str, str]:
        """Why there is no value, by key of the metric."""
        return self._shape["reasons"]

    @property
    def coverage(self) -> Seen | None:
        """How many frames were seen, and whether it is proved that none was missed."""
        return self._shape["coverage"]

    def frames(self) -> Frames | None:
        """Its frames; None where none were seen or kept."""
        window = self._window
        columns = window._run._bundle.frames(window.cell["job"], window.name, self.number)
        return None if columns is None else Frames.of(columns)

    def _row(self) -> dict[str, object]:
        seen = self.coverage
        row: dict[str, object] = {
            "trial": self.number,
            "counts": self.counts,
            "void": self.void,
            "frames_seen": None if seen is None else seen["frames_seen"],
            "proved": None if seen is None else seen["proved"],
        }
        # What is a list for one trial may be unknown for the next: a column is there where any trial has a number.
        row.update((key, value) for key, value in self.metrics.items() if isinstance(value, (int, float)))
        return row

    def __repr__(self) -> str:
        return f"<Trial {self.number} of {self._window!r}>"
