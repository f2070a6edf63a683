"""Two nodes of a Ray cluster on this machine, with a core each."""

import subprocess
import sys
import time
from contextlib import contextmanager


@contextmanager
def two_nodes(port):
    """Start the nodes; the process id of the second one's raylet, which a test may kill."""
    ray = [sys.executable, "-c", "from ray.scripts.scripts import main; main()", "start", "--num-cpus=1"]
    ray += ["--object-store-memory=100000000", "--disable-usage-stats", "--block"]
    head, second = ["--head", f"--port={port}", "--include-dashboard=false"], [f"--address=127.0.0.1:{port}"]
    nodes = []
    try:
        for options, wait in ((head, 15), (second, 10)):
            nodes.append(subprocess.Popen([*ray, *options], start_new_session=True, stdout=subprocess.DEVNULL))
            time.sleep(wait)
        listed = ["ps", "-o", "pid=,comm=", "--ppid", str(nodes[1].pid)]
        children = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.splitlines()
        [raylet] = [line.split()[0] for line in children if "raylet" in line]
        yield raylet
    finally:
        for node in nodes:
            node.terminate()
            node.wait(timeout=60)
