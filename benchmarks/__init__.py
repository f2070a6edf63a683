"""Benchmarks: the same work in outplay and in other programs, in one run, as ratios: `python -m benchmarks --help`.

Reading order: `common` (the rows of the table, and how time is measured), `peers` (the other programs), then one file
per benchmark: `tree`, `perft`, `playouts`, `alpha_beta`, `tic_tac_toe`, `start`, `solve`, `wac`, `gnugo`, `example`,
`ablation`, `techniques`, and so on.
"""
