import Canonical
import Foundation
import Postgres
import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 6: a new device` {
    @Test func `proves its key, is authorized and logs in, while the known one continues`() async throws {
        let client = try sharedWorld().client
        _ = try await client.found("devices.example")
        let member = try await client.join(Person("mobile", at: "devices.example"))
        let tablet = Device()
        let flow = try await Flow.logIn(member.person, tablet, client)
        let asked = try await flow.prove(tablet)
        expectOutcome(asked, "validatePassphrase")
        let pending = try await flow.complete(member.person, asked)
        expectOutcome(pending, "authorizationPending")
        #expect(pending["fingerprint"]?.text == tablet.fingerprint)
        #expect(pending["session"] == nil)

        expectOutcome(try await client.logIn(member.person, member.device), "success")
        expectOutcome(try await client.logIn(member.person, tablet), "authorizationPending")
        expectOutcome(try await client.authorize(tablet, of: member.person), "done")
        expectOutcome(try await client.logIn(member.person, tablet), "success")
        expectOutcome(try await client.logIn(member.person, member.device), "success")
    }

    @Test func `is presented once, even if it logs in repeatedly while pending`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("waiting.example")
        let device = Device()
        for _ in 0..<3 { expectOutcome(try await client.logIn(founder.person, device), "authorizationPending") }
        let events = try await client.events("waiting.example", "type=EmployeeKeyPresented")
        #expect(events.count == 2, "the founder's first key and the new one")
    }

    @Test(arguments: Device.Form.allCases)
    func `may send its proof as DER or as 64 bytes`(form: Device.Form) async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("forms-\(form).example")
        let flow = try await Flow.logIn(founder.person, founder.device, client)
        let asked = try await flow.prove(founder.device, form)
        expectOutcome(try await flow.complete(founder.person, asked), "success")
    }
}

/// Which budget an attempt is charged to follows from the claim that is written with the events of that one key.
@Suite(.onServer, .sharedWorld)
struct `A device` {
    @Test func `is unknown until its key is authorized, and after its revocation`() async throws {
        let client = try sharedWorld().client, company = "device-known.example"
        let founder = try await client.foundBlind(company)
        let phone = Device(), tablet = Device()
        for device in [phone, tablet] {
            expectOutcome(try await client.logInBlind(founder.person, device), "authorizationPending")
        }
        expectOutcome(
            try await client.signed(
                by: founder, "POST", client.path(founder.person, "/keys/\(phone.fingerprint)/authorization")), "done")
        for device in [phone, tablet, founder.device] { _ = try await client.logInBlind(founder.person, device) }
        // Another device's key says nothing about this one.
        #expect(try await charged(phone) == ["unknown", "known"])
        #expect(try await charged(tablet) == ["unknown", "unknown"])
        #expect(try await charged(founder.device) == ["known"])
        let path = client.path(founder.person, "/keys/\(phone.fingerprint)/revocation")
        expectOutcome(try await client.signed(by: founder, "POST", path, ["reason": "lost"]), "done")
        _ = try await client.logInBlind(founder.person, phone)
        _ = try await client.logIn(founder.person, founder.device)
        #expect(try await charged(phone) == ["unknown", "known", "unknown"])
        #expect(try await charged(founder.device) == ["known", "known"])
    }

    @Test func `of a colleague is unknown, and so are all after an erasure`() async throws {
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

    @Test func `of a cancelled employee stays known, and one of a reclaimed e-mail does not`() async throws {
        let world = try sharedWorld(), client = try world.client, company = "device-reclaimed.example"
        let admin = try await client.found(company)
        try await world.confirmDomain(of: company)
        var person = Person("owner", at: company, email: "owner@\(company)")
        person.isCompanyOwnedEmail = true
        let owner = try await client.join(person)
        let before = try await charged(owner.device)
        expectOutcome(try await client.logIn(person, owner.device), "success")
        #expect(try await charged(owner.device) == before + ["known"])
        expectOutcome(try await client.signed(by: admin, "POST", client.path(person, "/cancellation")), "done")
        try expectProblem(try await client.logIn(person, owner.device), "employee.inactive")
        #expect(try await charged(owner.device) == before + ["known", "known"])
        let body: [String: JSONValue] = ["email": .string(person.email), "reason": "has left us"]
        expectOutcome(
            try await client.signed(by: admin, "POST", client.path(company, "/reclaimed-emails"), body), "done")
        try expectProblem(try await client.logIn(person, owner.device), "employee.inactive")
        #expect(try await charged(owner.device) == before + ["known", "known", "unknown"])
    }

    @Test func `without its claim counts as unknown until its next log-in`() async throws {
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
}

/// A device whose pending key has expired.
@Suite(.onOneServer)
struct `A device that waited too long` {
    @Test func `is presented again, authorized and known`() async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.foundBlind("device-again.example"), phone = Device()
            expectOutcome(try await client.logInBlind(founder.person, phone), "authorizationPending")
            let older = try await world.rewrite(
                """
                UPDATE tenure.event SET entry = convert_to(regexp_replace(
                    convert_from(entry, 'UTF8'), '"time":"20[0-9]{2}', '"time":"2001'), 'UTF8')
                WHERE type = 'EmployeeKeyPresented'
                    AND position(\(Base64URL.encode(phone.point)) IN convert_from(entry, 'UTF8')) > 0
                """)
            #expect(older == 1)
            expectOutcome(try await client.logInBlind(founder.person, phone), "authorizationPending")
            #expect(try await world.count("EmployeeKeyPresented") == 3)
            expectOutcome(
                try await client.signed(
                    by: founder, "POST", client.path(founder.person, "/keys/\(phone.fingerprint)/authorization")),
                "done")
            expectOutcome(try await client.logInBlind(founder.person, phone), "success")
            #expect(try await charged(phone, in: world) == ["unknown", "unknown", "known"])
        }
    }
}

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
