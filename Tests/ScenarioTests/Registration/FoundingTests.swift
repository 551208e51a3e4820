import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 1: the first employee` {
    @Test func `registers with five questions and a passphrase and becomes the security admin`()
        async throws
    {
        let client = try sharedWorld().client
        let founder = Person("username@bayunsystems.com", at: "bayunsystems.com", email: "username@bayunsystems.com")
        let device = Device()
        let flow = try await Flow.register(founder, device, client)
        let asked = try await flow.prove(device)
        expectOutcome(asked, "setCredentials")
        #expect(asked["rules"]?["questions"]?.number == 5)
        #expect(asked["rules"]?["passphraseMinimumLength"]?.number == 8)

        let reply = try await flow.complete(founder, asked)
        let member = try Member(founder, device, reply)
        #expect(reply["employee"]?["companyName"]?.text == "bayunsystems.com")
        #expect(reply["employee"]?["companyEmployeeId"]?.text == "username@bayunsystems.com")
        #expect(reply["employee"]?["role"]?.text == "securityAdmin")
        #expect(reply["employee"]?["status"]?.text == "active")
        let position = try #require(reply["position"]?.number)
        #expect(reply.headers["tenure-position"] == String(position))

        let company = try await client.get(client.path("bayunsystems.com"), at: position)
        #expect(company.status == 200 && company["employees"]?.number == 1)
        let admin = try await client.get(client.path("bayunsystems.com", "/security-admin"), at: position)
        #expect(admin["employee"]?["companyEmployeeId"]?.text == "username@bayunsystems.com")
        #expect(admin["position"]?.number == 1)
        let employee = try await client.get(client.path(founder), by: member.session, at: position)
        let keys = employee["keys"]?.items ?? []
        #expect(keys.count == 1 && keys.first?["state"]?.text == "authorized")
        #expect(keys.first?["fingerprint"]?.text == device.fingerprint)
    }

    @Test func `starts the tenant's ledger with the event that proves the security admin`() async throws {
        let client = try sharedWorld().client
        let member = try await client.found("ledger.example")
        let events = try await client.events("ledger.example", by: member.session)
        #expect(events.map { $0["position"]?.number } == (1...Int64(events.count)).map { $0 })
        #expect(events.first?["type"]?.text == "EmployeeRegistered")
        #expect(events.first?["data"]?["companyName"]?.text == "ledger.example")
        let admin = try await client.get(client.path("ledger.example", "/security-admin"), at: 1)
        #expect(admin["eventId"] == events.first?["eventId"])
        #expect(admin["since"] == events.first?["time"])
    }
}

@Suite(.onServer, .sharedWorld)
struct `Scenario 2: the second employee` {
    @Test func `is no security admin, has a pending key, and logs in once authorized`() async throws {
        let client = try sharedWorld().client
        let company = "second.example"
        _ = try await client.found(company)
        let second = Person("second", at: company)
        let device = Device()
        let pending = try await client.register(second, device)
        expectOutcome(pending, "authorizationPending")
        #expect(pending["employeePublicKey"]?.text == device.publicKey)
        #expect(pending["fingerprint"]?.text == device.fingerprint)
        #expect(pending["session"] == nil)
        let position = try #require(pending["position"]?.number)

        let listed = try await client.get(client.path(company, "/authorizations?state=pending"), at: position)
        #expect(listed["items"]?.items.map { $0["key"]?["fingerprint"]?.text } == [device.fingerprint])
        let before = try await client.logIn(second, device)
        expectOutcome(before, "authorizationPending")

        let authorized = try await client.authorize(device, of: second)
        expectOutcome(authorized, "done")
        let success = try await client.logIn(second, device)
        expectOutcome(success, "success")
        #expect(success["employee"]?["role"]?.text == "employee")
        let admin = try await client.get(
            client.path(company, "/security-admin"), at: authorized["position"]?.number)
        #expect(admin["employee"]?["companyEmployeeId"]?.text == "founder")
    }

    @Test func `is authorized once, even if the request is repeated`() async throws {
        let client = try sharedWorld().client
        let company = "once.example"
        let founder = try await client.found(company)
        let second = Person("second", at: company)
        let device = Device()
        _ = try await client.register(second, device)
        for _ in 0..<3 { expectOutcome(try await client.authorize(device, of: second), "done") }
        let events = try await client.events(company, "type=EmployeeKeyAuthorized&employee=second", by: founder.session)
        #expect(events.count == 1)
        let again = try await client.authorize(device, of: second)
        #expect(again["position"] == nil, "nothing was appended")
    }
}

@Suite(.onServer)
struct `Scenario 13: a hundred first registrations at once` {
    @Test func `make one security admin, and every error is cured by a retry`() async throws {
        try await inTurn { world in
            let first = try world.client
            try await world.withSecondInstance { url in
                let second = try Client(url, world.app)
                let company = "stampede.example"
                let replies = try await concurrently(100) { number in
                    let client = number.isMultiple(of: 2) ? first : second
                    let person = Person("employee-\(number)", at: company)
                    let device = Device()
                    var reply = try await client.register(person, device)
                    for _ in 0..<5 where reply.status >= 400 {
                        #expect([409, 429, 503].contains(reply.status), "\(reply)")
                        reply = try await client.register(person, device)
                    }
                    return reply
                }
                let admins = replies.filter { $0["employee"]?["role"]?.text == "securityAdmin" }
                #expect(admins.count == 1)
                #expect(replies.filter { $0.outcome == "success" }.count == 1)
                #expect(replies.filter { $0.outcome == "authorizationPending" }.count == 99)

                let last = replies.compactMap { $0["position"]?.number }.max()
                let read = try await first.get(first.path(company), at: last)
                #expect(read["employees"]?.number == 100)
                let admin = try await second.get(second.path(company, "/security-admin"), at: last)
                #expect(admin["employee"] == admins.first?["employee"])
                #expect(admin["position"]?.number == 1)
                let events = try await first.events(company, "type=EmployeeRegistered")
                #expect(events.count == 100)
                #expect(events.filter { $0["data"]?["companyName"] != nil }.count == 1)
            }
        }
    }
}
