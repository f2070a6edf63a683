"""`python -m outplay` is the command `outplay`."""

from outplay.cli.main import main

if __name__ == "__main__":
    main()
