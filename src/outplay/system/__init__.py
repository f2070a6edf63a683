"""What the operating system provides: files written whole, threads, memory, work that Ctrl-C does not cut short."""
