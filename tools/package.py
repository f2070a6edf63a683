"""Build the wheel, install it as a user would, and test it; resolve its extras: `make package`.

The wheel is installed into an empty environment from binary packages only, so no compiler is needed, and runs in an
empty folder. The extras for users are resolved, not installed, to find conflicting versions before they do.
"""

import json
import os
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")
DEVELOPERS = ("dev", "docs")
"""The extras of `.venv`, which `make check` installs."""
COMMANDS = (
    ("--help",),
    ("analyse", "--help"),
    ("games",),
    ("algorithms", "mcts"),
    ("analyse", "connect-four", "--moves", "4444", "--depth", "6"),
    ("equilibrium", "kuhn-poker", "--iterations", "100"),
)


def run(*command: str, cwd: Path | None = None) -> str:
    """Run a command and return its output. Raises `SystemExit` with the output if the command fails."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "OUTPLAY_CACHE")}
    process = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=clean)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}\n{process.stdout}{process.stderr}")
    return process.stdout


def check_contents(wheel: Path) -> int:
    """Return the number of files in the wheel. Raises `SystemExit` if files are missing or unexpected."""
    package = ROOT / "src" / "outplay"
    expected = {
        str(path.relative_to(package.parent).as_posix())
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    contents = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    if contents != expected or "outplay/py.typed" not in contents:
        raise SystemExit(
            f"{wheel.name}: missing {sorted(expected - contents)}, unexpected {sorted(contents - expected)}"
        )
    return len(contents)


def main() -> None:
    """Build and test the wheel, and print each step."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        run(sys.executable, *PIP, "wheel", "--no-deps", "--wheel-dir", temporary, str(ROOT))
        [wheel] = folder.glob("outplay-*.whl")
        print(f"{wheel.name}: {check_contents(wheel)} files", flush=True)

        environment, empty = folder / "environment", folder / "empty"
        empty.mkdir()
        venv.create(environment)
        programs = environment / ("Scripts" if os.name == "nt" else "bin")
        # Without bytecode for all that the dependencies have: Python writes what the commands need.
        pip = (sys.executable, *PIP, "--python", str(programs / "python"))
        run(*pip, "install", "--no-compile", "--only-binary", ":all:", str(wheel))
        for arguments in COMMANDS:
            if not run(str(programs / "outplay"), *arguments, cwd=empty).strip():
                raise SystemExit(f"outplay {' '.join(arguments)} prints nothing")
        answer = json.loads(run(str(programs / "outplay"), "solve", "tic-tac-toe", "--json", cwd=empty))
        assert (answer["value"], answer["exact"]) == (0, True), answer
        print(f"installed and tried: {len(COMMANDS) + 1} commands", flush=True)

        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        extras = [extra for extra in project["optional-dependencies"] if extra not in DEVELOPERS]

        def resolve(extra: str) -> None:
            run(*pip, "install", "--dry-run", f"{wheel}[{extra}]")

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(resolve, extras))  # raises what one of them raises
        print(f"resolved: {', '.join(extras)}")


if __name__ == "__main__":
    main()
