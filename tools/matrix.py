"""Run the tests marked `matrix` with each Python on this machine and the oldest and newest Numba: `make matrix`.

Each pair gets its own environment under `.matrix`, with outplay installed as a user would. The table shows versions
that this machine lacks; they do not count as failures.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
TESTS = ("tests/compile/test_versions.py", "tests/compile/test_internals.py", "tests/compile/test_rewriting.py")
REQUIREMENTS = ("pytest>=8", "hypothesis>=6.100")


def oldest_numba() -> str:
    """The oldest version of Numba that `pyproject.toml` allows."""
    match = re.search(r'"numba>=([\d.]+)"', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert match
    return match[1]


def find_python(version: str) -> str | None:
    """A Python of this version, on the path or in pyenv; None if there is none."""
    candidates = [shutil.which(f"python{version}"), sys.executable]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates += [str(folder / "bin" / "python") for folder in sorted(pyenv.glob(f"{version}.*"), reverse=True)]
    check = f"import sys, venv; sys.exit(sys.version_info[:2] != ({version.replace('.', ', ')}))"
    for candidate in filter(None, candidates):
        if not Path(candidate).exists():
            continue
        if subprocess.run([candidate, "-c", check], capture_output=True, check=False).returncode == 0:
            return candidate
    return None


def last_line(text: str) -> str:
    """The last line that is not empty."""
    lines = [line.strip(" =") for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def try_pair(python: str, version: str, numba: str) -> tuple[str, str, bool]:
    """Install and test; return the version of Numba, the result as text, and False if tests failed."""
    folder = ROOT / ".matrix" / f"{version}-{numba}"
    venv_python = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    requirement = "numba" if numba == "newest" else f"numba=={numba}"
    install = [venv_python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
    for command in ([python, "-m", "venv", str(folder)], [*install, ".", requirement, *REQUIREMENTS]):
        process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if process.returncode != 0:
            return numba, f"cannot be installed: {last_line(process.stderr)}", True
    command = [venv_python, "-c", "import numba; print(numba.__version__)"]
    numba_version = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "OUTPLAY_CACHE")}
    command = [venv_python, "-m", "pytest", "-q", "-m", "matrix", "--override-ini", "addopts=", *TESTS]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=clean)
    if process.returncode != 0:
        print(process.stdout, process.stderr, file=sys.stderr)
    return numba_version or numba, last_line(process.stdout), process.returncode == 0


def main() -> int:
    """Print the table; return 1 if tests fail."""
    fine = True
    print(f"{'Python':8}{'Numba':10}result", flush=True)
    for version in PYTHONS:
        python = find_python(version)
        if python is None:
            print(f"{version:8}{'':10}not on this machine", flush=True)
            continue
        for numba in (oldest_numba(), "newest"):
            numba_version, outcome, is_fine = try_pair(python, version, numba)
            fine &= is_fine
            print(f"{version:8}{numba_version:10}{outcome}", flush=True)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
