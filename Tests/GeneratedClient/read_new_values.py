#!/usr/bin/env python3
"""Reads answers of a newer service, whose codes, roles and statuses the contract does not name yet.

    read_new_values.py

`tenure_client`, the generated package, is on the path of modules. The status is 1 when the client refuses a value.
"""
import sys

import httpx

from tenure_client import Client, models
from tenure_client.api.flows import start_login

PROBLEM = {
    "type": "/docs#employee.on_holiday", "title": "The employee is on holiday", "status": 409,
    "detail": "Come back later.", "instance": "urn:tenure:request:r", "code": "employee.on_holiday", "requestId": "r",
}
ACCOUNT = {
    "employeeId": "9abe6879-91d6-463b-a1f3-e5685bfe93a1", "tenantId": "46c75121-647d-4061-a333-a177b02860c7",
    "companyName": "acme.example", "companyEmployeeId": "ada", "status": "on_holiday", "role": "auditor",
}


def main():
    client = Client(base_url="https://id.example")
    answer = start_login._build_response(client=client, response=httpx.Response(409, json=PROBLEM)).parsed
    if not isinstance(answer, models.Problem) or answer.code != PROBLEM["code"]:
        sys.exit(f"an unknown code is read as {answer}")
    account = models.EmployeeSummary.from_dict(ACCOUNT)
    if (account.status, account.role) != (ACCOUNT["status"], ACCOUNT["role"]):
        sys.exit(f"an unknown status and role are read as {account}")
    print("read a problem with an unknown code, and an account with an unknown status and role")


main()
