"""The Drift page: what happens when the workload changes?"""
