"""For each timing property, the proof that its condition is exact: two implications over the symbolic system.

Each function returns `Proof` records for every structure of the system (which limits exist, which modes are set), with
all numbers left open: where the condition holds the harm is unreachable (induction), and wherever it fails the
scripted run of the property is allowed and ends in the harm.

`registry.theorems()` lists them all, each with its property and a sentence; `latchcheck recheck` proves them again.
The timed system is taken in `followed` (where its client stands), `scripts` (runs, leg by leg) and `schedule`;
`paper` takes the source paper's sentence apart.
"""
