"""Online learning with linear models: mirror descent with time-varying regularizers."""
