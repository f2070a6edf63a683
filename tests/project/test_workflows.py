"""What GitHub and pre-commit run is what the Makefile runs."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def read(path):
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def recipe(target):
    """The commands of a target of the Makefile."""
    text = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)[1]
    return [line.strip() for line in text.splitlines() if not line.strip().startswith("@#")]


def test_github_runs_the_tests_of_make_test():
    steps = read(".github/workflows/test.yml")["jobs"]["test"]["steps"]
    tests = [step["run"] for step in steps if "pytest" in step.get("run", "")]
    command = re.search(r"^TESTS := \$\(BIN\)/python (.*)$", MAKEFILE, re.MULTILINE)[1]
    assert tests == [line.replace("$(TESTS)", f"python {command}") for line in recipe("test")]


def test_github_runs_what_ci_runs():
    steps = [step.get("run", "") for step in read(".github/workflows/test.yml")["jobs"]["check"]["steps"]]
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    targets = re.search(r"--output-sync=target (.*?) #", ci)[1].split()
    assert {step for step in steps if step} == {f"make {target}" for target in targets}


def test_github_plays_in_a_browser_at_night():
    jobs = read(".github/workflows/nightly.yml")["jobs"]
    command = re.search(r"^TESTS := \$\(BIN\)/python (.*)$", MAKEFILE, re.MULTILINE)[1]
    assert jobs["browser"]["steps"][-1]["run"] == f"python {command} -m nightly tests/web"
    assert jobs["nightly"]["steps"][-1]["run"] == "make nightly"
    assert (ROOT / "tests" / "web" / "test_browser.py").exists()


def test_github_tries_each_python_from_the_oldest_on():
    matrix = read(".github/workflows/test.yml")["jobs"]["test"]["strategy"]["matrix"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["requires-python"] == f">={matrix['python'][0]}"
    minors = [int(version.removeprefix("3.")) for version in matrix["python"]]
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert [system.partition("-")[0] for system in matrix["os"]] == ["ubuntu", "macos", "windows"]


def test_the_tag_must_be_the_version():
    steps = read(".github/workflows/publish.yml")["jobs"]["build"]["steps"]
    pattern = re.search(r"s/(.*?)/", next(step["run"] for step in steps if "sed" in step.get("run", "")))[1]
    pattern = pattern.replace(r"\(", "(").replace(r"\)", ")")
    source = (ROOT / "src" / "outplay" / "__init__.py").read_text("utf-8")
    import outplay

    assert re.search(pattern, source, re.MULTILINE)[1] == outplay.__version__


def test_pre_commit_runs_make_check():
    hooks = read(".pre-commit-config.yaml")["repos"][0]["hooks"]
    entries = [hook["entry"].removeprefix(".venv/bin/") for hook in hooks]
    checks = [
        line.removeprefix("$(BIN)/").replace(" --check .", "").replace(" check .", " check") for line in recipe("check")
    ]
    assert entries[: len(checks)] == checks
