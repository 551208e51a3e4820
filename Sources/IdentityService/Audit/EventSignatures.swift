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
            case JoinedByPasskey.type: try checkJoining(event)
            case EmailVerified.type, LanguageChosen.type, EmailReleased.type, EmailGaveWay.type, UserErased.type,
                AddressProved.type, EmailChanged.type, EmailChangeUndone.type:
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
            challenge: challenge, deviceSignature: try DeviceEvidence(bytes: validation.deviceSignature.bytes),
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
        try DeviceEvidence(bytes: payload.deviceSignature.bytes).verify(over: challenge.bytes, by: fields.employeeKey)
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
            challenge: challenge, deviceSignature: try DeviceEvidence(bytes: payload.deviceSignature.bytes),
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
            challenge: challenge, deviceSignature: try DeviceEvidence(bytes: payload.deviceSignature.bytes),
            userSignature: try Signature(raw: payload.userSignature.bytes)
        ).verify(userKey: context.userPublicKey)
    }

    /// Checks the device's signature over the challenge, which must be of this wait. ``AuthorityTrail`` holds it
    /// against the time.
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
        try DeviceEvidence(bytes: payload.deviceSignature.bytes).verify(over: challenge.bytes, by: fields.employeeKey)
    }

    /// Checks the passkey's signature over the challenge. ``AuthorizedPasskeys`` knows whose passkey it is.
    private static func checkJoining(_ event: RecordedEvent) throws {
        guard let payload = try EventCodec.payload(of: event) as? JoinedByPasskey else {
            throw Mismatch(words: "the event joins no company")
        }
        let challenge = try PasskeyChallenge(parsing: payload.challenge)
        try require(challenge.fields.purpose == .joinCompany, "the challenge is for another purpose")
        try require(challenge.fields.app == event.app?.lowercased, "the challenge is of another app")
        try DeviceEvidence(bytes: payload.evidence.bytes).verify(
            over: challenge.bytes, by: try EmployeePublicKey(bytes: payload.key.bytes))
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
        try DeviceEvidence(bytes: signed.signature).verify(over: signed.statement, by: key)
    }
}
