"""The Reference page: every parameter, result, term, formula and source, and wrong numbers with the right ones."""
