import Canonical
import Credentials
import EventCoding
import Foundation
@testable import Identity
import Testing
@testable import IdentityService
@testable import Ledger

/// An operator's decision, held against its own event and against others.
@Suite struct OperatorSignaturesTests {
    private let key: OperatorKey
    private let signer: PublicKeyBytes
    private let authority = [UInt8](repeating: 3, count: 32)
    private let app = AppID(UUID())

    init() throws {
        key = try OperatorKey(privateBytes: [UInt8](repeating: 7, count: 32))
        signer = try #require(PublicKeyBytes(key.publicKey.bytes))
    }

    private func statement(
        for event: RecordedEvent, by signing: OperatorKey, _ change: (inout OperatorStatement) -> Void
    ) throws -> SignedStatement {
        var statement = OperatorStatement(
            context: StatementContext(
                tenant: event.ledger.uuid, signer: StatementKey(signing.publicKey), authority: authority,
                ledgerSize: 4, ledgerRoot: authority, expires: event.time.adding(.seconds(60)), nonce: authority),
            action: event.type, schema: event.schema, subject: event.stream.id,
            data: OperatorStatement.signedPart(of: event.data))
        change(&statement)
        return SignedStatement(
            key: try #require(PublicKeyBytes(statement.context.signer.bytes)), statement: statement.bytes,
            signature: try #require(SignatureBytes(try signing.sign(statement).bytes)))
    }

    private func event(roles: [AppRole] = [.access]) throws -> RecordedEvent {
        let payload = AppSecretIssued(
            appID: app, secretID: SecretID(UUID()), roles: try #require(RoleSet(roles)),
            digest: try #require(Bytes32(authority)), authorityKey: signer, by: .operator(nil))
        let new = try EventCodec.encode(
            payload, id: UUID(), stream: .app(app), keys: [:], metadata: EventMetadata())
        return .sample(new, at: 5)
    }

    private func words(
        _ event: RecordedEvent, by signing: OperatorKey? = nil, _ change: (inout OperatorStatement) -> Void = { _ in }
    ) throws -> String? {
        let signed = try statement(for: event, by: signing ?? key, change)
        return OperatorSignatures.violation(
            event, signed, key: signer, authority: authority, seen: { _ in nil }, earliest: event.time
        ) { size in size == 4 ? authority : nil }
    }

    @Test func `a statement about the event verifies`() throws { #expect(try words(event()) == nil) }

    @Test func `a statement with any other member is reported`() throws {
        let event = try event()
        let about = "the operator's statement is about something else"
        #expect(try words(event) { $0.action = "AppSecretRevoked" } == about)
        #expect(try words(event) { $0.schema = 2 } == about)
        #expect(try words(event) { $0.subject = UUID() } == about)
        #expect(try words(event) { $0.context.tenant = UUID() } == about)
        #expect(try words(event) { $0.data = ["appId": .uuid(UUID())] } == about)
        #expect(
            try words(event) { $0.context.authority[0] ^= 1 }
                == "the operator's statement is bound to another log")
        #expect(
            try words(event) { $0.context.expires = event.time.adding(.seconds(-901)) }
                == "the operator's statement had expired")
        #expect(
            try words(event) { $0.context.ledgerSize = 5 } == "the operator's statement refers to later events")
        #expect(
            try words(event) { $0.context.ledgerRoot[0] ^= 1 }
                == "the operator's statement refers to another system ledger")
        // Nothing is known of a size that was not followed.
        #expect(try words(event) { $0.context.ledgerSize = 3 } == nil)
    }

    @Test func `another key and unsigned roles are reported`() throws {
        let event = try event()
        #expect(
            try words(event, by: .generate()) == "the decision is signed with a key that is not the operator's")
        // The same app and secret with one role more than was signed.
        let signed = try statement(for: event, by: key) { _ in }
        guard case .object(var members) = event.data else {
            Issue.record("no object")
            return
        }
        members["roles"] = ["ACCESS", "CREATION"]
        let more = RecordedEvent.sample(
            NewEvent(
                id: event.id, stream: event.stream, type: event.type, schema: event.schema, data: .object(members)),
            at: 5)
        #expect(
            OperatorSignatures.violation(
                more, signed, key: signer, authority: authority, seen: { _ in nil }, earliest: nil
            ) { _ in nil }
                == "the operator's statement is about something else")
        var broken = signed.signature.bytes
        broken[40] ^= 1
        let forged = SignedStatement(
            key: signed.key, statement: signed.statement, signature: try #require(SignatureBytes(broken)))
        #expect(
            OperatorSignatures.violation(
                event, forged, key: nil, authority: nil, seen: { _ in nil }, earliest: nil
            ) { _ in nil }
                == "the operator's signature does not verify")
    }

    @Test func `a pinned operator key that the log does not begin with is reported`() throws {
        let payload = SystemFounded(operatorKey: signer, keyCheck: try #require(Bytes32(authority)))
        let new = try EventCodec.encode(payload, id: UUID(), stream: .system, keys: [:], metadata: EventMetadata())
        let beginning = try #require(LogBeginning(.sample(new, at: 1)))
        let found = beginning.operatorKey
        #expect(OperatorSignatures.violations(found, pinned: nil).isEmpty)
        #expect(OperatorSignatures.violations(found, pinned: key.publicKey).isEmpty)
        let other = try OperatorKey.generate().publicKey
        #expect(OperatorSignatures.violations(found, pinned: other).count == 1)
        #expect(OperatorSignatures.violations(nil, pinned: other).count == 1)
    }
}

extension RecordedEvent {
    /// An event as it would stand at a position.
    fileprivate static func sample(_ new: NewEvent, at position: Int64) -> RecordedEvent {
        RecordedEvent(
            position: position, id: new.id, stream: new.stream, streamVersion: 1, type: new.type, schema: new.schema,
            time: .now(), actor: nil, app: nil, requestId: nil, source: nil, causes: [], data: new.data, entry: [],
            leaf: [UInt8](repeating: 1, count: 32))
    }
}

/// Verification does not read events in full that nobody signs; so none of them may carry anything to verify.
@Suite struct UnsignedEventsTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "IdentityTests/Fixtures/events")

    @Test func `an event type without signature checks has no signed members`() throws {
        for type in EventSignatures.unsigned {
            let bytes = try Data(contentsOf: Self.fixtures.appending(path: "\(type).v1.json"))
            let text = String(decoding: bytes, as: UTF8.self)
            for member in ["by", "signature", "deviceSignature", "userSignature", "statement", "challenge", "key"] {
                #expect(!text.contains("\"\(member)\":"), "\(type) has the member \(member)")
            }
        }
    }

    @Test func `a verification with signatures reads every other event type`() {
        let inspector = LogInspector(checksSignatures: true)
        // Sessions name the app that opened them.
        for type in [
            SessionOpened.type, AnswersValidated.type, EmployeeKeyAuthorized.type, EmployeeRegistered.type,
            "NobodyKnowsThis",
        ] {
            #expect(inspector.concerns(type), "\(type)")
        }
        #expect(!inspector.concerns(AttemptCharged.type))
        let quick = LogInspector(checksSignatures: false)
        #expect(quick.concerns(CheckpointSealed.type) && quick.concerns(AppSecretIssued.type))
        #expect(!quick.concerns(AnswersValidated.type))
    }
}
