"""Several targets by learners of one: classes, labels, outputs."""
