"""What Python says of a run is what farmjank says of it."""

import doctest
import json
import math
import os
import subprocess
import sys
import types
import typing
import unittest

import made

import farmjank
import farmjank.shapes

# Whole, failed, and with phones that dropped out.
RUNS = [("rack", "--seed", "7"), ("demo",), ("flaky",)]


def misfits(value: object, shape: typing.Any, path: str = "") -> typing.Iterator[str]:
    """Where a value is not what a type says."""
    origin, arguments = typing.get_origin(shape), typing.get_args(shape)
    if shape is typing.Any:
        return
    if typing.is_typeddict(shape):
        hints = typing.get_type_hints(shape)
        if not isinstance(value, dict):
            yield f"{path}: {value!r} is no {shape.__name__}"
            return
        for key in value.keys() - hints.keys() | shape.__required_keys__ - value.keys():
            yield f"{path}.{key}: not in both"
        for key in value.keys() & hints.keys():
            yield from misfits(value[key], hints[key], f"{path}.{key}")
    elif origin in (typing.Union, types.UnionType):
        if all(any(misfits(value, one)) for one in arguments):
            yield f"{path}: {value!r} is no {shape}"
    elif origin is typing.Literal:
        if value not in arguments:
            yield f"{path}: {value!r} is none of {arguments}"
    elif origin in (list, dict):
        if not isinstance(value, origin):
            yield f"{path}: {value!r} is no {shape}"
            return
        for one in value.values() if isinstance(value, dict) else value:
            yield from misfits(one, arguments[-1], f"{path}[]")
    elif shape is float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            yield f"{path}: {value!r} is no number"
    elif type(value) is not shape:
        yield f"{path}: {value!r} is no {shape}"


class OfEveryRun(unittest.TestCase):
    def runs(self) -> typing.Iterator[tuple[farmjank.Run, dict[str, typing.Any]]]:
        for asked in RUNS:
            folder = made.run(*asked)
            with self.subTest(lab=asked[0]):
                yield farmjank.open(folder), json.loads((folder / "results.json").read_text())

    def test_the_document_is_what_farmjank_writes_and_reports(self) -> None:
        for run, written in self.runs():
            self.assertEqual(run.document, written)
            self.assertEqual(run.document, json.loads(made.said("report", run.path, "--reporter", "json")))
            self.assertEqual((run.verdict, run.exit_code), (written["verdict"], written["exit"]["code"]))
            self.assertEqual([phone["serial"] for phone in run.phones], [one["serial"] for one in written["phones"]])

    def test_every_cell_and_metric_is_that_of_the_document(self) -> None:
        verdicts = set()
        for run, written in self.runs():
            windows = run.windows()
            self.assertEqual(len(windows), len(written["cells"]))
            for window, cell in zip(windows, written["cells"]):
                self.assertEqual(window.cell, cell)
                self.assertEqual((window.name, window.device, window.verdict), (cell["window"], cell["device"], cell["verdict"]))
                self.assertEqual(window.judgements, cell["judgements"])
                for key, metric in window.metrics.items():
                    self.assertEqual(metric["value"] is None, metric["reason"] is not None, key)
                verdicts.add(window.verdict)
        self.assertGreaterEqual(verdicts, {"pass", "fail"})

    def test_metrics_of_trials_are_the_iterations_of_the_document(self) -> None:
        compared = unknown = 0
        for run, _ in self.runs():
            for window in run.windows():
                counted = [trial for trial in window.trials if not trial.warmup]
                for key, metric in window.metrics.items():
                    if not any(key in trial.metrics for trial in counted):
                        continue
                    values = [trial.metrics.get(key) if trial.counts else None for trial in counted]
                    self.assertEqual(values, metric["per_iteration"], f"{window!r} {key}")
                    compared += len(values)
                for trial in counted:
                    missing = {key for key, value in trial.metrics.items() if value is None}
                    self.assertEqual(missing, trial.reasons.keys())
                    unknown += len(missing)
        self.assertGreater(compared, 10_000)
        self.assertGreater(unknown, 1_000)

    def test_coverage_of_trials_is_that_of_the_document(self) -> None:
        for run, _ in self.runs():
            for window in run.windows():
                told = [] if window.coverage is None else window.coverage["trials"]
                seen = {trial.number: trial.coverage for trial in window.trials if trial.counts and trial.coverage}
                self.assertEqual(len(told), len(seen))
                for one in told:
                    self.assertEqual({key: one[key] for key in seen[one["trial"]]}, seen[one["trial"]])

    def test_values_have_the_types_that_are_promised(self) -> None:
        for run, _ in self.runs():
            self.assertEqual(list(misfits(run.document, farmjank.Document)), [])
            shapes = [trial._shape for window in run.windows() for trial in window.trials]
            self.assertEqual(list(misfits(shapes, list[farmjank.shapes.TrialShape])), [])

    def test_a_value_of_another_type_is_found(self) -> None:
        run = json.loads((made.run("demo") / "results.json").read_text())
        for spoil in (
            lambda: run["cells"][0].pop("verdict"),
            lambda: run["cells"][1].update(more=1),
            lambda: run["phones"][0].update(sdk="34"),
            lambda: run["cells"][2]["metrics"]["fps"].update(value=math.nan),
        ):
            before = len(list(misfits(run, farmjank.Document)))
            spoil()
            self.assertEqual(len(list(misfits(run, farmjank.Document))), before + 1)


