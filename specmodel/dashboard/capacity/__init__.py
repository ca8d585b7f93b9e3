"""How many accelerators does this traffic need?"""
