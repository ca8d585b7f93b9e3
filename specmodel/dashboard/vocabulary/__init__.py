"""The Vocabulary page: can a drafter with another tokenizer still pay?"""
