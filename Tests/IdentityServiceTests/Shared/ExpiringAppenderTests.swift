import Canonical
import Credentials
import Crypto
import Foundation
import Identity
import Ledger
import Testing

@testable import IdentityService

/// Every append of a signed decision ends with the statement.
@Suite struct ExpiringAppenderTests {
    /// Remembers the append that it gets.
    private actor Recorder: AppendTarget {
        var append: Append?

        func append(_ append: Append) async throws(LedgerError) -> AppendReceipt {
            self.append = append
            throw LedgerError(.unavailable, "nothing is recorded")
        }
    }

    private static let statement: [UInt8] = Array(
        """
        tenure/v1/operator
        {"action":"x","expires":"2026-11-25T05:00:00.000001Z"}
        """.utf8)
    private static let expiry = Timestamp("2026-11-25T05:00:00.000001Z")

    private func event(_ type: String, _ data: JSONValue) -> NewEvent {
        let stream = StreamID(ledger: LedgerID(UUID()), kind: "thing", id: UUID())
        return NewEvent(id: UUID(), stream: stream, type: type, data: data)
    }

    /// The events of the golden files that carry a statement, and whatever else is named like one.
    private static func signed() throws -> [(name: String, data: JSONValue)] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../IdentityTests/Fixtures/events").standardized
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().flatMap { name in
            let bytes = try Data(contentsOf: folder.appendingPathComponent(name))
            guard case .array(let samples) = try StrictJSON.parse(Array(bytes)) else { return [(String, JSONValue)]() }
            return samples.filter { Self.mentions("statement", in: $0) }.map { (name, $0) }
        }
    }

    private static func mentions(_ member: String, in value: JSONValue) -> Bool {
        switch value {
        case .object(let members): members[member] != nil || members.values.contains { mentions(member, in: $0) }
        case .array(let items): items.contains { mentions(member, in: $0) }
        default: false
        }
    }

    @Test func `every event that can carry a statement ends its append with it`() throws {
        let samples = try Self.signed()
        #expect(Set(samples.map(\.name)).count > 25, "\(samples.count)")
        for (name, data) in samples {
            guard case .object(var members) = data, case .object(var by)? = members["by"] else {
                Issue.record("\(name) carries a statement elsewhere than in by")
                continue
            }
            by["statement"] = .bytes(Self.statement)
            members["by"] = .object(by)
            #expect(try ExpiringAppender.expiry(of: [event("Any", .object(members))]) == Self.expiry, "\(name)")
        }
    }

    @Test func `the first expiry of several statements and of the append counts`() async throws {
        let later = Array(
            """
            tenure/v1/operator
            {"expires":"2026-11-25T06:00:00.000000Z"}
            """.utf8)
        let events = [later, Self.statement, later].map {
            event("Any", ["by": ["kind": "operator", "statement": .bytes($0)]])
        }
        let recorder = Recorder()
        var append = Append(events: events, expectations: [:])
        for (limit, expected) in [(nil, Self.expiry), (Timestamp(microseconds: 5), Timestamp(microseconds: 5))] {
            append.notAfter = limit
            _ = try? await ExpiringAppender(appender: recorder).append(append)
            #expect(await recorder.append?.notAfter == expected)
        }
    }

    @Test func `an append without statements has no expiry, and one that cannot be read is refused`() throws {
        #expect(try ExpiringAppender.expiry(of: [event("Any", ["by": ["kind": "policy"]]), event("Any", [:])]) == nil)
        for bad in [[], Array("tenure/v1/operator\n{}".utf8), Array("x".utf8)] as [[UInt8]] {
            let error = #expect(throws: LedgerError.self) {
                try ExpiringAppender.expiry(of: [event("Any", ["by": ["statement": .bytes(bad)]])])
            }
            #expect(error?.code == .invalidEvent)
        }
    }

    @Test func `the expiry that is read is that of the statement`() throws {
        let expires = Timestamp.now().adding(.seconds(900))
        let key = P256.Signing.PrivateKey()
        let context = StatementContext(
            tenant: UUID(), signer: try StatementKey(bytes: Array(key.publicKey.x963Representation)),
            authority: [UInt8](repeating: 1, count: 32), ledgerSize: 4, ledgerRoot: [UInt8](repeating: 2, count: 32),
            expires: expires, nonce: [UInt8](repeating: 3, count: 32))
        let reclaim = ReclaimStatement(context: context, user: UUID(), reason: "left")
        let decided = OperatorStatement(context: context, action: "X", schema: 1, subject: UUID(), data: [:])
        #expect(StatementContext.expiry(ofStatement: reclaim.bytes) == expires)
        #expect(StatementContext.expiry(ofStatement: decided.bytes) == expires)
    }
}
