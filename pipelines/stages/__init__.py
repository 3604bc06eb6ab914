"""Each stage: a pure function over iterators somewhere below, and here the few lines that let Spark run it."""
