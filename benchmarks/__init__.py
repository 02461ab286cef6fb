"""Benchmarks of quality and speed on public data, beside the peers."""
