"""Outplay's own alpha-beta step by step, as `recording_steps.py` shows it: what is said of each step, and why."""
