"""Throw-away database servers: started from the machine's programs, ended with the run.

Start at `throw_away_servers`.  Imports `sut.database_servers` and `sut.shortcuts`; `sut.databases`,
`sut.fixture_texts`, `sut.finding` and `bridge` import it.

Where to find a decision:

- which server replaces one that an application names: `throw_away_servers`; MongoDB:
  `mongo_in_memory`
"""
