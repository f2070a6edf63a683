"""What all searches share: the runner with its limits, the memory of a search, the answer, books and traces."""
