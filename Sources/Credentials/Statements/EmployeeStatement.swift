public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement that approves, cancels or reinstates an account, or ends all of its sessions.
public struct EmployeeStatement: ActionStatement {
    /// The decision; each has its own tag.
    public enum Action: String, StatementAction {
        /// Approves the account.
        case approve
        /// Cancels the account.
        case cancel
        /// Undoes a cancellation.
        case reinstate
        /// Ends all sessions.
        case endSessions

        /// The tag of statements with this action.
        public var tag: SignatureTag {
            switch self {
            case .approve: .employeeApproval
            case .cancel: .employeeCancellation
            case .reinstate: .employeeReinstatement
            case .endSessions: .sessionsEnd
            }
        }
    }

    /// The members every statement has.
    public var context: StatementContext
    /// The decision.
    public var action: Action
    /// The employee.
    public var employee: UUID
    /// The leaf hash of the employee's registration, 32 bytes.
    public var registeredHash: [UInt8]
    /// The reason, as a code.
    public var reason: String

    /// The members in the signed bytes.
    public static let members = MemberTable<EmployeeStatement, Void>(
        "EmployeeStatement", EmployeeStatement.init,
        Member(inline: \.context), Member("action", \.action), Member("employee", \.employee),
        Member("registered", \.registeredHash, .hash), Member("reason", \.reason, .code))

    /// A statement about an employee.
    public init(context: StatementContext, action: Action, employee: UUID, registeredHash: [UInt8], reason: String) {
        (self.context, self.action, self.employee) = (context, action, employee)
        (self.registeredHash, self.reason) = (registeredHash, reason)
    }
}

/// A statement that reclaims an address in a confirmed domain of the tenant from its user.
public struct ReclaimStatement: Statement {
    /// The members every statement has.
    public var context: StatementContext
    /// The user who loses the address.
    public var user: UUID
    /// The reason, as a code.
    public var reason: String

    /// The members in the signed bytes.
    public static let members = MemberTable<ReclaimStatement, Void>(
        "ReclaimStatement", ReclaimStatement.init,
        Member(inline: \.context), Member("user", \.user), Member("reason", \.reason, .code))

    /// A statement about the address of a user.
    public init(context: StatementContext, user: UUID, reason: String) {
        (self.context, self.user, self.reason) = (context, user, reason)
    }

    /// The only tag.
    public static let tags: [SignatureTag] = [.emailReclaim]
}
