"""What the user decided: every option in one table, checked and typed.

    options.OPTIONS, tunables.TUNABLES
        -> bridge.command_line.pytest_options (pytest) -> plain values
        -> checked.build_settings -> checked.Settings

Start at `options`.  Imports `core` and `errors`, and nothing of pytest.  The plugin is loaded in
every pytest run of each user who has installed it.  So these modules import little, and what only a
search needs is imported inside functions.

Where to find a decision:

- which options exist, and their defaults: `options.OPTIONS`
- which numbers of the algorithms a user can set: `tunables.TUNABLES`
- how long each phase of a command may take: `time_plan` (what is divided) and `phase_shares` (what
  one phase looks up itself); how fast an application is: `pace`
- which oracles exist, and which are on by default: `oracle_specs.ORACLES`
"""
