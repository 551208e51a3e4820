import Canonical
import Foundation
import Postgres
import Testing

/// Which budget an attempt is charged to follows from the events of that one key.
@Suite(.onServer, .sharedWorld)
struct `A device` {
    /// The devices that the attempts of a flow with this key were charged as, the first one first.
    private func charged(_ device: Device, in world: TenureWorld? = nil) async throws -> [String] {
        let fingerprint = device.fingerprint
        return try await (world ?? sharedWorld()).superuser { connection in
            try await connection.query(
                """
                SELECT convert_from(entry, 'UTF8')::jsonb #>> '{data,device}' FROM tenure.event
                WHERE type = 'AttemptCharged' AND position(\(fingerprint) IN convert_from(entry, 'UTF8')) > 0
                ORDER BY time
                """
            ).map { try $0.decode(String.self) }
        }
    }

    @Test func `is unknown until its key is authorized, and again after it was revoked`() async throws {
        let client = try sharedWorld().client, company = "device-known.example"
        let founder = try await client.foundBlind(company)
        let phone = Device(), tablet = Device()
        for device in [phone, tablet] {
            expectOutcome(try await client.logInBlind(founder.person, device), "authorizationPending")
        }
        expectOutcome(try await client.authorize(phone, of: founder.person), "done")
        for device in [phone, tablet, founder.device] { _ = try await client.logInBlind(founder.person, device) }
        // Another device's key says nothing about this one.
        #expect(try await charged(phone) == ["unknown", "known"])
        #expect(try await charged(tablet) == ["unknown", "unknown"])
        #expect(try await charged(founder.device) == ["known"])
        let path = client.path(founder.person, "/keys/\(phone.fingerprint)/revocation")
        expectOutcome(try await client.post(path, ["reason": "lost"]), "done")
        _ = try await client.logInBlind(founder.person, phone)
        _ = try await client.logIn(founder.person, founder.device)
        #expect(try await charged(phone) == ["unknown", "known", "unknown"])
        #expect(try await charged(founder.device) == ["known", "known"])
    }

    @Test func `of somebody else in the company is unknown, and so are all after an erasure`() async throws {
        let client = try sharedWorld().client, company = "device-other.example"
        let founder = try await client.foundBlind(company)
        let second = Person("second", at: company), device = Device()
        expectOutcome(try await client.registerBlind(second, device), "authorizationPending")
        expectOutcome(try await client.authorize(device, of: second), "done")
        _ = try await client.logInBlind(second, device)
        _ = try await client.logInBlind(founder.person, device)
        #expect(try await charged(device) == ["known", "unknown"])
        _ = try await sharedWorld().erase(second)
        let flow = try await BlindFlow.start(.logins, second, device, client)
        _ = try? await flow.complete(second)
        #expect(try await charged(device).filter { $0 == "known" }.count == 1)
    }

    @Test func `whose person was cancelled stays known, and one whose e-mail was reclaimed does not`() async throws {
        let world = try sharedWorld(), client = try world.client, company = "device-reclaimed.example"
        let admin = try await client.found(company)
        try await world.confirmDomain(of: company)
        var person = Person("owner", at: company, email: "owner@\(company)")
        person.isCompanyOwnedEmail = true
        let owner = try await client.join(person)
        let before = try await charged(owner.device)
        expectOutcome(try await client.post(client.path(person, "/cancellation"), by: admin.session), "done")
        try expectProblem(try await client.logIn(person, owner.device), "employee.inactive")
        #expect(try await charged(owner.device) == before + ["known"])
        let body: JSONValue = ["email": .string(person.email), "reason": "has left us"]
        expectOutcome(
            try await client.post(client.path(company, "/reclaimed-emails"), body, by: admin.session), "done")
        try expectProblem(try await client.logIn(person, owner.device), "employee.inactive")
        #expect(try await charged(owner.device) == before + ["known", "unknown"])
    }

    @Test func `whose claim is missing counts as unknown until it has logged in once more`() async throws {
        let world = try sharedWorld(), client = try world.client
        let founder = try await client.foundBlind("device-forgotten.example")
        expectOutcome(try await client.logInBlind(founder.person, founder.device), "success")
        try await world.superuser { connection in
            // The company has one device.
            let gone = try await connection.query(
                """
                DELETE FROM tenure.claim WHERE kind = 'device' AND ledger_id = (
                    SELECT ledger_id FROM tenure.event WHERE type = 'EmployeeKeyPresented'
                        AND position(\(Base64URL.encode(founder.device.point)) IN convert_from(entry, 'UTF8')) > 0)
                RETURNING 1
                """)
            #expect(gone.count == 1)
        }
        for _ in 0..<2 { expectOutcome(try await client.logInBlind(founder.person, founder.device), "success") }
        #expect(try await charged(founder.device) == ["known", "unknown", "known"])
    }

    @Test func `whose key waited too long is presented again, let in, and known`() async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.foundBlind("device-again.example"), phone = Device()
            expectOutcome(try await client.logInBlind(founder.person, phone), "authorizationPending")
            try await world.superuser { connection in
                let older = try await connection.query(
                    """
                    UPDATE tenure.event SET entry = convert_to(regexp_replace(
                        convert_from(entry, 'UTF8'), '"time":"20[0-9]{2}', '"time":"2001'), 'UTF8')
                    WHERE type = 'EmployeeKeyPresented'
                        AND position(\(Base64URL.encode(phone.point)) IN convert_from(entry, 'UTF8')) > 0 RETURNING 1
                    """)
                #expect(older.count == 1)
            }
            expectOutcome(try await client.logInBlind(founder.person, phone), "authorizationPending")
            #expect(try await world.count("EmployeeKeyPresented") == 3)
            expectOutcome(try await client.authorize(phone, of: founder.person), "done")
            expectOutcome(try await client.logInBlind(founder.person, phone), "success")
            #expect(try await charged(phone, in: world) == ["unknown", "unknown", "known"])
        }
    }
}
