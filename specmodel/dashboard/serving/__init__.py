"""The Serving load page: where does batching eat the gain?"""
