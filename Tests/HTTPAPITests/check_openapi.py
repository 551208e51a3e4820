"""Checks an OpenAPI document: `check_openapi.py FILE "METHOD /path"...` (1 when it is wrong, 3 when it cannot check).

Samples come on standard input, one JSON object per line with `operation`, `status`, `request` and `response`; both
bodies are held against their schemas.
"""
import json
import sys

try:
    import yaml
    from openapi_schema_validator import OAS31Validator
    from openapi_spec_validator import validate
except ImportError as error:
    print(error)
    sys.exit(3)

if sys.argv[1:] == ["--available"]:
    sys.exit(0)

METHODS = {"get", "put", "post", "patch", "delete", "head", "options", "trace"}
with open(sys.argv[1], encoding="utf-8") as file:
    document = yaml.safe_load(file)
problems = []
try:
    validate(document)
except Exception as error:  # the validator raises many kinds
    problems.append(str(error).splitlines()[0])

found = {
    f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item if method in METHODS
}
expected = set(sys.argv[2:])
problems += [f"documented and not served: {name}" for name in sorted(found - expected)]
problems += [f"served and not documented: {name}" for name in sorted(expected - found)]

identifiers = [item[m]["operationId"] for item in document["paths"].values() for m in item if m in METHODS]
problems += [f"operationId twice: {name}" for name in identifiers if identifiers.count(name) > 1]


def null_members(value, place):
    if isinstance(value, dict):
        for name, member in value.items():
            if member is None:
                yield f"null at {place}/{name}"
            yield from null_members(member, f"{place}/{name}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from null_members(member, f"{place}/{index}")


problems += list(null_members(document, ""))


def resolved(value):
    while "$ref" in value:
        node = document
        for name in value["$ref"].removeprefix("#/").split("/"):
            node = node[name]
        value = node
    return value


def mismatches(name, content, body):
    schema = {"allOf": [content["schema"]], "components": document["components"]}
    for error in OAS31Validator(schema).iter_errors(body):
        yield f"{name}: {error.message} at {error.json_path}"


for line in sys.stdin:
    sample = json.loads(line)
    method, path = sample["operation"].split(" ", 1)
    operation = document["paths"].get(path, {}).get(method.lower())
    if operation is None:
        continue  # reported above
    responses = operation["responses"]
    response = resolved(responses.get(str(sample["status"]), responses["default"]))
    if sample.get("response") is not None:
        media = "application/problem+json" if sample["status"] >= 400 else "application/json"
        problems += mismatches(f"response of {sample['operation']}", response["content"][media], sample["response"])
    if sample.get("request") is not None:
        content = resolved(operation["requestBody"])["content"]["application/json"]
        problems += mismatches(f"request of {sample['operation']}", content, sample["request"])
print("\n".join(problems))
sys.exit(1 if problems else 0)
