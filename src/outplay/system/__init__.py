"""What the operating system is asked for: files, threads, memory, and work that Ctrl-C does not cut short."""
