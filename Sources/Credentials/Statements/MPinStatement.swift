public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement that verifies, links or revokes an M-Pin identity, or issues an activation code. The tag says which, and
/// the member `action` repeats it.
///
/// The statement contains no user id. It names the hash of the M-Pin ID, or commits to the user id that a code is for.
public struct MPinStatement: Statement {
    /// The decision.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// The identity is verified.
        case verify
        /// The identity belongs to the device that signs, and to an account of its owner.
        case link
        /// The identity ends for good.
        case revoke
        /// A code may verify an identity of the user id.
        case activate

        /// The tag that belongs to the action.
        public var tag: SignatureTag {
            switch self {
            case .verify: .mpinVerification
            case .link: .mpinLink
            case .revoke: .mpinRevocation
            case .activate: .mpinActivation
            }
        }
    }

    /// The members every statement has.
    public var context: StatementContext
    /// The decision (`action`).
    public var action: Action
    /// The SHA-256 of the M-Pin ID; for a code the salted commitment to the user id. 32 bytes (`subject`).
    public var subject: [UInt8]
    /// The identity's random id (`identity`). Only a code has none.
    public var identity: UUID?
    /// The account that the identity is linked to (`employee`). Only a link has it.
    public var employee: UUID?
    /// The reason, as a code of 1 to 64 characters A–Z a–z 0–9 `.` `_` `-` (`reason`).
    public var reason: String

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, action: Action, subject: [UInt8], identity: UUID? = nil, employee: UUID? = nil,
        reason: String
    ) {
        self.context = context
        self.action = action
        self.subject = subject
        self.identity = identity
        self.employee = employee
        self.reason = reason
    }

    /// Verification, link, revocation, activation.
    public static let tags: [SignatureTag] = Action.allCases.map(\.tag)

    /// The tag that belongs to the action.
    public var tag: SignatureTag { action.tag }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "action": .string(action.rawValue), "subject": .bytes(subject), "reason": .string(reason),
        ]
        if let identity { members["identity"] = .uuid(identity) }
        if let employee { members["employee"] = .uuid(employee) }
        return members
    }

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        guard let action = Action(rawValue: try reader.string("action")), action.tag == tag else {
            throw CredentialsError(.statementInvalid, field: "action")
        }
        self.init(
            context: context, action: action, subject: try reader.bytes("subject", count: 32),
            identity: try reader.optionalUUID("identity"), employee: try reader.optionalUUID("employee"),
            reason: try reader.string("reason"))
    }

    /// Checks sizes and names. A code names no identity, and only a link names an account.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid``.
    public func check() throws(CredentialsError) {
        try context.check()
        try StatementCheck.hash(subject, "subject")
        try StatementCheck.code(reason, "reason")
        guard (action == .activate) == (identity == nil) else {
            throw CredentialsError(.statementInvalid, field: "identity")
        }
        guard (action == .link) == (employee != nil) else {
            throw CredentialsError(.statementInvalid, field: "employee")
        }
    }
}
