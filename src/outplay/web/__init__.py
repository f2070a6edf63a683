"""The board in the browser, of `outplay serve`: the server half; the page is in the folder `static`.

Reading order: `game_tree.py` and `room.py` (a game in progress, without any network), `seat_view.py` (what a page sees
of it), `messages.py` (what a page may ask), `page.py` (the answers), `app.py` (the network).
"""
