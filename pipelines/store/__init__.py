"""The one reader and writer of the files of a run: tables, state, manifest, output folder, datasets."""
