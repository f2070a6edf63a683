"""What every front end needs: games and algorithms found by what a person writes."""
