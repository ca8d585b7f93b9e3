"""Sentences, declared quantities, checks, links and tables; nothing here knows of speculation."""
