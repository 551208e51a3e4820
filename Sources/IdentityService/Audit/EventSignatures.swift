import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Verifies the signatures that an event carries, with the keys that it names.
enum EventSignatures {
    /// The unsigned event types that no other event is judged by. Most events of a log are of these types, and are not
    /// read in full.
    static let unsigned: Set<String> = [
        AttemptCharged.type, CredentialsLocked.type, TokenKeysRotated.type,
        AppChallengeAnswered.type,
    ]

    /// Returns what is wrong, or `nil`; also `nil` for events without signatures.
    static func violation(_ event: RecordedEvent) -> String? {
        do {
            switch event.type {
            case AnswersValidated.type, PassphraseValidated.type: try checkValidation(event)
            case MPinValidated.type: try checkMPinValidation(event)
            case CredentialsSet.type: try checkCredentials(event)
            case CredentialsChanged.type: try checkChange(event)
            case ReturnOpened.type, ReturnCompleted.type: try checkReturn(event)
            case WaitEnded.type: try checkWait(event)
            case EmailVerified.type, EmailReleased.type, UserErased.type, AddressProved.type:
                try require((try? EventCodec.payload(of: event)) != nil, "the event cannot be read")
                try checkStatement(event)
            default:
                let isKnown = EventCatalogue.isKnown(type: event.type)
                try require(isKnown, "the type of the event is not known to this version")
                try checkStatement(event)
            }
            return nil
        } catch let error as Mismatch {
            return error.words
        } catch {
            return "a signature or its signed bytes are not valid"
        }
    }

    /// The difference that was found, in words without content.
    private struct Mismatch: Error { let words: String }

    static func require(_ holds: Bool, _ words: String) throws {
        if !holds { throw Mismatch(words: words) }
    }

    /// Checks both signatures over the challenge, which must be of this flow.
    ///
    /// The challenge of a registration names a fresh credential id, so a start does not reveal whether an address has a
    /// user. Only a log-in's credential id is compared with the event's.
    private static func checkValidation(_ event: RecordedEvent) throws {
        let validation: CredentialValidation
        switch try EventCodec.payload(of: event) {
        case let payload as AnswersValidated: validation = payload.validation
        case let payload as PassphraseValidated: validation = payload.validation
        default: throw Mismatch(words: "the event is not a validation")
        }
        let challenge = try Challenge(parsing: validation.challenge), fields = challenge.fields
        try require(fields.tenant == event.ledger.uuid, "the challenge is of another tenant")
        try require(fields.flow == event.stream.id, "the challenge is of another flow")
        try require(fields.purpose.rawValue == validation.purpose.rawValue, "the challenge is for another purpose")
        try require(fields.employeeKey.bytes == validation.employeeKey.bytes, "the challenge is of another device")
        try require(
            validation.purpose == .registration || fields.credential == validation.credentialID.uuid,
            "the challenge is of another credential")
        try ValidatedChallenge(
            challenge: challenge, deviceSignature: try Signature(raw: validation.deviceSignature.bytes),
            userSignature: try Signature(raw: validation.userSignature.bytes)
        ).verify(userKey: try UserPublicKey(bytes: validation.userKey.bytes))
    }

    /// Checks the device's signature over the challenge, which must be of this flow. The verdict about the PIN is the
    /// word of the service.
    private static func checkMPinValidation(_ event: RecordedEvent) throws {
        guard let payload = try EventCodec.payload(of: event) as? MPinValidated else {
            throw Mismatch(words: "the event is not a validation")
        }
        let challenge = try Challenge(parsing: payload.challenge), fields = challenge.fields
        try require(fields.tenant == event.ledger.uuid, "the challenge is of another tenant")
        try require(fields.flow == event.stream.id, "the challenge is of another flow")
        try require(fields.purpose == .login, "the challenge is for another purpose")
        try fields.employeeKey.verify(try Signature(raw: payload.deviceSignature.bytes), over: challenge.bytes)
    }

    /// Checks the record's own signatures, and those over the challenge of the flow in which it was made.
    private static func checkCredentials(_ event: RecordedEvent) throws {
        guard let payload = try EventCodec.payload(of: event) as? CredentialsSet else {
            throw Mismatch(words: "the event sets no credentials")
        }
        let challenge = try Challenge(parsing: payload.challenge)
        let record = try StoredCredentials(bytes: payload.record).record, context = record.sealed.context
        try require(context.credentialId == payload.credentialID.uuid, "the record is of another credential")
        try require(context.userId == payload.userID.uuid, "the record is of another user")
        try require(challenge.fields.purpose == .registration, "the challenge is for another purpose")
        try require(challenge.fields.credential == payload.credentialID.uuid, "the challenge is of another credential")
        try record.verify(employeeKey: challenge.fields.employeeKey)
        try ValidatedChallenge(
            challenge: challenge, deviceSignature: try Signature(raw: payload.deviceSignature.bytes),
            userSignature: try Signature(raw: payload.userSignature.bytes)
        ).verify(userKey: context.userPublicKey)
    }

