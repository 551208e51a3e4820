"""Checks an OpenAPI document: `check_openapi.py FILE "METHOD /path"...` (1 when it is wrong, 3 when it cannot check).

Samples come on standard input, one JSON object per line with `operation`, `status`, `request` and `response`; both
bodies are held against their schemas.

Of the document itself it demands that it is valid OpenAPI; that each operation has `x-callers` that agree with its
`security`; that each JSON body has examples, which their schemas accept; that each refusal names its codes by examples,
whose status is that of the response; that each code is used; that codes, roles and statuses are no closed lists; that
requests refuse unknown members; and that each component is used.
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


APP_ROLES = {"ACCESS", "CREATION", "AUTHORIZATION", "ADMINISTRATION"}
SCHEMES = {  # the security scheme that a kind of caller presents
    "anyone": None,
    "employee": "employee", "self": "employee", "admin": "employee", "securityAdmin": "employee",
    **{f"{kind}:{role}": "app" for kind in ("app", "unlinkedApp") for role in APP_ROLES},
}
# The fields of pages, and the parameters of RFC 6749, whose §3.1 has unknown ones ignored.
OPEN_REQUESTS = {
    "AuthorizationForm", "LogOutForm", "MPinSetupDoneRequest", "PageForm", "TokenForm", "TokenGrantForm",
    "UserInfoForm",
}
codes_in_use = set()


def caller_problems(name, operation):
    callers = operation.get("x-callers") or []
    if not callers:
        yield f"{name}: no x-callers"
        return
    unknown = [caller for caller in callers if caller not in SCHEMES]
    yield from (f"{name}: unknown caller {caller}" for caller in unknown)
    schemes = {SCHEMES[caller] for caller in callers if caller not in unknown}
    stated = {next(iter(requirement), None) for requirement in operation.get("security", [])}
    if schemes != stated:
        yield f"{name}: security names {sorted(map(str, stated))}, x-callers {sorted(map(str, schemes))}"


def examples_of(content):
    if "example" in content:
        return {"example": content["example"]}
    return {key: resolved(example)["value"] for key, example in content.get("examples", {}).items()}


def body_problems(name, contents):
    for media, content in contents.items():
        examples = examples_of(content)
        if media.endswith("json") and not examples:
            yield f"{name}: {media} without examples"
        for key, value in examples.items():
            yield from mismatches(f"example {key} of {name}", content, value)


def refusal_problems(name, status, response):
    content = response.get("content", {}).get("application/problem+json")
    if content is None:
        if "text/html" not in response.get("content", {}):
            yield f"{name}: a refusal without a problem document"
        return
    for key, value in examples_of(content).items():
        codes_in_use.add(value["code"])
        if key != value["code"]:
            yield f"{name}: example {key} has the code {value['code']}"
        if status != "default" and value["status"] != int(status):
            yield f"{name}: example {key} has the status {value['status']}"


def open_objects(schema, place):
    """The objects of a request that take unknown members."""
    schema = resolved(schema)
    for kind in ("oneOf", "anyOf", "allOf"):
        for part in schema.get(kind, []):
            if {"$ref", "properties"} & set(part):
                yield from open_objects(part, place)
    if "properties" in schema and schema.get("additionalProperties") is not False:
        yield place
    for member, value in schema.get("properties", {}).items():
        yield from open_objects(value, f"{place}/{member}")
    if "items" in schema:
        yield from open_objects(schema["items"], place)


def request_problems(name, operation):
    if "requestBody" not in operation:
        return
    contents = resolved(operation["requestBody"])["content"]
    yield from body_problems(f"the request of {name}", {m: c for m, c in contents.items() if m.endswith("json")})
    for status in ("413", "415"):
        if status not in operation["responses"]:
            yield f"{name}: a body, but no {status}"
    for content in contents.values():
        reference = content["schema"].get("$ref", "").removeprefix("#/components/schemas/")
        if reference not in OPEN_REQUESTS and content["schema"].get("maxProperties") != 0:
            yield from (f"{name}: unknown members are not refused at {place}" for place in
                        open_objects(content["schema"], reference))


def operation_problems(name, operation):
    yield from caller_problems(name, operation)
    yield from request_problems(name, operation)
    for status, response in operation["responses"].items():
        response = resolved(response)
        yield from body_problems(f"{status} of {name}", response.get("content", {}))
        if status == "default" or status[0] in "45":
            yield from refusal_problems(f"{status} of {name}", status, response)
            if status == "401" and "WWW-Authenticate" not in response.get("headers", {}):
                yield f"401 of {name}: no WWW-Authenticate"
        if status == "304" and "ETag" not in resolved(operation["responses"]["200"]).get("headers", {}):
            yield f"{name}: 304, but no ETag"


def bare_arrays(value, place):
    if isinstance(value, dict):
        if value.get("type") == "array" and not value.get("items"):
            yield f"an array without a type of its items at {place}"
        for name, member in value.items():
            yield from bare_arrays(member, f"{place}/{name}")


def references(value):
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "$ref" and isinstance(member, str):
                yield member
            yield from references(member)
    elif isinstance(value, list):
        for member in value:
            yield from references(member)


GROWING = {"code", "role", "roles", "state", "status"}


def closed_lists(value, place):
    """Codes, roles and statuses that a client generated today would not read tomorrow."""
    if isinstance(value, dict):
        for name, member in value.get("properties", {}).items():
            schema = resolved(member)
            if name in GROWING and "enum" in {**schema, **resolved(schema.get("items", {}))}:
                yield f"a closed list at {place}/{name}: name it once, with x-known-values"
        for name, member in value.items():
            yield from closed_lists(member, f"{place}/{name}")


def document_problems():
    for path, item in document["paths"].items():
        for method in METHODS & set(item):
            yield from operation_problems(f"{method.upper()} {path}", item[method])
    codes = set(document["components"]["schemas"]["Code"]["x-known-values"])
    yield from (f"{code} is no code of the list" for code in sorted(codes_in_use - codes))
    yield from (f"{code} is used by no operation" for code in sorted(codes - codes_in_use))
    yield from bare_arrays(document["components"]["schemas"], "")
    yield from closed_lists(document["components"]["schemas"], "")
    used = set(references(document))
    for kind, members in document["components"].items():
        if kind != "securitySchemes":
            yield from (f"unused: {kind}/{name}" for name in members if f"#/components/{kind}/{name}" not in used)


if not problems:
    problems += list(document_problems())

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
