"""The Your engine page: should speculation be on in your engine?"""
