"""Objects across connections and files."""
