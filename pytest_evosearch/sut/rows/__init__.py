"""Rows that tests put into tables themselves, through the models of the project.

`models` reads which models there are and what their columns take; `placing` adds rows as a test
of the project would, parents first.
"""
