"""The Live text page: what does it do to real text?"""
