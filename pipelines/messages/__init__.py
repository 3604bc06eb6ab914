"""Sightings of messages to messages: one row each, however often and wherever they were seen."""
