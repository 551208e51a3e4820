import Canonical
import Testing

@Suite(.onServer)
struct `Two instances of the service` {
    @Test func `serve one flow, one session and one idempotency key together`() async throws {
        try await inTurn { world in
            let first = try world.client
            try await world.withSecondInstance { url in
                let second = try Client(url, world.app)
                let person = Person("f", at: "instances.example")
                let device = Device()
                let flow = try await Flow.register(person, device, first)
                let asked = try await flow.at(second).prove(device)
                expectOutcome(asked, "setCredentials")
                let reply = try await flow.complete(person, asked, key: "both")
                let again = try await flow.at(second).complete(person, asked, key: "both")
                #expect(again.body == reply.body)
                let member = try Member(person, device, reply)
                #expect(try await second.get("/v1/sessions", by: member.session).status == 200)
                let closed = try await second.send(
                    second.request("DELETE", "/v1/sessions/current", by: member.session))
                #expect(closed.status == 204)
                try expectProblem(try await first.get("/v1/sessions", by: member.session), "session.invalid")
                let read = try await second.get(second.path("instances.example"), at: member.position)
                #expect(read.status == 200 && read["employees"]?.number == 1)
            }
        }
    }
}
