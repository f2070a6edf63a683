"""Two nodes of a Ray cluster on this machine, with a core each."""

import subprocess
import sys
import time
from contextlib import contextmanager

from shared import PATIENCE


@contextmanager
def two_nodes(port):
    """Start the nodes; the process id of the second one's raylet, which a test may kill."""
    ray = [sys.executable, "-c", "from ray.scripts.scripts import main; main()", "start", "--num-cpus=1"]
    ray += ["--object-store-memory=100000000", "--disable-usage-stats", "--block"]
    head, second = ["--head", f"--port={port}", "--include-dashboard=false"], [f"--address=127.0.0.1:{port}"]
    nodes = []
    try:
        for options in head, second:
            nodes.append(subprocess.Popen([*ray, *options], start_new_session=True, stdout=subprocess.DEVNULL))
            while (raylet := raylet_of(nodes[-1])) is None:
                assert nodes[-1].poll() is None, "ray start has failed"
                time.sleep(0.5)
            time.sleep(10)  # until it can be reached
        yield raylet
    finally:
        for node in nodes:
            node.terminate()
            node.wait(PATIENCE)


def raylet_of(node):
    """The process id of the raylet of a node, if it runs."""
    listed = ["ps", "-o", "pid=,comm=", "--ppid", str(node.pid)]
    children = subprocess.run(listed, capture_output=True, text=True, check=False).stdout.splitlines()
    return next((line.split()[0] for line in children if "raylet" in line), None)
