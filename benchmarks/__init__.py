"""The same work in outplay and in what people use now, in one run, as ratios: `python -m benchmarks --help`.

Reading order: `common` (what a row of the table is, and how time is taken), `peers` (the others), then one file a
benchmark: `tree`, `perft`, `playouts`, `alpha_beta`, `tic_tac_toe`, `start`, `solve`, `wac`, `gnugo`, `example`,
`ablation`, `techniques`.
"""
