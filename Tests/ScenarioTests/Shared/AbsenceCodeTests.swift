import Canonical
import Foundation
import Testing

@Suite(.onServer, .sharedWorld)
struct `Codes of status 404` {
    @Test func `are returned for an unknown company, employee or key`() async throws {
        let client = try sharedWorld().client
        let company = "exists.example"
        let founder = try await client.found(company)
        let nobody = Person("nobody", at: company)
        try expectProblem(try await client.get(client.path("no-such.example")), "company.unknown")
        for caller in [.app(client.app), founder.session] as [Caller] {
            try expectProblem(try await client.get(client.path(nobody), by: caller), "employee.unknown")
            for device in [Device(), founder.device] {
                try expectProblem(try await client.authorize(device, of: nobody, by: caller), "employee.unknown")
            }
            try expectProblem(
                try await client.authorize(Device(), of: founder.person, by: caller), "authorization.unknown_key")
        }
        try expectProblem(
            try await client.signed(by: founder, "POST", client.path(nobody, "/cancellation")), "employee.unknown")
        for fingerprint in ["zz", "ABC", String(repeating: "0", count: 64)] {
            let path = client.path(founder.person, "/keys/\(fingerprint)/authorization")
            let reply = try await client.post(path)
            #expect(["authorization.unknown_key", "request.invalid"].contains(reply.code), "\(reply)")
        }
    }

    @Test func `are returned to an app until it is linked`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "linked.example"
        let founder = try await client.found(company)
        let other = client.by(try await world.makeApp(name: "stranger"))
        for rest in [
            "", "/employees", "/employees/founder", "/security-admin", "/authorizations", "/events",
        ] {
            let reply = try await other.get(client.path(company, rest))
            #expect(reply.status == 404, "\(rest): \(reply)")
            let absent = try await other.get(client.path("nowhere.example", rest))
            #expect(reply.code == absent.code && absent.status == 404, "\(rest): \(reply) and \(absent)")
        }
        let device = Device()
        let pending = try await client.logIn(founder.person, device)
        expectOutcome(pending, "authorizationPending")
        #expect(try await other.authorize(device, of: founder.person).status == 404)
        try await world.linkApp(other.app, to: company)
        #expect(try await other.get(client.path(company)).status == 200)
        expectOutcome(try await other.logIn(founder.person, founder.device), "success")
    }

    @Test func `are returned to an unlinked app that registers an employee or logs one in`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "closed.example"
        let founder = try await client.found(company)
        let other = client.by(try await world.makeApp(name: "closed out"))
        // A login is answered by a decoy, which may ask for either kind of credential; a registration is refused.
        let login = try await other.logIn(founder.person, founder.device)
        #expect(["passphrase.incorrect", "answers.incorrect"].contains(login.code), "\(login)")
        let person = Person("intruder", at: company)
        try expectProblem(
            try await other.post("/v1/registrations", person.registration(Device())), "app.not_linked")
        #expect(try await client.events(company, "type=EmployeeRegistered", by: founder.session).count == 1)
    }

    @Test(arguments: Flow.Kind.allCases)
    func `are the same for an unlinked app about existing and unknown companies`(
        kind: Flow.Kind
    ) async throws {
        let world = try sharedWorld()
        let company = "hidden-\(kind.rawValue).example"
        let founder = try await world.client.found(company)
        let other = try world.client.by(try await world.makeApp(name: company))
        guard kind == .logins else {
            // Registering in a company that does not exist founds it, so here the two must differ.
            let body = Person("intruder", at: company).registration(Device())
            return try expectProblem(try await other.post("/v1/registrations", body), "app.not_linked")
        }
        var replies: [HTTPReply] = []
        for name in [company, "never.example"] {
            var person = founder.person
            person.company = name
            let request = other.request("POST", "/v1/logins", person.login(founder.device))
            replies.append(try await other.send(request.with("X-Request-Id", "same")))
        }
        #expect(replies[0].status == replies[1].status, "\(replies)")
        #expect(replies[0].code == replies[1].code, "\(replies)")
    }

    @Test func `are the same for another tenant's admin as for unknown objects`() async throws {
        let client = try sharedWorld().client
        let mine = try await client.found("mine.example")
        let theirs = try await client.found("theirs.example")
        let pending = Device()
        _ = try await client.logIn(theirs.person, pending)
        let key = "/employees/founder/keys/\(pending.fingerprint)"
        let requests: [(String, String, JSONValue?)] = [
            ("GET", "", nil), ("GET", "/employees", nil), ("GET", "/employees/founder", nil),
            ("GET", "/security-admin", nil), ("GET", "/authorizations", nil), ("GET", "/events", nil),
            ("GET", "/policy", nil), ("POST", key + "/authorization", nil),
            ("POST", key + "/refusal", ["reason": "r"]), ("POST", key + "/revocation", ["reason": "r"]),
            ("POST", "/employees/founder/cancellation", nil), ("POST", "/employees/founder/approval", nil),
            ("POST", "/reclaimed-emails", ["email": "a@theirs.example", "reason": "r"]),
            ("PATCH", "/policy", ["approval": "admin"]), ("PUT", "/apps/\(client.app.appId)", nil),
            ("DELETE", "/apps/\(client.app.appId)", nil),
        ]
        for (method, rest, body) in requests {
            var replies: [HTTPReply] = []
            for company in ["theirs.example", "never.example"] {
                let request = client.request(method, client.path(company, rest), body, by: mine.session)
                replies.append(try await client.send(request.with("X-Request-Id", "same")))
            }
            #expect(replies.allSatisfy { $0.status == 404 }, "\(method) \(rest): \(replies)")
            #expect(replies[0].body == replies[1].body, "\(method) \(rest)")
        }
        expectOutcome(try await client.logIn(theirs.person, theirs.device), "success")
    }

    @Test func `are returned for an unknown route`() async throws {
        let client = try sharedWorld().client
        for path in ["/", "/v1", "/v2/logins", "/v1/logins/x/y/z", "/v1/company"] {
            try expectProblem(try await client.get(path), "route.unknown")
        }
        let reply = try await client.get("/v1/logins")
        try expectProblem(reply, "route.method_not_allowed")
        #expect(reply.headers["allow"] == "POST")
    }
}
