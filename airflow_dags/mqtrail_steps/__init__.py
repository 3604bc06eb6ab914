"""What the DAGs of this folder share. Imports Airflow and the standard library, and nothing of mqtrail: that runs in an
environment of its own and is called as a command.
"""
