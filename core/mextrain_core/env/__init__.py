"""Environments for learners: many rounds or matches that wait for actions from outside, stepped by one kernel call.

`envs` has the structs, `step` plays, `views` writes what the seat to decide sees, `rows` its legal actions with their
`features`, `evidence` what others have shown, `rewards` what a round is worth. `net` is a small net that scores rows.
Imports `bulk` and the rooms below it.
"""
