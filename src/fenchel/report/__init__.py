"""Pictures and pages: the claims of the paper measured, and a comparison to show."""
