"""Builds a wheel of flopcast (PEP 517): the Python package, the program and its components. pip calls these functions.

CMake builds in build/wheel. `pip install . --config-settings build-dir=FOLDER` takes what a build in another folder has made.
"""

import base64
import hashlib
import os
import pathlib
import re
import stat
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEPENDENCIES = ["numpy"]


def version():
    """Returns the version that CMakeLists.txt has."""
    found = re.search(r"project\(flopcast VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    if found is None:
        raise SystemExit("CMakeLists.txt names no version of flopcast")
    return found.group(1)


def tag():
    """Returns the wheel's tag of Python and system."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub(r'[-.]', '_', sysconfig.get_platform())}"


def run(*words):
    # pip hides the packages of the system from its child by PYTHONPATH. CMake asks Python for NumPy.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([str(word) for word in words], check=True, env=environment)


def installed(folder, settings):
    """Installs flopcast below `folder`, and returns the folder of the Python package below it."""
    build = pathlib.Path((settings or {}).get("build-dir", ROOT / "build" / "wheel")).resolve()
    if "build-dir" not in (settings or {}):
        run(ROOT / "scripts" / "fetch_page_assets")  # charts and tables of pages; without npm or network the build goes on without them
        run("cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", "-DFLOPCAST_PYTHON=ON",
            f"-DFLOPCAST_PYTHON_PROGRAM={sys.executable}", "-DFLOPCAST_PYTHON_FOLDER=lib/python")
        run("cmake", "--build", build, "--parallel", len(os.sched_getaffinity(0)))  # without a number, make starts everything at once
    run("cmake", "--install", build, "--prefix", folder)
    found = re.search(r"^FLOPCAST_PYTHON_FOLDER:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit(f"{build} was configured without the Python package; expected FLOPCAST_PYTHON=ON")
    return folder / found.group(1) / "flopcast"


def metadata():
    lines = ["Metadata-Version: 2.1", "Name: flopcast", f"Version: {version()}", "Summary: Know how fast dense linear algebra will run, before it runs",
             "Requires-Python: >=3.10", *(f"Requires-Dist: {name}" for name in DEPENDENCIES)]
    return "\n".join(lines) + "\n"


def wheel_facts():
    return f"Wheel-Version: 1.0\nGenerator: flopcast\nRoot-Is-Purelib: false\nTag: {tag()}\n"


class Wheel:
    """A wheel that is being written."""

    def __init__(self, path):
        self.file = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, content, mode=0o644):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr = (stat.S_IFREG | mode) << 16  # pip keeps the permissions of regular files only
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.file.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")

    def add_folder(self, folder, name):
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
            self.add(f"{name}/{path.relative_to(folder)}", path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)

    def close(self, information):
        name = f"{information}/RECORD"
        self.file.writestr(name, "\n".join([*self.record, f"{name},,", ""]))
        self.file.close()


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes what pip asks before it decides to build, and returns the name of the folder. Without it, pip builds a wheel to know this."""
    information = pathlib.Path(metadata_directory) / f"flopcast-{version()}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(metadata())
    (information / "WHEEL").write_text(wheel_facts())
    return information.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its name."""
    own = f"flopcast-{version()}"
    name = f"{own}-{tag()}.whl"
    with tempfile.TemporaryDirectory() as scratch:
        prefix = pathlib.Path(scratch)
        package = installed(prefix, config_settings)
        wheel = Wheel(pathlib.Path(wheel_directory) / name)
        wheel.add_folder(package, "flopcast")
        for folder in ("bin", "libexec"):
            wheel.add_folder(prefix / folder, f"{own}.data/data/{folder}")
        information = f"{own}.dist-info"
        wheel.add(f"{information}/METADATA", metadata().encode())
        wheel.add(f"{information}/WHEEL", wheel_facts().encode())
        wheel.close(information)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("flopcast has no source distribution of its own; clone the repository, or take its archive")
