"""The One round page: what happens inside one round?"""
