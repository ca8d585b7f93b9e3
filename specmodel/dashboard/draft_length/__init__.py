"""The Draft length page: how many tokens should it draft?"""
