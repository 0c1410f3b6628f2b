"""What values are called and what they may be: the fields of results.json (docs/results-json.md), as types.

Nothing is computed here. Fields are only added; those that are not always there are in the classes that end with `Maybe`.
"""

from typing import Any, Literal, TypeAlias, TypedDict

Verdict: TypeAlias = Literal["pass", "fail", "broken", "undecided"]
# A number, a list of numbers, or things with named parts.
Value: TypeAlias = float | list[float] | list[dict[str, float | str]]


class RunShape(TypedDict):
    id: str
    tool: str
    wall: str
    seed: int
    lab: str | None
    plan: str
    phones_busy_percent: float | None
    duration_ms: float


class Exit(TypedDict):
    code: int
    word: str


class Screen(TypedDict):
    width: int
    height: int
    rotation: int
    density: int


class RefreshMode(TypedDict):
    id: int
    hz: float
    width: int
    height: int


# `virtual` and the like are plain names; those of a phone are written this way because all are needed at once.
Phone = TypedDict(
    "Phone",
    {
        "serial": str,
        "model": str,
        "manufacturer": str,
        "sdk": int,
        "android": str,
        "build": str,
        "virtual": bool,
        "emulator": bool,
        "screen": Screen | None,
        "refresh_modes": list[RefreshMode],
        "refresh_hz": float | None,
        "ram_mb": int | None,
        "battery": dict[str, Any] | None,
        "thermal_status": int | None,
        "animations": dict[str, float] | None,
        "keyguard": bool | None,
        "tags": list[str],
    },
)


class Metric(TypedDict):
    value: Value | None
    unit: str | None
    better: Literal["lower", "higher"] | None
    per_iteration: list[Value | None]
    reason: str | None


class Judgement(TypedDict):
    metric: str
    unit: str
    text: str
    outcome: Literal["held", "breached", "unknown", "excused"]
    reason: str | None
    actual: float | None
    limit: float | None
    confidence_bound: float | None
    values: list[float | None]


class TrialCoverageMaybe(TypedDict, total=False):
    pace: dict[str, Any]


class TrialCoverage(TrialCoverageMaybe):
    trial: int
    source: str
    layer: str | None
    frames_seen: int
    samples: int
    untold: int
    proved: bool
    share: float
    gaps: list[dict[str, Any]]
    refresh_hz: float | None
    periods: list[dict[str, Any]]
    period_uncertain_ms: float
    tally: dict[str, int]
    doubts: list[str]
    passed_over: list[dict[str, str]]


class Coverage(TypedDict):
    proved: bool
    share: float
    frames_seen: int
    words: str
    trials: list[TrialCoverage]


class Iterations(TypedDict):
    planned: int
    warmup: int
    counted: int
    void: list[str]


class CellMaybe(TypedDict, total=False):
    quarantined: dict[str, Any]
    before: list[dict[str, Any]]
    causes: dict[str, Any]
    comparisons: list[dict[str, Any]]
    screens: list[dict[str, Any]]


class Cell(CellMaybe):
    scenario: str
    file: str
    line: int | None
    column: int | None
    hash: str
    app: str
    tags: list[str]
    job: int
    device: str | None
    window: str
    whole: bool
    verdict: Verdict | None
    kind: str | None
    reasons: list[str]
    fault: dict[str, Any] | None
    iterations: Iterations
    coverage: Coverage | None
    metrics: dict[str, Metric]
    judgements: list[Judgement]
    evidence: list[str]


class DocumentMaybe(TypedDict, total=False):
    compared: dict[str, Any]


class Document(DocumentMaybe):
    format: int
    run: RunShape
    verdict: Verdict | None
    exit: Exit | None
    interrupted: str | None
    counts: dict[str, int]
    patterns: list[dict[str, Any]]
    phones: list[Phone]
    cells: list[Cell]
    absent: list[dict[str, Any]]
    refusals: list[dict[str, Any]]
    notices: list[dict[str, Any]]


class Seen(TypedDict):
    source: str
    layer: str | None
    frames_seen: int
    proved: bool
    share: float
    doubts: list[str]


class TrialShape(TypedDict):
    trial: int
    counts: bool
    warmup: bool
    void: str | None
    refresh_hz: float | None
    metrics: dict[str, Value | None]
    reasons: dict[str, str]
    coverage: Seen | None
