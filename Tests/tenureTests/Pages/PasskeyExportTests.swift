import ArgumentParser
import Canonical
import Crypto
import EventCoding
import Foundation
import Projections
import Testing

@testable import Ledger
@testable import tenure

/// A log of the given events, from position 1.
private struct GivenEvents: EventSource {
    let events: [OpenedEvent]

    func replay(
        _ ledger: LedgerID, _ range: EventLog.Range, types: [String]?,
        _ body: ([OpenedEvent], Int64) async throws -> Void
    ) async throws {
        let last = Int64(events.count)
        let positions = (range.fromPosition ?? 1)...max(range.fromPosition ?? 1, range.toPosition ?? last)
        let wanted = events.filter {
            positions.contains($0.recorded.position) && (types?.contains($0.recorded.type) ?? true)
        }
        try await body(wanted, last)
    }

    func founding(of ledger: LedgerID) async throws -> RecordedEvent? { nil }
    func registrations(of employees: [UUID], in ledger: LedgerID) async throws -> [OpenedEvent] { [] }
}

struct PasskeyExportTests {
    private static let ledger = "00000000-0000-4000-8000-000000000002"
    private static let employee = "00000000-0000-4000-8000-000000000001"
    private static let flow = "00000000-0000-4000-8000-000000000006"

    /// The golden vectors of passkeys, written and accepted by other programs.
    private static func vectors() throws -> JSONValue {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.deletingLastPathComponent().appendingPathComponent("CredentialsTests/vectors/passkeys.json")
        return try StrictJSON.parse(Array(Data(contentsOf: file)), limits: .init(bytes: 1_000_000))
    }

    private static func vector(_ name: String) throws -> JSONValue {
        guard case .array(let rows)? = try vectors()["assertions"] else { return .object([:]) }
        return try #require(rows.first { $0["name"] == .string(name) })
    }

    private static func bytes(_ value: JSONValue?) throws -> [UInt8] {
        guard case .string(let text)? = value else { throw CommandFailure(.failure, "no text") }
        return try #require(Hex.decode(text))
    }

    private static func event(_ position: Int64, _ type: String, _ data: JSONValue) throws -> OpenedEvent {
        let json: JSONValue = [
            "eventId": .string("00000000-0000-4000-8000-00000000000\(position)"), "ledger": .string(ledger),
            "stream": .string("employee/\(employee)"), "streamVersion": .integer(position), "type": .string(type),
            "schema": 1, "time": "2026-11-21T08:30:00.000001Z", "data": data,
        ]
        return OpenedEvent(try Entry.decode(json.canonicalBytes(), at: position), keys: nil)
    }

    /// A passkey is presented, logs in, another device key is presented, and somebody else presents the passkey, whose
    /// log-in stands in the stream of the first account.
    private static func log(_ name: String) throws -> GivenEvents {
        let vector = try vector(name)
        let key = try bytes(vector["key"]), evidence = try bytes(vector["evidence"])
        let message = try bytes(try vectors()["message"])
        let presented: JSONValue = [
            "employeeId": .string(employee), "first": true, "flow": .string(flow), "key": .bytes(key),
            "kind": "passkey",
            "passkey": [
                "aaguid": .bytes([UInt8](repeating: 0, count: 16)), "backedUp": false, "backupEligible": false,
                "challenge": .bytes(message), "counter": 0, "credentialId": .bytes([UInt8](repeating: 7, count: 16)),
                "evidence": .bytes(evidence), "rpId": "id.example.com",
                "userHandle": .bytes([UInt8](repeating: 8, count: 32)),
            ],
        ]
        let validated: JSONValue = [
            "challenge": .bytes(message), "employeeId": .string(employee), "evidence": .bytes(evidence),
            "fingerprint": .string(Hex.encode(Array(SHA256.hash(data: key)))), "flow": .string(flow),
        ]
        let other: JSONValue = [
            "employeeId": .string(employee), "first": false, "flow": .string(flow),
            "key": .bytes([0x04] + [UInt8](repeating: 0x11, count: 64)), "kind": "software",
        ]
        guard case .object(var foreign) = presented, case .object(var facts)? = foreign["passkey"] else {
            throw CommandFailure(.failure, "no object")
        }
        facts["rpId"] = "evil.example.com"
        foreign["passkey"] = .object(facts)
        foreign["employeeId"] = .string("00000000-0000-4000-8000-000000000009")
        return GivenEvents(events: [
            try event(1, "EmployeeKeyPresented", presented), try event(2, "PasskeyValidated", validated),
            try event(3, "EmployeeKeyPresented", other), try event(4, "EmployeeKeyPresented", .object(foreign)),
            try event(5, "PasskeyValidated", validated),
        ])
    }

    @Test(arguments: ["es256", "rs256", "rs256 with extension bytes"], [Int64(1), 2, 5])
    func `what a passkey signed is exported with the bytes that the log holds`(
        name: String, position: Int64
    ) async throws {
        let vector = try Self.vector(name)
        let ledger = LedgerID(try #require(UUID(uuidString: Self.ledger)))
        let json = try await LoggedAssertion.read(try Self.log(name), ledger, position).json()
        #expect(json["message"] == .bytes(try Self.bytes(try Self.vectors()["message"])))
        #expect(json["key"] == .bytes(try Self.bytes(vector["key"])))
        #expect(json["authenticatorData"] == .bytes(try Self.bytes(vector["authenticatorData"])))
        #expect(json["rpId"] == "id.example.com" && json["origin"] == "https://id.example.com")
        #expect(json["algorithm"] == (name == "es256" ? -7 : -257))
    }

    @Test(arguments: [Int64(3), 6])
    func `an event for which no passkey signed is not found`(position: Int64) async throws {
        let ledger = LedgerID(try #require(UUID(uuidString: Self.ledger)))
        let log = try Self.log("es256")
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await LoggedAssertion.read(log, ledger, position)
        }
        #expect(failure?.exitCode == .notFound)
    }
}
