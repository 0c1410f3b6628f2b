"""The page docs/python.md: its commands and examples run, one after the other, as a reader would."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import made

import farmjank

PAGE = (made.REPOSITORY / "docs/python.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)


class ThePage(unittest.TestCase):
    def test_its_commands_and_examples_run(self) -> None:
        [commands] = blocks("sh")
        # The wheel was built and installed by whoever runs this test, by the first two of these commands.
        built, installed, run = commands.splitlines()
        self.assertIn("maturin build --manifest-path runner/python/Cargo.toml", built)
        self.assertEqual(installed, "pip install wheels/farmjank-*.whl")
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(made.REPOSITORY / "scenarios", Path(folder) / "scenarios")
            path = {**os.environ, "PATH": f"{made.FARMJANK.parent}:{os.environ['PATH']}"}
            subprocess.run(["sh", "-ec", run], cwd=folder, env=path, check=True, capture_output=True)
            printed = self.ran_in(folder, "\n".join(blocks("python")))
        self.assertTrue(printed.startswith("pass 0 ['SM-A145F'"), printed[:200])
        self.assertRegex(printed, r"\n\d+ frames, \d+ of them late, at seconds \[")
        # What a comment says that is printed.
        [told] = re.findall(r"print\(why\)  # (.*)", PAGE)
        self.assertTrue(printed.endswith(f"\n{told}\n"), printed[-200:])

    def ran_in(self, folder: str, script: str) -> str:
        ended = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def test_it_names_everything_there_is(self) -> None:
        offered = [
            name
            for of in (farmjank.Run, farmjank.Window, farmjank.Trial)
            for name, value in vars(of).items()
            if not name.startswith("_") and (isinstance(value, property) or callable(value))
        ]
        columns = [*farmjank.Frames.__dataclass_fields__]
        missing = [name for name in offered + columns if not re.search(rf"`{name}(\(.*?\))?`", PAGE)]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
