"""What a type checker knows of the package: `mypy --strict` reads this file, and each line it must refuse says so."""

import farmjank

run = farmjank.open("run")
for window in run.windows():
    fps: farmjank.Value | None = window.metrics["fps"]["value"]
    why: str | None = window.metrics["fps"]["reason"]
    breached: list[farmjank.Judgement] = [one for one in window.judgements if one["outcome"] == "breached"]
    if window.coverage is not None:
        proved: bool = window.coverage["proved"]
    for trial in window.trials:
        number: farmjank.Value | None = trial.metrics["fps"]
        frames = trial.frames()
        if frames is not None:
            late: int = len([late for late in frames.late_vsyncs if late > 0])
            owners: list[str | None] = frames.owner

window.metrics["fps"]["values"]  # type: ignore[typeddict-item]
window.coverage["proved"]  # type: ignore[index]
window.verdict == "passed"  # type: ignore[comparison-overlap]
trial.frames().late_us  # type: ignore[union-attr]
farmjank.open(1)  # type: ignore[arg-type]
run.verdict = "pass"  # type: ignore[misc]
