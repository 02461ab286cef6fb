"""A folder of models served over HTTP and a line protocol, with a log that loses nothing.

A guest of the house: it uses learners, their schema and their files, and adds no mathematics. Needs the
extra ``serve``.
"""
