"""What security providers put into authentication tokens, as far as it tells who called."""
