"""An engine that is driven by lines, and what it has written."""


class Heard(list):
    """An engine, and the lines that it has written so far."""

    def __init__(self, kind, game, algorithm="alpha-beta", **more):
        super().__init__()
        self.engine = kind(game, self.append, algorithm, **more)

    def ask(self, *lines, waits=True):
        """The lines that the engine writes after these, by the time its search is over."""
        self.clear()
        for line in lines:
            self.engine.hear(line)
        if waits:
            self.engine.thinker.wait()
        return list(self)
