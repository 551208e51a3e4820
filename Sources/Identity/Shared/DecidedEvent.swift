/// An event that somebody decided.
public protocol DecidedEvent: EventPayload {
    /// The authority that decided.
    var by: Authority { get }
}

extension EventPayload {
    /// Most events need no signature.
    public var statement: SignedStatement? { nil }
}

extension DecidedEvent {
    /// The statement of the authority that decided.
    public var statement: SignedStatement? { by.statement }
}

extension AddressReclaimed: DecidedEvent {}
extension AdminAppointed: DecidedEvent {}
extension AdminDismissed: DecidedEvent {}
extension AppLinked: DecidedEvent {}
extension AppResourceAdded: DecidedEvent {}
extension AppResourceRemoved: DecidedEvent {}
extension AppSecretRetired: DecidedEvent {}
extension AppUnlinked: DecidedEvent {}
extension DomainConfirmed: DecidedEvent {}
extension EmailReclaimed: DecidedEvent {}
extension EmployeeApproved: DecidedEvent {}
extension EmployeeCancelled: DecidedEvent {}
extension EmployeeErased: DecidedEvent {}
extension EmployeeIdReleased: DecidedEvent {}
extension EmployeeKeyAuthorized: DecidedEvent {}
extension EmployeeKeyRefused: DecidedEvent {}
extension EmployeeKeyRevoked: DecidedEvent {}
extension EmployeeReinstated: DecidedEvent {}
extension EmployeeSessionsEnded: DecidedEvent {}
extension InvitationIssued: DecidedEvent {}
extension InvitationRevoked: DecidedEvent {}
extension LedgerTimeAccepted: DecidedEvent {}
extension MPinActivationIssued: DecidedEvent {}
extension MPinErased: DecidedEvent {}
extension MPinIdentityVerified: DecidedEvent {}
extension MPinLinked: DecidedEvent {}
extension MPinPolicyChanged: DecidedEvent {}
extension MPinRevoked: DecidedEvent {}
extension RecoveryCancelled: DecidedEvent {}
extension RecoveryConfirmed: DecidedEvent {}
extension RecoveryOpened: DecidedEvent {}
extension ReturnCancelled: DecidedEvent {}
extension SecurityAdminSucceeded: DecidedEvent {}
extension TenantPolicyChanged: DecidedEvent {}
extension UserErased: DecidedEvent {}

extension AppRegistered {
    /// The operator's statement; `nil` in the first version.
    public var statement: SignedStatement? { by?.statement }
}

extension AppSecretIssued {
    /// The operator's statement; `nil` in the first version.
    public var statement: SignedStatement? { by?.statement }
}

extension AppSecretRevoked {
    /// The operator's statement; `nil` in the first version.
    public var statement: SignedStatement? { by?.statement }
}
