"""Many games at once: the policies of the seats, the choice of backend, results and statistics.

Imports `position` and the rooms below it.
"""
