"""Running the server: its address, the browser, and an end within a second of SIGTERM or Ctrl-C."""

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import uvicorn

from outplay.compile.cache import folder as cache_folder
from outplay.rules.errors import OutplayError
from outplay.system import threads
from outplay.web.app import LOCAL, make_app
from outplay.web.library import Library
from outplay.web.lobby import Lobby
from outplay.web.messages import LONGEST_IMPORT

NICE = 5
"""How much searches step back behind what answers pages."""
PORTS = 50
"""How many ports are tried."""
EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - recognized, not bound to
"""The addresses that stand for all of a computer's."""


def run(
    games: Sequence[str],
    *,
    host: str,
    port: int,
    allowed: Sequence[str],
    players: Sequence[str],
    look_ups: Sequence[str],
    folder: Path | None,
    opens: bool,
    say: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C or SIGTERM. Raises `OutplayError` if a game is wrong or no port is free."""
    library = Library(games, players, look_ups)
    lobby = Lobby(library, folder or games_folder())
    listener = listening(host, port)
    number = listener.getsockname()[1]
    names = [*LOCAL, *allowed, *([] if host in EVERYWHERE else [f"[{host}]" if ":" in host else host])]
    if host in EVERYWHERE and not allowed:
        names.append(socket.gethostname())
    config = uvicorn.Config(
        make_app(lobby, names),
        log_level="warning",
        ws_max_size=LONGEST_IMPORT + 2000,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    threads.at_start.append(step_back)
    url = f"http://{'127.0.0.1' if host in EVERYWHERE else f'[{host}]' if ':' in host else host}:{number}/"
    say(f"The board is at {url}   (Ctrl-C ends it)")
    if opens:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
    with suppress(KeyboardInterrupt):  # which uvicorn passes on after it has ended
        uvicorn.Server(config).run(sockets=[listener])


def step_back() -> None:
    """Let the thread of a search run only where nobody waits for an answer: Linux has a priority for each thread."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, 0, NICE)


def games_folder() -> Path | None:
    """Where games are kept if nobody says; None if there is no cache."""
    cache = cache_folder()
    return None if cache is None else cache / "games"


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at the first free port from this one on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in range(port, min(port + PORTS, 65536)):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            listener.listen(128)
        except OSError as error:
            listener.close()
            reason = error
        else:
            return listener
    raise OutplayError(f"cannot listen at {host}, port {port} and the next {PORTS}: {reason}")
