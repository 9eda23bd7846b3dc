"""Throw-away servers of databases: started from the machine's binaries, ended with the run.

Start at `throw_away_servers`.

Where to find a decision:

- which server stands in for one that an application names: `throw_away_servers`
"""
