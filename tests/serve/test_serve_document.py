"""The OpenAPI document holds: whatever schemathesis sends by it, nothing fails and answers fit."""

import schemathesis
from hypothesis import HealthCheck, Phase, settings

from fenchel.serve.openapi import document

TRIED = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
schema = schemathesis.openapi.from_dict(document())


@schema.parametrize()
@TRIED
def test_the_document_holds(server, case):
    case.call_and_validate(base_url=server.url, timeout=60)
