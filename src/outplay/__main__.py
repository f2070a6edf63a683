"""`python -m outplay` is the command `outplay`."""

from outplay.cli.main import run

if __name__ == "__main__":
    run()
