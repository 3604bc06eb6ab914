"""report.html: what a run found, in one file for people. Tables are selected, put into words and embedded in a page."""
