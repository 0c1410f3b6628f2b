"""Runs of strangers: whatever a folder holds, the interpreter lives, and nothing outside the folder is read."""

import os
import random
import shutil
import threading
import unittest
from pathlib import Path

import made

import farmjank

EXAMPLE = made.REPOSITORY / "results/tests/run"
LOG = "events.ndjson"
STRIP = "evidence/job-0/trial-0/0-fling-the-feed.strip"
# Each holds less than this, and so must what is made of it.
WORDS = [b"-1", b"18446744073709551615", b"1e308", b"null", b"[", b"{}", b'"', b"\x00", b"\xff\xfe", b"\xe2\x80\xae", b"\n"]


def read(folder: Path) -> list[farmjank.Frames | None]:
    """Everything there is to ask of a run."""
    run = farmjank.open(folder)
    repr((run, run.document, run.phones, run.verdict, run.exit_code))
    found = []
    for window in run.windows():
        repr((window, window.cell, window.phone))
        for trial in window.trials:
            repr((trial, trial.metrics, trial.reasons, trial.coverage))
            found.append(trial.frames())
    run.to_pandas()
    return found


def refused(folder: Path) -> str:
    """Why it is not read; nothing where it is."""
    try:
        read(folder)
    except farmjank.BundleError as why:
        return str(why)
    return ""


class Strangers(unittest.TestCase):
    def test_what_is_no_run_is_refused_in_the_words_of_farmjank(self) -> None:
        nothing = made.copied(EXAMPLE).parent
        for folder in (nothing / "nowhere", nothing, nothing / "run" / LOG):
            why = refused(folder)
            self.assertTrue(why, folder)
            told = made.said_badly("report", folder)
            self.assertIn(why, told)

    def test_damage_is_named_with_its_line(self) -> None:
        folder = made.copied(EXAMPLE)
        lines = (folder / LOG).read_bytes().splitlines(keepends=True)
        (folder / LOG).write_bytes(b"".join(lines[:9]) + b"{}\n" + b"".join(lines[9:]))
        self.assertIn("line 10 of the log is not an event", refused(folder))

    def test_a_torn_log_is_read_to_its_last_whole_line(self) -> None:
        folder = made.copied(EXAMPLE)
        log = (folder / LOG).read_bytes()
        (folder / LOG).write_bytes(log[: len(log) // 2])
        run = farmjank.open(folder)
        self.assertIsNone(run.verdict)
        self.assertIn("torn line", run.document["notices"][-1]["what"])

    def test_no_name_and_no_link_leads_out_of_the_folder(self) -> None:
        for name in ("../secret", "/etc/hostname", "a/../../secret"):
            folder = made.copied(EXAMPLE)
            shutil.copy(folder / STRIP, folder.parent / "secret")
            log = (folder / LOG).read_text()
            (folder / LOG).write_text(log.replace(f'"strip":"{STRIP}"', f'"strip":"{name}"'))
            self.assertIn("not inside the bundle", refused(folder), name)
        for target in ("../../../../secret", "/dev/zero"):
            folder = made.copied(EXAMPLE)
            shutil.move(folder / STRIP, folder.parent / "secret")
            os.symlink(target, folder / STRIP)
            self.assertIn("not inside the bundle", refused(folder), target)
        folder = made.copied(EXAMPLE)
        (folder / LOG).unlink()
        os.symlink(EXAMPLE / LOG, folder / LOG)
        self.assertIn("not inside the bundle", refused(folder))

    def test_pipes_bombs_and_large_files_are_refused(self) -> None:
        folder = made.copied(EXAMPLE)
        (folder / STRIP).unlink()
        os.mkfifo(folder / STRIP)
        self.assertIn("a pipe, a socket or a device", refused(folder))
        (folder / STRIP).unlink()
        with (folder / STRIP).open("wb") as large:
            large.truncate(17 << 20)
        self.assertIn("larger than 16 MiB", refused(folder))
        # A frame of zstd whose one block is a byte said 128 KiB of times, again and again.
        block = b"\x02\x00\x10\x00"
        (folder / STRIP).write_bytes(b"\x28\xb5\x2f\xfd\x00\x58" + block * 200)
        self.assertRegex(refused(folder), "times its size|larger than|damaged")

    def test_a_file_that_is_gone_is_named(self) -> None:
        folder = made.copied(EXAMPLE)
        (folder / STRIP).unlink()
        self.assertTrue(refused(folder).endswith(f"{STRIP}: there is no such file or folder"))

    def test_whatever_is_changed_the_interpreter_lives(self) -> None:
        chance = random.Random(7)
        folder = made.copied(EXAMPLE)
        whole = {name: (folder / name).read_bytes() for name in (LOG, STRIP)}
        outcomes = set()
        for nth in range(600):
            name = (LOG, STRIP)[nth % 2]
            spoiled = bytearray(whole[name])
            for _ in range(chance.randint(1, 4)):
                at = chance.randrange(len(spoiled))
                word = chance.choice(WORDS)
                spoiled[at : at + chance.choice((0, 1, len(word)))] = word
            (folder / name).write_bytes(spoiled)
            outcomes.add(bool(refused(folder)))
            (folder / name).write_bytes(whole[name])
        self.assertEqual(outcomes, {True, False})
        self.assertEqual(refused(folder), "")

    def test_what_a_log_says_is_shown_as_it_is(self) -> None:
        folder = made.copied(EXAMPLE)
        log = (folder / LOG).read_text()
        (folder / LOG).write_text(log.replace('"fling the feed"', r'"\u001b[31m\u202e"'))
        self.assertEqual({window.name for window in farmjank.open(folder).windows()}, {"\x1b[31m\u202e"})
        self.assertNotIn("\x1b", repr(farmjank.open(folder).windows()))

    def test_threads_read_one_run_together(self) -> None:
        run, found = farmjank.open(EXAMPLE), []
        reading = lambda: found.extend(len(trial.frames() or ()) for _ in range(50) for window in run.windows() for trial in window.trials)
        threads = [threading.Thread(target=reading) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 200)
        self.assertEqual(len(set(found)), 1)


if __name__ == "__main__":
    unittest.main()
