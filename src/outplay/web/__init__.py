"""The board in the browser: rooms where people and computers play and explore, and the server of their page.

The page itself is in the folder `static`. Reading order: `game_tree.py` and `room.py` (a game in progress, without any
network), `seat_view.py` (what a page sees of it), `messages.py` (what a page may ask), `page.py` (the answers),
`app.py` (the network).
"""

from outplay import _lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from outplay.web.widget import BoardWidget

__all__ = ["BoardWidget"]

__getattr__, __dir__ = _lazy(__name__, {"BoardWidget": "outplay.web.widget"})
