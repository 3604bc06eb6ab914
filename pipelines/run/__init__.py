"""The plan of a run: a handful of jobs, whatever the captures hold."""
