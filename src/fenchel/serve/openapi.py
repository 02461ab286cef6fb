"""The OpenAPI document, generated from the types of the bodies."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import msgspec

from fenchel import _version
from fenchel.serve.messages import (
    Answer,
    Creation,
    Example,
    Fault,
    Many,
    ModelFacts,
    ModelList,
    Prediction,
    Question,
    WeightList,
)


class Examples(msgspec.Struct, forbid_unknown_fields=True):
    """A list of examples with their labels."""

    examples: list[Example]


class Questions(msgspec.Struct, forbid_unknown_fields=True):
    """A list of examples without labels."""

    examples: list[Question]


class Answers(msgspec.Struct, forbid_unknown_fields=True):
    """A list of labels of examples that were asked about."""

    examples: list[Answer]


class Status(msgspec.Struct):
    """How the server is."""

    status: str


class Operation(NamedTuple):
    """One thing that can be asked of the server."""

    method: str
    path: str
    summary: str
    role: str | None
    body: Any = None
    answer: Any = None
    refusals: tuple[int, ...] = ()
    status: int = 200


MODEL = "/models/{name}"
SIZE = (400, 408, 413, 422)
BUSY = (429, 503, 507)
VERB = (404, *SIZE)
OPERATIONS = (
    Operation("get", "/models", "List all models", "read", None, ModelList),
    Operation("get", MODEL, "Describe a model", "read", None, ModelFacts, (404,)),
    Operation("post", MODEL, "Make a model", "admin", Creation, ModelFacts, (409, 507, *SIZE), 201),
    Operation("delete", MODEL, "Delete a model", "admin", None, None, (404,), 204),
    Operation("get", MODEL + "/weights", "The largest weights by name", "read", None, WeightList, (404, 422)),
    Operation("get", MODEL + "/file", "The model as a file", "read", None, bytes, (404, 507)),
    Operation("put", MODEL + "/file", "Serve the model of a file", "admin", bytes, ModelFacts,
              (408, 409, 413, 422, 507)),
    Operation("post", MODEL + "/predict", "Predict; nothing changes", "read",
              Question | Questions, Prediction | Many, VERB),
    Operation("post", MODEL + "/learn", "Learn; answers with the prediction made before", "learn",
              Example | Examples, Prediction | Many, (409, *VERB, *BUSY)),
    Operation("post", MODEL + "/ask", "Predict, and keep the features until the label comes", "learn",
              Question | Questions, Prediction | Many, (409, *VERB, *BUSY)),
    Operation("post", MODEL + "/answer", "The label of a question; it is learned now", "learn",
              Answer | Answers, Prediction | Many, (409, *VERB, *BUSY)),
    Operation("get", "/metrics", "Figures for Prometheus", "read", None, str),
    Operation("get", "/healthz", "Whether the process lives", None, None, Status),
    Operation("get", "/readyz", "Whether requests are taken", None, None, Status, (503,)),
)  # fmt: skip
STREAMED = ("predict", "learn", "ask", "answer")
TEXTS = {400: "The body cannot be read", 401: "No token, or a wrong one", 403: "Not allowed",
         404: "Not found", 408: "Too slow", 409: "In conflict with what is there",
         413: "Too large", 422: "Understood, but refused", 429: "Too much waits: try again",
         503: "Not now", 507: "No room"}  # fmt: skip


@cache
def document() -> dict[str, Any]:
    """Make the document."""
    named = (Question, Questions, Example, Examples, Answer, Answers, Creation, Prediction, Many,
             Fault, ModelFacts, ModelList, WeightList, Status)  # fmt: skip
    _, components = msgspec.json.schema_components(
        named, ref_template="#/components/schemas/{name}"
    )
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _told(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "fenchel serve", "version": _version.__version__},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _told(operation: Operation) -> dict[str, Any]:
    told: dict[str, Any] = {"summary": operation.summary, "responses": _responses(operation)}
    told["parameters"] = _parameters(operation.path)
    if operation.body is not None:
        content = _content(operation.body)
        if operation.path.rpartition("/")[2] in STREAMED:
            content["application/x-ndjson"] = {"schema": {"type": "string"}}
        told["requestBody"] = {"required": operation.body is not Creation, "content": content}
    if operation.role is not None:
        told["security"] = [{}, {"token": []}]
        told["description"] = f"Needs the role {operation.role} where tokens are used."
    return told


def _responses(operation: Operation) -> dict[str, Any]:
    done: dict[str, Any] = {"description": "Done"}
    if operation.answer is not None:
        done["content"] = _content(operation.answer)
        if operation.path.rpartition("/")[2] in STREAMED:
            done["content"]["application/x-ndjson"] = {"schema": {"type": "string"}}
    statuses = (*operation.refusals, *((401, 403) if operation.role else ()))
    fault = Status if operation.path == "/readyz" else Fault
    refused = {str(s): {"description": TEXTS[s], "content": _content(fault)} for s in statuses}
    return {str(operation.status): done, **dict(sorted(refused.items()))}


def _content(kind: Any) -> dict[str, Any]:
    if kind is bytes:
        binary = {"type": "string", "format": "binary"}
        return {"application/octet-stream": {"schema": binary}}
    if kind is str:
        return {"text/plain": {"schema": {"type": "string"}}}
    kinds = getattr(kind, "__args__", (kind,))
    refs = [{"$ref": f"#/components/schemas/{one.__name__}"} for one in kinds]
    return {"application/json": {"schema": refs[0] if len(refs) == 1 else {"anyOf": refs}}}


def _parameters(path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if "{name}" in path:
        shape = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}
        found.append({"name": "name", "in": "path", "required": True, "schema": shape})
    if path.endswith("/weights"):
        count = {"type": "integer", "minimum": 0, "maximum": 100000, "default": 100}
        found.append({"name": "top", "in": "query", "required": False, "schema": count})
    return found
