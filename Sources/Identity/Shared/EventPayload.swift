package import Canonical

/// The payload of one event type. Its name and members are permanent.
package protocol EventPayload: FlatObject, Equatable where Context == any PersonalDataCoder {
    /// The schema version that the event is written in; new events have the latest one.
    var schema: Int { get }
}

extension EventPayload {
    package static var type: String { members.name }

    /// The schema versions that can be decoded.
    package static var schemas: ClosedRange<Int> { members.schemas }

    /// Until 0.1.0 every event has only version 1.
    package var schema: Int { 1 }

    /// Encodes the entry's `data`, with personal texts encrypted.
    ///
    /// - Throws: ``EventError`` if a value does not fit its member, and the coder's errors.
    package func encode(using coder: any PersonalDataCoder) throws -> JSONValue {
        do {
            return try Self.members.write(self, at: "/data", schema: schema, context: coder)
        } catch let error as JSONError {
            throw EventError(.invalidValue, error.pointer)
        }
    }

    /// Decodes the entry's `data` strictly: an unknown member or a wrong size is an error.
    ///
    /// - Throws: ``EventError`` for an unknown schema, `JSONError` with the member's pointer, and the coder's errors.
    package init(data: JSONValue, schema: Int, using coder: any PersonalDataCoder) throws {
        guard Self.schemas.contains(schema) else { throw EventError(.unknownSchema, Self.type) }
        self = try Self.members.read(data, at: "/data", schema: schema, context: coder)
    }
}

/// All event types. Golden files, and a test that lists their folder, keep the set fixed.
package enum EventCatalogue {
    /// All event types, by aggregate.
    package static let all: [any EventPayload.Type] = [
        EmployeeRegistered.self, EmployeeKeyPresented.self, EmployeeKeyAuthorized.self, EmployeeKeyRefused.self,
        EmployeeKeyRevoked.self, EmployeeApproved.self, EmployeeCancelled.self, EmployeeReinstated.self,
        EmailReclaimed.self, EmployeeEmailChanged.self, EmployeeErased.self, EmployeeIdReleased.self,
        EmployeeSessionsEnded.self,
        ReturnRequested.self, ReturnOpened.self, ReturnCompleted.self, ReturnCancelled.self, DeviceNamed.self,
        DisplayNameSet.self, PasskeyValidated.self, PasskeyBackupChanged.self, PasskeyCounted.self,
        PasskeyCounterRepeated.self,
        TenantPolicyChanged.self, DomainConfirmed.self, AppLinked.self, AppUnlinked.self, AdminAppointed.self,
        AdminDismissed.self, SecurityAdminSucceeded.self, AddressReclaimed.self,
        InvitationIssued.self, InvitationUsed.self, InvitationRevoked.self,
        CredentialsSet.self, CredentialsChanged.self, RecoveryOpened.self, RecoveryConfirmed.self,
        RecoveryCancelled.self, EmailVerified.self, LanguageChosen.self, EmailReleased.self, EmailGaveWay.self,
        EmailChanged.self, EmailChangeUndone.self, JoinedByPasskey.self,
        UserErased.self,
        AppRegistered.self, AppSecretIssued.self, AppSecretRetired.self, AppSecretRevoked.self,
        AppResourceAdded.self, AppResourceRemoved.self, AppClientChanged.self, AppChallengeAnswered.self,
        PagesEnabled.self, AppEnded.self, SystemFounded.self, CheckpointSealed.self, EntryDisowned.self,
        LedgerTimeAccepted.self, EventsKeyReplaced.self, TokenKeysRotated.self, OriginsChanged.self,
        AttemptCharged.self, AttemptsCleared.self, CredentialsLocked.self, AddressProved.self,
        AnswersValidated.self, PassphraseValidated.self,
        SessionOpened.self, SessionClosed.self, BrowserSessionOpened.self, GrantOpened.self, GrantClosed.self,
        ConsentGiven.self, ConsentWithdrawn.self, WaitEnded.self, DeviceMailConfirmed.self,
        MPinPolicyChanged.self, MPinRegistrationStarted.self, MPinRegistrationRestarted.self, MPinLinked.self,
        MPinIdentityVerified.self, MPinClientKeyIssued.self, MPinRegistered.self, MPinAuthenticationFailed.self,
        MPinFailuresCleared.self, MPinBlocked.self, MPinRevoked.self, MPinErased.self, MPinAuthenticated.self,
        MPinValidated.self, MPinActivationIssued.self, MPinActivationFailed.self, MPinActivationUsed.self,
        MailQueued.self, MailSent.self, MailFailed.self,
    ]

    /// The parts whose members stand in the `data` of several events, or in an element of it.
    package static let parts: [any FlatObject.Type] = [
        CredentialValidation.self, ReturnProof.self, TenantPolicy.self, MPinPolicy.self, ClientRegistration.self,
        PasskeyFacts.self, CheckpointSealed.Checkpoint.self, EventsKeyReplaced.Size.self, AttemptCharged.Share.self,
    ]

    private static let byName = Dictionary(all.map { ($0.type, $0) }, uniquingKeysWith: { first, _ in first })

    package static func isKnown(type: String) -> Bool { byName[type]?.type.utf8.elementsEqual(type.utf8) ?? false }

    /// Decodes an event of any type.
    ///
    /// - Throws: ``EventError`` for an unknown type or schema, and the errors of decoding the members.
    package static func decode(
        type: String, schema: Int, data: JSONValue, using coder: any PersonalDataCoder
    ) throws -> any EventPayload {
        guard let payload = byName[type], payload.type.utf8.elementsEqual(type.utf8) else {
            throw EventError(.unknownType, type)
        }
        return try payload.init(data: data, schema: schema, using: coder)
    }
}

/// The sizes allowed for members of varying length, in bytes; checked when encoding and decoding.
enum EventLimits {
    /// A challenge: a tag and a canonical JSON object of identifiers.
    static let challenge = 1...4_096
    static let statement = 1...4_096
    /// A credential record; version 1 has less than 4 KiB.
    static let record = 1...16_384
    /// An unencrypted name.
    static let name = 1...256

    /// A number of attempts.
    static let count = 0...1_000_000

    /// The largest number of device keys that a role event may list.
    static let fingerprints = 32
}

/// An error in encoding or decoding an event.
package struct EventError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable code of an error. More codes may be added.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `event.unknown_type`.
        package let rawValue: String
        /// Takes any identifier; prefer the constants.
        package init(rawValue: String) { self.rawValue = rawValue }
        package var description: String { rawValue }

        /// The catalogue has no such type. Reading stops, because no event may be skipped silently.
        package static let unknownType = Code(rawValue: "event.unknown_type")
        /// The catalogue has the type, but not this schema version.
        package static let unknownSchema = Code(rawValue: "event.unknown_schema")
        /// A value does not fit its member.
        package static let invalidValue = Code(rawValue: "event.invalid_value")
    }

    package let code: Code
    /// The type of the event, or the JSON pointer of the member.
    package let place: String

    package init(_ code: Code, _ place: String) {
        self.code = code
        self.place = place
    }

    /// The code and the place, in printable ASCII of bounded length.
    package var description: String {
        let shown = place.unicodeScalars.prefix(80).map { (0x20...0x7E).contains($0.value) ? String($0) : "?" }
        return "\(code): \(shown.joined())"
    }
}