    /// Checks the same for a change. The record before tells whether the key may replace it.
    private static func checkChange(_ event: RecordedEvent) throws {
        guard let payload = try EventCodec.payload(of: event) as? CredentialsChanged else {
            throw Mismatch(words: "the event changes no credentials")
        }
        let challenge = try Challenge(parsing: payload.challenge)
        let context = try StoredCredentials(bytes: payload.record).record.sealed.context
        try require(context.credentialId == payload.credentialID.uuid, "the record is of another credential")
        try require(context.userId == payload.userID.uuid, "the record is of another user")
        try require(
            challenge.fields.purpose == .change || challenge.fields.purpose == .recovery,
            "the challenge is for another purpose")
        try require(
            challenge.fields.credential == payload.previousCredentialID.uuid, "the challenge is of another credential")
        try ValidatedChallenge(
            challenge: challenge, deviceSignature: try Signature(raw: payload.deviceSignature.bytes),
            userSignature: try Signature(raw: payload.userSignature.bytes)
        ).verify(userKey: context.userPublicKey)
    }

    /// Checks the device's signature over the challenge, which must be of this wait and in time.
    private static func checkWait(_ event: RecordedEvent) throws {
        guard let payload = try EventCodec.payload(of: event) as? WaitEnded else {
            throw Mismatch(words: "the event ends no wait")
        }
        let challenge = try Challenge(parsing: payload.challenge), fields = challenge.fields
        try require(fields.tenant == event.ledger.uuid, "the challenge is of another tenant")
        try require(fields.flow == payload.flow.uuid, "the challenge is of another flow")
        try require(fields.purpose == .wait, "the challenge is for another purpose")
        try require(fields.employeeKey.bytes == payload.key.bytes, "the challenge is of another device")
        try require(fields.app == event.app?.lowercased, "the challenge is of another app")
        try require(event.time <= fields.expires, "the challenge had expired")
        try fields.employeeKey.verify(try Signature(raw: payload.deviceSignature.bytes), over: challenge.bytes)
    }

    private static func checkReturn(_ event: RecordedEvent) throws {
        switch try EventCodec.payload(of: event) {
        case let payload as ReturnOpened: try checkReturn(payload.proof, in: event.ledger)
        case let payload as ReturnCompleted: try checkReturn(payload.proof, in: event.ledger)
        default: throw Mismatch(words: "the event is not about a return")
        }
    }

    private static func checkStatement(_ event: RecordedEvent) throws {
        guard let signed = AuthorityMember(event)?.signed else { return }
        let key = try StatementKey(bytes: signed.key)
        try key.verify(try Signature(raw: signed.signature), over: signed.statement)
    }
}

/// Verifies the operator's decisions with the operator key that begins the log.
enum OperatorSignatures {
    /// Returns what is wrong with the signature of an operator's decision, or `nil`.
    ///
    /// The statement has to be about this very event: its ledger, stream, type, schema and every member but `by`. It
    /// has to name the event that founded the log as its authority, and be signed by the key in that event.
    ///
    /// - Parameters:
    ///   - event: The event, with `by` of kind operator.
    ///   - signed: The signed statement in `by`.
    ///   - key: The operator key that begins the log; `nil` if it is unknown, as in a bundle without the system ledger.
    ///     The signature is then verified only with the key that the statement names.
    ///   - authority: The leaf hash of the event with that key; `nil` likewise.
    ///   - seen: The time of the system ledger's event at a position; `nil` if it is unknown.
    ///   - earliest: The earliest time at which the event may have been appended; `nil` if it is unknown.
    ///   - root: The root that the system ledger had at a size; `nil` if it is unknown.
    static func violation(
        _ event: RecordedEvent, _ signed: SignedStatement, key: PublicKeyBytes?, authority: [UInt8]?,
        seen: (Int64) -> Timestamp?, earliest: Timestamp?, root: (Int64) -> [UInt8]?
    ) -> String? {
        guard let statement = try? OperatorStatement(parsing: signed.statement, expecting: .operatorDecision) else {
            return "the operator's statement is malformed"
        }
        guard statement.context.signer.bytes == signed.key.bytes,
            let signature = try? Signature(raw: signed.signature.bytes), (try? statement.verify(signature)) != nil
        else { return "the operator's signature does not verify" }
        guard key == nil || key == signed.key else {
            return "the decision is signed with a key that is not the operator's"
        }
        guard authority == nil || authority == statement.context.authority else {
            return "the operator's statement is bound to another log"
        }
        guard statement.context.tenant == event.ledger.uuid, statement.subject == event.stream.id,
            statement.action == event.type, statement.schema == event.schema,
            statement.data == OperatorStatement.signedPart(of: event.data)
        else { return "the operator's statement is about something else" }
        let context = statement.context
        guard !StatementExpiry.hasPassed(context.expires, seen: seen(context.ledgerSize), at: earliest) else {
            return "the operator's statement had expired"
        }
        // A statement cannot name later entries of its own ledger. Ledgers have no common order.
        guard event.ledger != .system || statement.context.ledgerSize < event.position else {
            return "the operator's statement refers to later events"
        }
        if let root = root(statement.context.ledgerSize), root != statement.context.ledgerRoot {
            return "the operator's statement refers to another system ledger"
        }
        return nil
    }

    /// Checks that the log begins with the pinned operator key.
    static func violations(_ key: PublicKeyBytes?, pinned: OperatorPublicKey?) -> [Violation] {
        guard let pinned, key?.bytes != pinned.bytes else { return [] }
        let words = key == nil ? "the log names no operator key" : "the log's operator key is not the pinned one"
        return [Violation(.signature, ledger: .system, words)]
    }
}
