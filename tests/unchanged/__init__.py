"""Games as people write them in Python, with no thought of a compiler. See `test_unchanged.py`."""
