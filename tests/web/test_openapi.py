"""The interface against its own description: whatever is sent, the answer is one that was announced."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.web.small_uploads import Client

from abclust.web.application import build_application
from abclust.web.config import WebConfig

CHECKS: list[CheckFunction] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


SCHEMA = schemathesis.openapi.from_dict(build_application(WebConfig()).openapi())
OPERATIONS = {each.ok().label: each.ok() for each in SCHEMA.get_all_operations()}


@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisDeprecationWarning")  # schemathesis's own
@pytest.mark.parametrize("name", list(OPERATIONS))
@settings(max_examples=9, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_request_gets_an_answer_that_was_announced(
    server: Client, name: str, data: st.DataObject
) -> None:
    mode = data.draw(st.sampled_from(GenerationMode))  # what the description allows, and what it does not
    case = data.draw(OPERATIONS[name].as_strategy(generation_mode=mode))
    response = case.call(base_url=server.address, timeout=300)
    case.validate_response(response, checks=CHECKS)
    assert response.headers["x-content-type-options"] == ["nosniff"]


def test_the_description_names_what_others_rely_on(server: Client) -> None:
    told = server.get("/openapi.json").json()
    assert {"/api/cluster", "/api/models", "/health", "/api/jobs", "/api/circles"} <= set(told["paths"])
    form = told["paths"]["/api/cluster"]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert form["required"] == ["files"]
    assert {"files", "model", "n_clusters"} <= set(form["properties"])
    for path, methods in told["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (method, path)
            errors = {status: each for status, each in operation["responses"].items() if status >= "400"}
            for each in errors.values():
                reference = each["content"]["application/json"]["schema"]["$ref"]
                assert reference == "#/components/schemas/Error"


def test_models_and_health_are_told(server: Client) -> None:
    models = {each["name"]: each for each in server.get("/api/models").json()["models"]}
    kinds = {name: models[name]["kind"] for name in ("omniglot", "circles", "vectors")}
    assert kinds == {"omniglot": "images", "circles": "points", "vectors": "vectors"}
    assert all(len(each["sha256"]) == 64 and each["bytes"] > 0 for each in models.values())
    assert server.get("/health").json()["status"] == "ok"
