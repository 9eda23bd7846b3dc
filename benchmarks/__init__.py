"""Measures the tool: applications, a runner, statistics, and results as tables and plots.

`python -m benchmarks.run --help` says how.  Nothing here is part of the product, and the
product knows none of these applications.
"""
