import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Verifies the signatures that an event carries, by the keys that it names.
enum EventSignatures {
    /// The types whose events nobody signs; most events of a log are of these, and are not read in full.
    static let unsigned: Set<String> = [
        AttemptCharged.type, AttemptsCleared.type, CredentialsLocked.type, SessionClosed.type, SessionOpened.type,
    ]

    /// What is wrong, or nil; events without signatures are right.
    static func violation(_ event: RecordedEvent) -> String? {
        do {
            switch event.type {
            case AnswersValidated.type, PassphraseValidated.type: try checkValidation(event)
            case CredentialsSet.type: try checkCredentials(event)
            case CredentialsChanged.type: try checkChange(event)
            default: try checkStatement(event)
            }
            return nil
        } catch let error as Mismatch {
            return error.words
        } catch {
            return "a signature, or what it is over, is not valid"
        }
    }

    /// What differs, in words without content.
    private struct Mismatch: Error { let words: String }

    private static func require(_ holds: Bool, _ words: String) throws {
        if !holds { throw Mismatch(words: words) }
    }

    /// Both signatures over the challenge, which must be of this flow.
    ///
    /// The challenge of a registration names a credential of its own (docs/decisions/0015), so only a log-in's is
    /// compared with the event's.
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

    /// The record's own signatures, and those over the challenge of the flow in which it was made.
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

    /// The same for a change; whose key entitles to it is known from the record before.
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

    private static func checkStatement(_ event: RecordedEvent) throws {
        guard let signed = AuthorityMember(event)?.signed else { return }
        let key = try SignerPublicKey(bytes: signed.key)
        try key.verify(try Signature(raw: signed.signature), over: signed.statement)
    }
}
