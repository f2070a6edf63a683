"""`python -m outplay` is the command `outplay`."""

from outplay.cli.main import main

main()
