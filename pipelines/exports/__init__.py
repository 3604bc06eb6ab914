"""Tables in the formats of other tools: the same bytes for the same rows, however they are spread over files."""
