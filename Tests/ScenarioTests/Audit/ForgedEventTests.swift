import Canonical
import Crypto
import EventCoding
import Foundation
@testable import Identity
import IdentityService
import Ledger
import TestSupport
import Testing

/// What a hostile process of the service, which has its keys, appends past the deciders.
@Suite(.onServer)
struct `Events appended past the service` {
    private func verify(_ world: TenureWorld) async throws -> [Violation] {
        let request = VerifyRequest(key: try await world.logKey())
        return try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run().violations
        }
    }

    /// The newest event of a type in a ledger.
    private func newest(_ type: String, in ledger: LedgerID, _ world: TenureWorld) async throws -> RecordedEvent {
        try await world.database.withPool(as: .reader, maximumConnections: 2) { pool in
            let reader = LedgerReader(pool: pool, codes: .unchecked, storesTiles: false)
            return try #require(try await reader.ledger(ledger, limit: 1_000).events.last { $0.type == type })
        }
    }

    /// Appends an event past the service, and returns its position.
    private func append(_ event: NewEvent, _ world: TenureWorld) async throws -> Int64 {
        let codes = try await world.codes
        return try await world.database.withPool { pool in
            let stream = event.stream
            let events = try await LedgerReader(pool: pool, codes: .unchecked).streams([stream])[stream] ?? []
            let append = Append(
                events: [event], expectations: [stream: events.last?.streamVersion ?? 0], time: .now())
            let results = try await pool.withTransaction(in: append.ledgers) { connection in
                try await Appender.append([append], codes: codes, on: &connection)
            }
            return try #require(try results[0].get().positions[event.id])
        }
    }

    /// Appends the newest event of a type once more, under another id.
    private func copy(_ type: String, in ledger: LedgerID, _ world: TenureWorld) async throws -> Int64 {
        let event = try await newest(type, in: ledger, world)
        return try await append(
            NewEvent(
                id: UUID(), stream: event.stream, type: event.type, schema: event.schema, data: event.data,
                actor: event.actor, app: event.app, requestId: event.requestId, source: event.source,
                causes: event.causes), world)
    }

    @Test func `copies of decisions that were taken back are found`() async throws {
        try await withTenure { world in
            let attack = try await Attack("copies.example", try world.client), client = attack.client
            let ledger = try await world.ledger(attack.company)
            let admin = try await attack.hire("admin"), victim = try await attack.hire("victim")
            try await attack.appoint(admin)
            let demote: [String: JSONValue] = ["role": "employee"]
            try await attack.decided(
                attack.decide("POST", client.path(admin.person, "/role"), demote, by: attack.founder))
            let other = try await world.makeApp(name: "other")
            try await attack.decided(attack.link(other, roles: ["ACCESS", "CREATION"]))
            try await attack.decided(
                attack.decide("DELETE", client.path(attack.company, "/apps/\(other.appId)"), by: attack.founder))
            for step in [Attack.StatusStep.cancellation, .reinstatement, .cancellation] {
                try await attack.decided(attack.decide(step, about: victim.person, by: attack.founder))
            }
            #expect(try await verify(world) == [])
            var places: Set<Int64> = []
            for type in [AdminAppointed.type, AppLinked.type, EmployeeReinstated.type] {
                places.insert(try await copy(type, in: ledger, world))
            }
            let found = try await verify(world)
            #expect(Set(found.compactMap(\.position)) == places, "\(found)")
            #expect(Set(found.map(\.detail)) == ["the statement was used before"], "\(found)")
        }
    }

    @Test func `a statement that issued an invitation before ids had a version issues none again`() async throws {
        try await withTenure { world in
            let attack = try await Attack("old-ids.example", try world.client), client = attack.client
            let ledger = try await world.ledger(attack.company), founder = attack.founder
            let path = client.path(attack.company, "/invitations")
            func body(_ id: String) -> [String: JSONValue] {
                let salt = Base64.encode([UInt8](repeating: 7, count: 32))
                return ["companyEmployeeId": .string(id), "subjectSalt": .string(salt)]
            }
            expectOutcome(try await client.signed(by: founder, "POST", path, body("zoe")), "done")
            let asked = try await client.send(client.request("POST", path, .object(body("bob")), by: founder.session))
            let statement = try #require(asked["statement"]?.text)
            let hash = SHA256.hash(data: try #require(Base64.decode(statement)))
            let old = InvitationID(try #require(UUID(bytes: Array(hash.prefix(16)))))
            let issued = try await newest(InvitationIssued.type, in: ledger, world)
            _ = try await append(
                NewEvent(
                    id: UUID(), stream: .invitation(old, in: TenantID(ledger.uuid)), type: issued.type,
                    schema: issued.schema, data: issued.data), world)
            var signed = body("bob")
            signed["statement"] = .string(statement)
            signed["signature"] = .string(try founder.device.sign(base64: statement, .raw))
            try expectProblem(
                try await client.send(client.request("POST", path, .object(signed), by: founder.session)),
                "request.stale")
            expectOutcome(try await client.signed(by: founder, "POST", path, body("eve")), "done")
        }
    }

    @Test func `the service names what caused an event`() async throws {
        try await withTenure { world in
            let attack = try await Attack("named.example", try world.client)
            let ledger = try await world.ledger(attack.company)
            let member = try await attack.hire("member")
            let registered = try await newest(EmployeeRegistered.type, in: ledger, world)
            let presented = try await newest(EmployeeKeyPresented.type, in: ledger, world)
            // The other one is the set-up of the credentials, in the person's directory.
            #expect(presented.causes.count == 2 && presented.causes.last == registered.id)
            expectOutcome(try await attack.logIn(as: member.person, with: member.device), "success")
            let session = try await newest(SessionOpened.type, in: ledger, world)
            let proof = try await newest(PassphraseValidated.type, in: ledger, world)
            #expect(session.causes == [proof.id] && proof.causes == [])
        }
    }

    @Test func `events without a cause are found`() async throws {
        try await withTenure { world in
            let attack = try await Attack("causes.example", try world.client)
            let ledger = try await world.ledger(attack.company), tenant = TenantID(ledger.uuid)
            let member = try await attack.hire("member")
            let registered = try await newest(EmployeeRegistered.type, in: ledger, world)
            let employee = EmployeeID(registered.stream.id)
            let user = UserID(try #require(UUID(uuidString: registered.data["userId"]?.text ?? "")))
            #expect(try await verify(world) == [])
            let key = try #require(PublicKeyBytes(Device().point))
            func event(_ payload: any EventPayload, _ stream: StreamID) throws -> NewEvent {
                try EventCodec.encode(payload, id: UUID(), stream: stream, keys: [:], metadata: EventMetadata())
            }
            let presented = try await append(
                event(
                    EmployeeKeyPresented(employeeID: employee, key: key, flow: FlowID(UUID()), first: false),
                    .employee(employee, in: tenant)), world)
            let released = try await append(
                event(EmailReleased(userID: user, tenant: tenant), .user(user)), world)
            // The company's ledger is known to a later time than the release.
            expectOutcome(try await attack.logIn(as: member.person, with: member.device), "success")
            let found = try await verify(world).map { "\($0.ledger == ledger) \($0.position ?? 0) \($0.detail)" }
            let expected = [
                "true \(presented) a device key is presented without a registration, a log-in or a recovery",
                "false \(released) an address is released without a decision of the company",
            ]
            #expect(Set(found) == Set(expected))
        }
    }
}
