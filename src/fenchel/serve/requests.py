"""predict, learn, ask and answer over HTTP: one example, a list, or a stream of lines.

These requests come by the thousand each second: they are served on ASGI itself, without a framework.
"""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import msgspec

from fenchel.serve import log
from fenchel.serve.exchange import read_body, respond
from fenchel.serve.gate import LEARN, READ
from fenchel.serve.house import House
from fenchel.serve.messages import Answer, Example, Fault, Many, Prediction, Question, encode
from fenchel.serve.model import ServedModel
from fenchel.serve.refusals import Refused, in_one_line
from fenchel.serve.scraping import ServerMetrics

PREDICT = 0
VERBS = {"predict": PREDICT, "learn": log.LEARN, "ask": log.ASK, "answer": log.ANSWER}
ROLE = {"predict": READ, "learn": LEARN, "ask": LEARN, "answer": LEARN}


class RawList(msgspec.Struct, forbid_unknown_fields=True):
    """A list of examples, each still as JSON."""

    examples: list[msgspec.Raw]


RAW_LIST = msgspec.json.Decoder(RawList)
DECODERS: dict[str, Any] = {
    "predict": msgspec.json.Decoder(Question),
    "learn": msgspec.json.Decoder(Example),
    "ask": msgspec.json.Decoder(Question),
    "answer": msgspec.json.Decoder(Answer),
}


class Verbs:
    """Answers the requests of all models."""

    def __init__(self, house: House, metrics: ServerMetrics) -> None:
        self.house, self._metrics = house, metrics
        self._limits = house.settings.limits

    async def serve(self, receive: Any, send: Any, name: str, verb: str) -> None:
        """Serve one request whose body is one JSON document."""
        body = await read_body(receive, self._limits)
        examples, payload, many = self.decode(verb, body)
        results = await self.results(self.house.get(name), verb, examples, payload)
        await respond(send, *_told(results, many))

    def decode(self, verb: str, body: bytes) -> tuple[list[Any], bytes, bool]:
        """The examples of a body, the same as lines for the log, and whether it was a list."""
        decoder = DECODERS[verb]
        try:
            example = decoder.decode(body)
        except (ValueError, RecursionError) as error:
            return self._decode_list(decoder, body, error)
        self.check(example)
        return [example], body if b"\n" not in body else body.replace(b"\n", b" "), False

    def _decode_list(
        self, decoder: Any, body: bytes, error: Exception
    ) -> tuple[list[Any], bytes, bool]:
        try:
            raw = RAW_LIST.decode(body).examples
        except (ValueError, RecursionError):
            raise _wrong_body(error) from None
        try:
            examples = [decoder.decode(one) for one in raw]
        except (ValueError, RecursionError) as inner:
            raise _wrong_body(inner) from None
        for example in examples:
            self.check(example)
        return examples, b"\n".join(bytes(one).replace(b"\n", b" ") for one in raw), True

    def check(self, example: Any) -> None:
        """Refuse an example that is too large."""
        if not isinstance(example, Answer) and len(example.x) > self._limits.features:
            most = self._limits.features
            raise Refused(413, f"the example has {len(example.x)} features, {most} are the most")

    def begin(
        self, model: ServedModel, verb: str, examples: list[Any], payload: bytes
    ) -> asyncio.Future[list[Any]]:
        """Take up examples in their turn; a result for each is to come, once what is learned is on disk."""
        self.count(model, verb, len(examples))
        if verb == "predict" or not examples:
            done: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
            done.set_result(list(model.predict_many(examples)))
            return done
        if verb == "ask":
            examples, payload = named(examples, payload)
            if model.state.memory.full:
                raise Refused(429, "too many questions are open: send answers, or wait")
        return model.writer.submit(VERBS[verb], payload, len(examples), examples)

    async def results(
        self, model: ServedModel, verb: str, examples: list[Any], payload: bytes
    ) -> list[Any]:
        """One prediction or refusal for each example; what is learned is on disk then."""
        if verb == "predict" and len(examples) == 1:
            self.count(model, verb, 1)
            return [await model.predict_soon(examples[0])]
        return await self.begin(model, verb, examples, payload)

    def count(self, model: ServedModel, verb: str, rows: int) -> None:
        """Count rows for the metrics."""
        self._metrics.rows[model.name, verb] += rows


def named(questions: list[Question], payload: bytes) -> tuple[list[Question], bytes]:
    """Questions that all have an identifier, and the same as lines for the log."""
    if all(question.id is not None for question in questions):
        return questions, payload
    for question in questions:
        question.id = question.id or uuid.uuid4().hex
    return questions, b"\n".join([encode(question) for question in questions])


def as_message(result: Any) -> Prediction | Fault:
    """A result as it is sent."""
    return Fault(result.error) if isinstance(result, Refused) else result


def _told(results: list[Any], many: bool) -> tuple[int, bytes]:
    if many:
        return 200, encode(Many([as_message(result) for result in results]))
    (result,) = results
    if isinstance(
        result, Refused
    ):  # another one: it would hold its own frame, and that would hold it
        raise Refused(result.status, result.error)
    return 200, encode(result)


def _wrong_body(error: Exception) -> Refused:
    status = 422 if isinstance(error, msgspec.ValidationError) else 400
    return Refused(status, f"the body cannot be read: {in_one_line(error)}")
