"""Throw-away servers of databases: started from the machine's binaries, ended with the run."""
