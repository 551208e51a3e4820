public import Canonical

/// Every event there is; golden files and a test against the folder hold it fast.
public enum EventCatalogue {
    /// The types of all events, by aggregate.
    public static let all: [any EventPayload.Type] = [
        EmployeeRegistered.self, EmployeeKeyPresented.self, EmployeeKeyAuthorized.self, EmployeeKeyRefused.self,
        EmployeeKeyRevoked.self, EmployeeApproved.self, EmployeeCancelled.self, EmployeeReinstated.self,
        EmailReclaimed.self, EmployeeErased.self,
        TenantPolicyChanged.self, DomainConfirmed.self, AppLinked.self, AppUnlinked.self, AdminAppointed.self,
        AdminDismissed.self, SecurityAdminSucceeded.self,
        CredentialsSet.self, CredentialsChanged.self, RecoveryOpened.self, RecoveryConfirmed.self,
        RecoveryCancelled.self, EmailReleased.self, UserErased.self,
        AppRegistered.self, AppSecretIssued.self, AppSecretRevoked.self, CheckpointSealed.self,
        AttemptCharged.self, AttemptsCleared.self, CredentialsLocked.self,
        AnswersValidated.self, PassphraseValidated.self,
        SessionOpened.self, SessionClosed.self,
    ]

    private static let byName = Dictionary(all.map { ($0.type, $0) }, uniquingKeysWith: { first, _ in first })

    /// Whether there is an event of that name.
    public static func isKnown(type: String) -> Bool { byName[type]?.type.utf8.elementsEqual(type.utf8) ?? false }

    /// Reads an event of any type.
    ///
    /// - Throws: ``EventError`` for a type or schema the catalogue does not have, and what reading the members throws.
    public static func decode(
        type: String, schema: Int, data: JSONValue, using coder: some PersonalDataCoder
    ) throws -> any EventPayload {
        guard let payload = byName[type], payload.type.utf8.elementsEqual(type.utf8) else {
            throw EventError(.unknownType, type)
        }
        guard payload.schema == schema else { throw EventError(.unknownSchema, type) }
        return try payload.init(data: data, using: coder)
    }
}
