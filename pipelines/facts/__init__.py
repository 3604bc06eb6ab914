"""What sessions and rules are made from: calls, connections and blind spots, one row each, in order of time.

Rows are narrow and carry their values as JSON, so that one shuffle by server and one sort serve every interface.
"""
