"""Threads that read and children that are forked while another thread learns."""

import random

from attack import races


def test_readers_and_children_see_a_whole_state(tmp_path, record_property):
    for what, count in races.campaign(random.Random(4), tmp_path, 4).items():
        record_property(what, count)
