"""What a front end needs, whoever shows it: a game found by what a person writes."""
