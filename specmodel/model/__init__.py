"""One request: acceptance and the cost of a round give the speedup."""
