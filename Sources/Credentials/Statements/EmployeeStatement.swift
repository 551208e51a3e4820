public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement that approves, cancels or reinstates an account, or ends all of its sessions.
public struct EmployeeStatement: Statement {
    /// The decision; each has its own tag.
    public enum Action: String, Sendable, Hashable, CaseIterable {
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

    /// A statement about an employee.
    public init(
        context: StatementContext, action: Action, employee: UUID, registeredHash: [UInt8], reason: String
    ) {
        self.context = context
        self.action = action
        self.employee = employee
        self.registeredHash = registeredHash
        self.reason = reason
    }

    /// The tags of such statements.
    public static let tags: [SignatureTag] = Action.allCases.map(\.tag)
    /// The tag of this statement.
    public var tag: SignatureTag { action.tag }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        [
            "action": .string(action.rawValue), "employee": .uuid(employee), "registered": .bytes(registeredHash),
            "reason": .string(reason),
        ]
    }

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        guard let action = Action(rawValue: try reader.string("action")), action.tag == tag else {
            throw CredentialsError(.statementInvalid, field: "action")
        }
        self.init(
            context: context, action: action, employee: try reader.uuid("employee"),
            registeredHash: try reader.bytes("registered", count: 32), reason: try reader.string("reason"))
    }

    /// Checks sizes and names.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid``.
    public func check() throws(CredentialsError) {
        try context.check()
        try StatementCheck.hash(registeredHash, "registered")
        try StatementCheck.code(reason, "reason")
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

    /// A statement about the address of a user.
    public init(context: StatementContext, user: UUID, reason: String) {
        self.context = context
        self.user = user
        self.reason = reason
    }

    /// The tags of such statements.
    public static let tags: [SignatureTag] = [.emailReclaim]
    /// The tag of this statement.
    public var tag: SignatureTag { .emailReclaim }
    /// The members beside those of the context.
    public var members: [String: JSONValue] { ["user": .uuid(user), "reason": .string(reason)] }

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        self.init(context: context, user: try reader.uuid("user"), reason: try reader.string("reason"))
    }

    /// Checks sizes and names.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid``.
    public func check() throws(CredentialsError) {
        try context.check()
        try StatementCheck.code(reason, "reason")
    }
}
