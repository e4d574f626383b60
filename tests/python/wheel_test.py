"""The wheel that pip makes, of this build: its contents, and that the package works where pip puts it."""

import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest
import zipfile

import flopcast as fc

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(fc.__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))


class Wheel(unittest.TestCase):
    def test_a_wheel_of_this_build(self):
        import python_wheel

        with tempfile.TemporaryDirectory() as folder:
            name = python_wheel.build_wheel(folder, {"build-dir": str(BUILD)})
            with zipfile.ZipFile(pathlib.Path(folder) / name) as wheel:
                names = wheel.namelist()
                prefix = pathlib.Path(folder) / "prefix"
                site = prefix / "lib/python3/site-packages"
                for entry in wheel.infolist():  # as the specification of wheels has it
                    data = entry.filename.split(".data/data/")
                    target = prefix / data[1] if len(data) == 2 else site / entry.filename
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(wheel.read(entry))
                    mode = entry.external_attr >> 16
                    target.chmod(0o755 if stat.S_ISREG(mode) and mode & 0o111 else 0o644)  # as pip does
            information = f"flopcast-{fc.__version__}.dist-info"
            for expected in ("flopcast/__init__.py", "flopcast/py.typed", "flopcast/_flopcast.pyi", f"{information}/RECORD", f"{information}/METADATA"):
                self.assertIn(expected, names)
            facts = pathlib.Path(folder) / python_wheel.prepare_metadata_for_build_wheel(folder)
            self.assertEqual(facts.name, information)
            for name in ("METADATA", "WHEEL"):
                self.assertEqual((facts / name).read_text(), (site / information / name).read_text())
            recorded = {line.split(",")[0] for line in (site / information / "RECORD").read_text().splitlines()}
            self.assertEqual(recorded, set(names))
            text = "import flopcast as fc, numpy as np; print(fc.einsum('i,i->', np.ones(3), np.ones(3)), fc.find_program())"
            environment = {**os.environ, "PYTHONPATH": str(site)}
            done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, cwd=folder)
            self.assertEqual((done.returncode, done.stdout.split()), (0, ["3.0", str(prefix / "bin/flopcast")]), done.stderr)
            done = subprocess.run([prefix / "bin/flopcast", "--version"], capture_output=True, text=True)
            self.assertEqual(done.stdout.strip(), f"flopcast {fc.__version__}")


if __name__ == "__main__":
    unittest.main()
