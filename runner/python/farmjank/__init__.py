"""Runs of farmjank, opened and read.

Of a run that was made by `farmjank run --lab demo --out run scenarios/gallery`:

>>> import farmjank
>>> run = farmjank.open("run")
>>> run.verdict, run.exit_code
('fail', 1)
>>> [slow] = [window for window in run.windows() if window.verdict == "fail"]
>>> slow
<Window 'Product page' › 'read the description' on 'virtual-redmi-note-7': fail>
>>> [one["metric"] for one in slow.judgements if one["outcome"] == "breached"]
['scroll_fps']
>>> [trial.metrics["fps"] for trial in slow.trials]
[37.56285969276239, 53.53804998735298, 39.17672767329673]
>>> slow.trials[0].frames()
<45 frames, 8 of them late>

What is read is read by the crates that farmjank itself is made of: nothing is parsed or measured here. Names are those of
results.json (docs/results-json.md). None means not known, never zero.
"""

from farmjank._native import BundleError, __version__
from farmjank.frames import Frames
from farmjank.run import Run, Trial, Window, open
from farmjank.shapes import Cell, Coverage, Document, Judgement, Metric, Phone, TrialCoverage, Value, Verdict

__all__ = [
    "BundleError",
    "Cell",
    "Coverage",
    "Document",
    "Frames",
    "Judgement",
    "Metric",
    "Phone",
    "Run",
    "Trial",
    "TrialCoverage",
    "Value",
    "Verdict",
    "Window",
    "__version__",
    "open",
]