class OfFrames(unittest.TestCase):
    def test_frames_add_up_to_the_metrics_and_to_the_coverage(self) -> None:
        compared = 0
        for asked in RUNS:
            for window in farmjank.open(made.run(*asked)).windows():
                for trial in window.trials:
                    frames, fps = trial.frames(), trial.metrics.get("fps")
                    if frames is None or fps is None:
                        continue
                    shown = [at for at, what in enumerate(frames.what) if what == "frame"]
                    # Every frame ends with a present; the first of a stretch begins with one, or where its motion does.
                    presents = {int(at) for nth in shown for at in (frames.from_us[nth], frames.to_us[nth])}
                    stretches = len(presents) - len(shown) + len(frames) - len(shown)
                    seen = trial.coverage["frames_seen"]
                    self.assertLessEqual(len(shown), seen, window)
                    self.assertLessEqual(abs(len(presents) - seen), stretches, window)
                    took = sum(int(frames.length_us[nth]) for nth in shown)
                    self.assertAlmostEqual(len(shown) / took * 1e6, fps, delta=fps * 1e-4)
                    longest = max(int(frames.length_us[nth]) for nth in shown) / 1000
                    self.assertAlmostEqual(longest, trial.metrics["max_ms"], delta=0.002)
                    if (hitch := trial.metrics["hitch_ms_per_s"]) is not None:
                        late = sum(int(late) for late in frames.late_us)
                        self.assertAlmostEqual(late / took * 1e3, hitch, delta=0.01)
                    compared += 1
        self.assertGreater(compared, 150)

    def test_columns_belong_together(self) -> None:
        for window in farmjank.open(made.run("demo")).windows():
            for trial in window.trials:
                if (frames := trial.frames()) is None:
                    continue
                self.assertEqual({len(column) for column in frames.columns().values()}, {len(frames)})
                for at in range(len(frames)):
                    self.assertEqual(frames.from_us[at] + frames.length_us[at], frames.to_us[at])
                    late = max(0, frames.vsyncs[at] - frames.due_vsyncs[at]) if frames.what[at] == "frame" else 0
                    self.assertEqual(frames.late_vsyncs[at], late)

    def test_without_numpy_columns_are_memory_with_the_same_numbers(self) -> None:
        script = (
            "import sys; sys.modules['numpy'] = sys.modules['pandas'] = None\n"
            "import json, farmjank\n"
            "frames = [trial.frames() for window in farmjank.open(sys.argv[1]).windows() for trial in window.trials]\n"
            "frames = [one for one in frames if one is not None]\n"
            "assert all(isinstance(one.late_us, memoryview) and one.late_us.readonly for one in frames)\n"
            "print(json.dumps([{n: list(c) for n, c in one.columns().items()} for one in frames]))\n"
        )
        folder = str(made.run("demo"))
        printed = subprocess.run([sys.executable, "-c", script, folder], capture_output=True, text=True, check=True)
        trials = [trial for window in farmjank.open(folder).windows() for trial in window.trials]
        ours = [frames.columns() for trial in trials if (frames := trial.frames()) is not None]
        self.assertTrue(ours and type(ours[0]["late_us"]).__name__ == "ndarray")
        plain = [{name: getattr(of, "tolist", lambda of=of: of)() for name, of in one.items()} for one in ours]
        self.assertEqual(json.loads(printed.stdout), plain)


