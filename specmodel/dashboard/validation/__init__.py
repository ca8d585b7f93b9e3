"""The Validation page: how far can these numbers be trusted?"""
