"""What the user decided: every option in one table, checked and typed. Knows nothing of pytest.

    options.OPTIONS, tunables.TUNABLES -> bridge.command_line.pytest_options (pytest) -> plain
    values
        -> checked.build_settings -> checked.Settings

The tables are read in every pytest run of everybody who has the plugin installed, so these
modules import next to nothing, and what only a search needs inside functions.
"""
