"""Many stubs of one operation at once, in numpy. What it accepts equals the interpreter's; the rest it declines."""
