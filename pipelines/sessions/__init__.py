"""Sessions and reads: what became of opened queues and of the messages read from them."""
