"""The board in the browser: rooms where people and computers play and explore, and the server of their page.

The page itself is in the folder `static`. Reading order: `game_tree.py` and `room.py` (a game in progress, without any
network), `seat_view.py` (what a page sees of it), `messages.py` (what a page may ask), `page.py` (the answers),
`app.py` (the network).
"""
