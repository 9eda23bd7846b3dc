"""What the user decided: every option in one table, checked and typed. Knows nothing of pytest.

    options.OPTIONS, tunables.TUNABLES -> bridge.command_line.pytest_options (pytest) -> plain
    values
        -> checked.build_settings -> checked.Settings

The tables are read in every pytest run of everybody who has the plugin installed, so these
modules import next to nothing, and what only a search needs inside functions.

Where to find a decision:

- which options exist, and their defaults: `options.OPTIONS`
- which numbers of the algorithms a user can set: `tunables.TUNABLES`
- how long each phase of a command may take: `time_plan` (every share, floor and overtime)
"""
