"""Clients of ``fenchel serve``, sync and async, by httpx (the extra ``client``).

A request that fails on its way is sent again; rows without an identifier get one first, so that none is
learned twice.

>>> from fenchel.client import Client
>>> with Client("http://127.0.0.1:8850", token="…") as client:  # doctest: +SKIP
...     client.create("spam", learner="auto")
...     client.learn("spam", {"free": 1.0, "money": 2.0}, "spam")
...     client.predict("spam", {"free": 1.0})["prediction"]
'spam'
"""

from fenchel.client.asynchronous import AsyncClient
from fenchel.client.errors import ServerRefused
from fenchel.client.synchronous import Client

__all__ = ["AsyncClient", "Client", "ServerRefused"]
