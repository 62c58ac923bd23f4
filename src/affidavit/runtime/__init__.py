"""Plan runs: what a profile lets a probe do, beside what was expected, and whether the evidence may be promoted."""
