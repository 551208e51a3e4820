/// An event that somebody decided.
package protocol DecidedEvent: EventPayload {
    /// The authority that decided.
    var by: Authority { get }
}

extension EventPayload {
    /// The signed statement that the event carries; `nil` if nobody signed.
    package var statement: SignedStatement? {
        switch self {
        case let event as any DecidedEvent: event.by.statement
        case let event as EntryDisowned: event.by?.statement
        default: nil
        }
    }
}

extension AddressReclaimed: DecidedEvent {}
extension AdminAppointed: DecidedEvent {}
extension AdminDismissed: DecidedEvent {}
extension AppClientChanged: DecidedEvent {}
extension AppEnded: DecidedEvent {}
extension AppLinked: DecidedEvent {}
extension AppRegistered: DecidedEvent {}
extension AppResourceAdded: DecidedEvent {}
extension AppResourceRemoved: DecidedEvent {}
extension AppSecretIssued: DecidedEvent {}
extension AppSecretRetired: DecidedEvent {}
extension AppSecretRevoked: DecidedEvent {}
extension AppUnlinked: DecidedEvent {}
extension DomainConfirmed: DecidedEvent {}
extension EmailReclaimed: DecidedEvent {}
extension EmployeeApproved: DecidedEvent {}
extension EmployeeCancelled: DecidedEvent {}
extension EmployeeEmailChanged: DecidedEvent {}
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
extension OriginsChanged: DecidedEvent {}
extension PagesEnabled: DecidedEvent {}
extension RecoveryCancelled: DecidedEvent {}
extension RecoveryConfirmed: DecidedEvent {}
extension RecoveryOpened: DecidedEvent {}
extension ReturnCancelled: DecidedEvent {}
extension SecurityAdminSucceeded: DecidedEvent {}
extension TenantPolicyChanged: DecidedEvent {}
extension UserErased: DecidedEvent {}
