"""A folder of tables that grows by runs: what is carried from one to the next, and how a run becomes visible."""
