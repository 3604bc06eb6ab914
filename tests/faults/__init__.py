"""What happens to a dataset, a run and a reader when something dies, fills up or changes. More of it in soak/."""
