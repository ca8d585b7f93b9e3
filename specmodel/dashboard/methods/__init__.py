"""The Methods page: which way of drafting fits?"""
