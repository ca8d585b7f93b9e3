"""The Speedup page: when does speculation pay?"""
