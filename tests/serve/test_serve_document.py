"""The OpenAPI document holds: whatever schemathesis sends by it, nothing fails and answers fit."""

import httpx
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from fenchel.serve.openapi import document

TRIED = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
schema = schemathesis.openapi.from_dict(document())
# A body of the right shape may still be refused for what it says, a learner that does not exist; and a
# stream is answered with 200, each bad line of it by an error of its own.
LEFT_OUT = [positive_data_acceptance, negative_data_rejection]


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return value.encode(errors="replace") if isinstance(value, str) else b"{}\n"


@schema.parametrize()
@TRIED
def test_the_document_holds(server, case):
    if case.operation.path.count("/") == 3:  # a verb: of a model that there is
        httpx.post(f"{server.url}/models/there", json={"learner": "arow"}, timeout=60)
        case.path_parameters["name"] = "there"
    case.call_and_validate(base_url=server.url, timeout=60, excluded_checks=LEFT_OUT)
