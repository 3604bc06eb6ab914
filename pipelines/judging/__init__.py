"""Facts of servers to sessions, findings and what is known of each server."""
