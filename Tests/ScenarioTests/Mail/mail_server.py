"""A mail server for tests: refuses, stalls and cuts as the recipient's name says. Writes one JSON line for each event."""
import asyncio
import json
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult


def tell(**event):
    print(json.dumps(event), flush=True)


class Handler:
    async def handle_MAIL(self, server, session, envelope, address, options):
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        name = address.split("@")[0]
        if name.startswith("refused"):
            return "550 5.1.1 no such mailbox"
        if name.startswith("later"):
            return "451 4.3.0 try again later"
        if name.startswith("stall"):
            await asyncio.sleep(60)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        recipient = envelope.rcpt_tos[0]
        tell(
            event="mail", sender=envelope.mail_from, recipients=envelope.rcpt_tos,
            encrypted=session.ssl is not None, authenticated=bool(session.authenticated),
            content=envelope.content.decode("utf-8", "replace"))
        if recipient.startswith("cut"):
            server.transport.abort()
            return "250 lost"
        if recipient.startswith("toolarge"):
            return "552 5.3.4 too large"
        return "250 queued"


def authenticate(server, session, envelope, mechanism, data):
    # With `handled` aiosmtpd would leave the reply to this function.
    return AuthResult(success=data.login == b"tenure" and data.password == b"secret", handled=False)


async def turn_away(greeting, port):
    """Greets everybody with a refusal, or with nothing."""
    async def serve(reader, writer):
        writer.write(greeting)
        await reader.read()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", port) as server:
        await server.serve_forever()


def main():
    mode, port = sys.argv[1], int(sys.argv[2])
    greetings = {"away": b"554 5.7.1 not you\r\n", "busy": b"421 4.3.2 too busy\r\n", "silent": b""}
    if mode in greetings:
        asyncio.run(turn_away(greetings[mode], port))
    arguments = {}
    if mode in ("starttls", "login"):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[3], sys.argv[4])
        arguments = {"tls_context": context, "require_starttls": True}
    if mode == "login":
        arguments |= {"auth_required": True, "authenticator": authenticate}
    controller = Controller(Handler(), hostname="127.0.0.1", port=port, **arguments)
    controller.start()
    tell(event="ready", port=controller.server.sockets[0].getsockname()[1])
    sys.stdin.read()
    controller.stop()


main()
