"""Measurements, each a script: `python benchmarks/photos.py`."""
