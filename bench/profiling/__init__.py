"""Where the time of a whole run goes: the driver's by the clock, workers' by their CPU time, Spark's by its log."""