class OfTables(unittest.TestCase):
    def test_a_table_has_a_row_for_each_trial_and_one_for_each_frame(self) -> None:
        run = farmjank.open(made.run("demo"))
        windows = run.windows()
        table = run.to_pandas()
        self.assertEqual(len(table), sum(len(window.trials) for window in windows))
        self.assertTrue(table.columns.is_unique)
        one = table[(table.window == windows[0].name) & (table.device == windows[0].device)]
        self.assertEqual(one.fps.tolist(), [trial.metrics["fps"] for trial in windows[0].trials])
        frames = run.frames_to_pandas()
        kept = [trial.frames() for window in windows for trial in window.trials]
        self.assertEqual(len(frames), sum(len(one) for one in kept if one is not None))
        for name in ("what", "phase", "owner", "stage"):
            words = [word for one in kept if one is not None for word in getattr(one, name)]
            self.assertEqual(frames[name].dtype.name, "category")
            self.assertEqual([word for word in frames[name] if isinstance(word, str)], [word for word in words if word])
        self.assertEqual(frames.late_us.sum(), sum(int(one.late_us.sum()) for one in kept if one is not None))

    def test_frames_stand_beside_the_trial_they_are_of(self) -> None:
        run = farmjank.open(made.run("demo"))
        table = run.frames_to_pandas()
        for window in run.windows():
            for trial in window.trials:
                own = table[(table.window == window.name) & (table.device == window.device) & (table.trial == trial.number)]
                frames = trial.frames()
                self.assertEqual(own.to_us.tolist(), [] if frames is None else frames.to_us.tolist())
                self.assertEqual([None if word != word else word for word in own.owner], [] if frames is None else frames.owner)

    def test_a_run_that_measured_nothing_has_empty_tables(self) -> None:
        folder = made.copied(made.REPOSITORY / "results/tests/run")
        log = (folder / "events.ndjson").read_bytes()
        (folder / "events.ndjson").write_bytes(log[: log.index(b'"kind":"trial_started"')])
        run = farmjank.open(folder)
        self.assertEqual((len(run.windows()), len(run.to_pandas()), len(run.frames_to_pandas())), (1, 0, 0))

    def test_what_is_not_known_is_none_of_the_numbers(self) -> None:
        run = farmjank.open(made.run("rack", "--seed", "7"))
        table = run.to_pandas()
        missing = sum(trial.metrics.get("frame_count") is None for window in run.windows() for trial in window.trials)
        self.assertGreater(missing, 0)
        self.assertEqual(table.frame_count.isna().sum(), missing)


class OfThePackage(unittest.TestCase):
    def test_its_version_is_that_of_farmjank(self) -> None:
        self.assertEqual(made.said("--version").split()[1], farmjank.__version__)

    def test_its_examples_run(self) -> None:
        os.chdir(made.run("demo").parent)
        if not os.path.exists("run"):
            os.symlink("demo", "run")
        failed, tried = doctest.testmod(farmjank)
        self.assertEqual(failed, 0)
        self.assertGreaterEqual(tried, 3)

    def test_everything_it_offers_says_what_it_is(self) -> None:
        silent = [
            f"{of.__name__}.{name}"
            for of in (farmjank.Run, farmjank.Window, farmjank.Trial, farmjank.Frames)
            for name, value in vars(of).items()
            if not name.startswith("_") and (isinstance(value, property) or callable(value))
            if not (getattr(value, "__doc__", None) or "").strip()
        ]
        self.assertEqual(silent, [])


if __name__ == "__main__":
    unittest.main()
