"""Scripts that run inside of an application's own environment, with nothing of ours to import.

`fault_log` is a plugin of pytest and a module of the others; `schemathesis_session` lets
Schemathesis loose on an application and writes down every request; `replay` sends them again.
"""
