"""Parts: NamedTuples of parameters and state, of which every learner is made."""
