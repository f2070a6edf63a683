"""The options of a command in groups, for its help."""

GROUPS = {
    "Where to start": "moves state game openings opening-plies balanced boards",
    "Limits": "seconds depth nodes simulations iterations exploitability clock games minutes max-plies most max-states"
    " memory-mb disk-mb playouts draw resign",
    "The search": "algorithm selective evaluation book set seed textbook table-mb threads level elo levels strategy"
    " learner order",
    "Processes": "workers cluster",
    "Input and output": "save load resume svg png html json csv record export trace dot plot to efg proof event",
}
"""The names of options, without dashes, by group; others come last."""
GROUP_OF = {f"--{name}": group for group, names in GROUPS.items() for name in names.split()}
OTHERS = "Others"
FEWEST = 10
"""Help with fewer options has one list."""


def grouped(options: list[tuple[str, tuple[str, str]]]) -> list[tuple[str, list[tuple[str, str]]]]:
    """The lines of help of a command by group, from the long name of each option and its line.

    >>> grouped([("--json", ("--json", "Print JSON."))])
    [('Options', [('--json', 'Print JSON.')])]
    """
    if len(options) < FEWEST:
        return [("Options", [line for _, line in options])]
    lines: dict[str, list[tuple[str, str]]] = {group: [] for group in (*GROUPS, OTHERS)}
    for name, line in options:
        lines[GROUP_OF.get(name, OTHERS)].append(line)
    return [(group, records) for group, records in lines.items() if records]
