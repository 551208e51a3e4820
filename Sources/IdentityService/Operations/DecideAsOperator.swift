import Canonical
package import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Loads the operator key whenever something must be signed, and does not keep it.
package struct OperatorKeySource: Sendable {
    private let load: @Sendable () throws -> OperatorKey

    /// Signs with the key that `load` reads.
    package init(_ load: @Sendable @escaping () throws -> OperatorKey) { self.load = load }

    func key() throws -> OperatorKey { try load() }
}

/// A newly created operator key, of which the service knows only the public half.
package struct NewOperatorKey: Sendable {
    /// The public half.
    package let publicKey: OperatorPublicKey
    /// Deletes the private half again, if the key founded no log.
    package let discard: @Sendable () -> Void

    /// A key whose private half is stored.
    package init(_ publicKey: OperatorPublicKey, discard: @Sendable @escaping () -> Void) {
        self.publicKey = publicKey
        self.discard = discard
    }
}

/// An error in signing an operator's decision or in founding a log.
package struct OperatorKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable code of an error.
    package enum Code: String, Sendable {
        /// No operator key was given.
        case missing = "operator.key_missing"
        /// The given key is not the operator key of this log.
        case wrong = "operator.key_wrong"
        /// The log names no operator key yet.
        case notFounded = "operator.not_founded"
        /// Another process founded the log first.
        case foundedMeanwhile = "operator.founded_meanwhile"
    }

    package let code: Code

    package init(_ code: Code) { self.code = code }

    /// What happened, and what to do next.
    package var description: String {
        switch code {
        case .missing: "no operator key is given"
        case .wrong: "the given operator key is not the one that this log begins with"
        case .notFounded: "the log names no operator key yet"
        case .foundedMeanwhile: "another process founded the log first"
        }
    }
}

/// Decides as the operator, and signs each resulting event.
struct DecideAsOperator: Sendable {
    /// The time for which a statement is valid.
    static let lifetime: Duration = .seconds(900)
    let reader: LedgerReader
    let now: @Sendable () -> Timestamp
    /// Provides the key; `nil` if no operator decisions can be made here.
    let signer: OperatorKeySource?

    /// Returns the events of a decision, each with a statement of its own.
    ///
    /// A statement covers the content of its event, so the decider runs twice: first for the events, then with the
    /// signatures over them.
    ///
    /// - Parameters:
    ///   - stream: The stream of the events.
    ///   - decide: Decides; it must give the same events for the same decision.
    /// - Throws: ``OperatorKeyError``, and the errors of `decide`.
    func decide<Event: AggregateEvent>(
        on stream: StreamID, _ decide: (AuthorityDecision) throws -> [Event]
    ) async throws -> [Event] {
        let (key, signer, beginning) = try await authority()
        let events = try decide(AuthorityDecision(caller: .operator(signer), signer: signer))
        guard !events.isEmpty else { return [] }
        let (size, root) = try await reader.root(.system)
        let signed = try events.map { event in
            let context = StatementContext(
                tenant: stream.ledger.uuid, signer: StatementKey(key.publicKey), authority: beginning.leaf,
                ledgerSize: size, ledgerRoot: root, expires: now().adding(Self.lifetime), nonce: randomBytes(32))
            return try Self.sign(event.payload, on: stream, context, key)
        }
        return try signed.enumerated().map { index, statement in
            let again = try decide(AuthorityDecision(caller: .operator(signer), statement: statement))
            guard again.count == events.count else { throw ServiceError(.requestStale) }
            return again[index]
        }
    }

    /// Refuses a key that this log does not name, before anything is begun that needs it.
    ///
    /// - Throws: ``OperatorKeyError``.
    func requireKey() async throws { _ = try await authority() }

    /// The operator key, its public half and the event that names it.
    private func authority() async throws -> (key: OperatorKey, signer: PublicKeyBytes, beginning: LogBeginning) {
        guard let key = try signer?.key() else { throw OperatorKeyError(.missing) }
        guard let signer = PublicKeyBytes(key.publicKey.bytes) else { throw OperatorKeyError(.wrong) }
        guard let beginning = try await LogBeginning.read(reader) else { throw OperatorKeyError(.notFounded) }
        guard beginning.operatorKey == signer else { throw OperatorKeyError(.wrong) }
        return (key, signer, beginning)
    }

    private static func sign(
        _ payload: any EventPayload, on stream: StreamID, _ context: StatementContext, _ key: OperatorKey
    ) throws -> SignedStatement {
        let event = try EventCodec.encode(
            payload, id: UUID(), stream: stream, keys: [:], metadata: EventMetadata())
        let statement = OperatorStatement(
            context: context, action: event.type, schema: event.schema, subject: stream.id,
            data: OperatorStatement.signedPart(of: event.data))
        guard let signature = SignatureBytes(try key.sign(statement).bytes),
            let signer = PublicKeyBytes(key.publicKey.bytes)
        else { throw OperatorKeyError(.wrong) }
        return SignedStatement(key: signer, statement: statement.bytes, signature: signature)
    }
}

extension OperatorStatement {
    /// The part of an event that a statement covers: its `data` without `by`.
    static func signedPart(of data: JSONValue) -> JSONValue {
        guard case .object(var members) = data else { return data }
        members["by"] = nil
        return .object(members)
    }
}
