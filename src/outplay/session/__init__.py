"""What every front end needs: a game found by what a person writes."""
