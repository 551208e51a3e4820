#!/usr/bin/env python3
"""Registers somebody and logs them in, with a client that was generated from openapi.yaml and nothing else.

    register_and_log_in.py

`tenure_client`, the generated package, is on the path of modules. TENURE_URL, TENURE_APP_ID and TENURE_APP_SECRET name a
development service and its app, as `dev.env` does. The company and the person are new at each run. The status is 1 when
the service answers anything but what the contract says.
"""
import base64
import os
import secrets
import sys

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tenure_client import AuthenticatedClient, Client
from tenure_client import models
from tenure_client.api.companies import read_company
from tenure_client.api.flows import (
    list_questions, prove_login_key, prove_registration_key, set_credentials, start_login, start_registration,
    validate_login_answers, validate_login_passphrase)
from tenure_client.api.sessions import close_session, read_me


def b64(data):
    return base64.b64encode(data).decode()


class DeviceKey:
    """A device's key pair: P-256, signing the exact bytes of a challenge with SHA-256."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.public = b64(self.key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint))

    def proof(self, challenge):
        signature = self.key.sign(base64.b64decode(challenge, validate=True), ec.ECDSA(hashes.SHA256()))
        return models.KeyProofRequest(key_proof=b64(signature))


def expect(answer, kind, what):
    """The parsed answer, if it has the type that the contract names for success."""
    if isinstance(answer.parsed, kind):
        print(f"{what}: {answer.status_code} {kind.__name__}")
        return answer.parsed
    code = getattr(answer.parsed, "code", None)
    sys.exit(f"{what}: {answer.status_code} {type(answer.parsed).__name__} {code or ''}, expected {kind.__name__}")


def words():
    return " ".join(secrets.token_hex(4) for _ in range(3))


def register(app, url, company, person, device, questions):
    """Founds a company: its first employee has an authorized key and a session at once."""
    started = expect(start_registration.sync_detailed(client=app, body=models.RegistrationRequest(
        company_name=company, company_employee_id=person, email=f"{person}@{company}",
        employee_public_key=device.public)), models.FlowStarted, "start of the registration")
    asked = expect(prove_registration_key.sync_detailed(started.flow, client=app, body=device.proof(started.challenge)),
                   models.SetCredentials, "proof of the device key")
    answers = {question.number: words() for question in questions[:asked.rules.questions]}
    passphrase = words()
    chosen = [models.ListedQuestion(number=number, answer=answer)
              for number, answer in answers.items()]
    success = expect(set_credentials.sync_detailed(started.flow, client=app, body=models.CredentialsRequest(
        security_questions=chosen, passphrase=passphrase)), models.Success, "credentials")
    if success.employee.role != "securityAdmin":
        sys.exit(f"the founder has the role {success.employee.role}")
    return answers, passphrase


def log_in(app, company, person, device, answers, passphrase):
    started = expect(start_login.sync_detailed(client=app, body=models.LoginRequest(
        company_name=company, company_employee_id=person, employee_public_key=device.public)),
        models.FlowStarted, "start of the login")
    reply = prove_login_key.sync_detailed(started.flow, client=app, body=device.proof(started.challenge))
    if isinstance(reply.parsed, models.ValidateAnswers):
        asked = expect(reply, models.ValidateAnswers, "proof of the device key")
        items = [models.AnswersRequestAnswersItem(question_id=question.question_id, answer=answers[question.number])
                 for question in asked.questions]
        reply = validate_login_answers.sync_detailed(started.flow, client=app, body=models.AnswersRequest(answers=items))
        return expect(reply, models.Success, "answers").session
    expect(reply, models.ValidatePassphrase, "proof of the device key")
    reply = validate_login_passphrase.sync_detailed(
        started.flow, client=app, body=models.PassphraseRequest(passphrase=passphrase))
    return expect(reply, models.Success, "passphrase").session


def main():
    url = os.environ["TENURE_URL"].rstrip("/")
    credentials = f"{os.environ['TENURE_APP_ID']}:{os.environ['TENURE_APP_SECRET']}"
    app = AuthenticatedClient(base_url=url, token=b64(credentials.encode()), prefix="Basic", timeout=60)
    company, person, device = f"generated-{secrets.token_hex(4)}.example", "ada", DeviceKey()

    questions = expect(list_questions.sync_detailed(client=Client(base_url=url)), models.QuestionList, "questions").items
    answers, passphrase = register(app, url, company, person, device, questions)
    session = log_in(app, company, person, device, answers, passphrase)

    employee = AuthenticatedClient(base_url=url, token=session.access_token, timeout=60)
    me = expect(read_me.sync_detailed(client=employee), models.Me, "me")
    if (me.company_name, me.company_employee_id) != (company, person):
        sys.exit(f"the session belongs to {me.company_employee_id} of {me.company_name}")
    expect(read_company.sync_detailed(company, client=employee), models.Company, "the company")
    if close_session.sync_detailed(client=employee).status_code != 204:
        sys.exit("the session does not end")
    refused = expect(read_me.sync_detailed(client=employee), models.Problem, "me, after the end of the session")
    if refused.code != "session.invalid":
        sys.exit(f"refused with {refused.code}")
    print(f"registered and logged in {person} of {company} with the generated client")


main()
