"""What our rows are called in other tools: one file of declarations a tool."""
