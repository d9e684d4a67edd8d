"""The dense-time half of the model: poll schedule, sweeps and windows.

`schedule` turns a configuration into the poller's gaps and silences, exactly.
`system` states poller, network, reaper and worker as one guarded-action transition system over z3 expressions.
`script` writes a run of that system event by event, for the stepper to execute.
"""
