"""What the calls of all protocols come to: hosts and queues, noted server by server and put together at the end."""
