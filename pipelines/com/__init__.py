"""Facts of COM calls to objects and to what was done with them."""
