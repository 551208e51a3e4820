public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement that authorizes, refuses or revokes a device key. The tag says which, and the member `action` repeats
/// it.
public struct KeyStatement: Statement {
    /// The decision about the key.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// A pending key is authorized.
        case authorize
        /// A pending key is refused.
        case refuse
        /// A key is revoked.
        case revoke

        /// The tag that belongs to the action.
        public var tag: SignatureTag {
            switch self {
            case .authorize: .keyAuthorization
            case .refuse: .keyRefusal
            case .revoke: .keyRevocation
            }
        }
    }

    /// The members every statement has.
    public var context: StatementContext
    /// The decision about the key (`action`).
    public var action: Action
    /// The employee's random id (`employee`).
    public var employee: UUID
    /// SHA-256 of the 65-byte user public key, 32 bytes (`userKey`).
    public var userKeyHash: [UInt8]
    /// The whole public device key (`employeeKey`).
    public var employeeKey: EmployeePublicKey
    /// The reason, as a code of 1 to 64 characters A–Z a–z 0–9 `.` `_` `-` (`reason`).
    public var reason: String
    /// The hash of the `EmployeeKeyPresented` entry, 32 bytes (`presented`).
    public var presentedHash: [UInt8]
    /// The hash of the event that set the policy in force, 32 bytes; absent under the founding policy (`policy`).
    public var policyHash: [UInt8]?

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, action: Action, employee: UUID, userKeyHash: [UInt8],
        employeeKey: EmployeePublicKey, reason: String, presentedHash: [UInt8], policyHash: [UInt8]?
    ) {
        self.context = context
        self.action = action
        self.employee = employee
        self.userKeyHash = userKeyHash
        self.employeeKey = employeeKey
        self.reason = reason
        self.presentedHash = presentedHash
        self.policyHash = policyHash
    }

    /// Authorization, refusal, revocation.
    public static let tags: [SignatureTag] = Action.allCases.map(\.tag)

    /// The tag that belongs to the action.
    public var tag: SignatureTag { action.tag }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "action": .string(action.rawValue), "employee": .uuid(employee), "userKey": .bytes(userKeyHash),
            "employeeKey": .bytes(employeeKey.bytes), "reason": .string(reason), "presented": .bytes(presentedHash),
        ]
        if let policyHash { members["policy"] = .bytes(policyHash) }
        return members
    }

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        guard let action = Action(rawValue: try reader.string("action")), action.tag == tag else {
            throw CredentialsError(.statementInvalid, field: "action")
        }
        self.init(
            context: context, action: action, employee: try reader.uuid("employee"),
            userKeyHash: try reader.bytes("userKey", count: 32),
            employeeKey: try EmployeePublicKey(bytes: try reader.bytes("employeeKey", count: 65)),
            reason: try reader.string("reason"), presentedHash: try reader.bytes("presented", count: 32),
            policyHash: try reader.optionalBytes("policy", count: 32))
    }

    /// Checks sizes and names. A key cannot authorize itself.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid``.
    public func check() throws(CredentialsError) {
        try context.check()
        try StatementCheck.hash(userKeyHash, "userKey")
        try StatementCheck.hash(presentedHash, "presented")
        if let policyHash { try StatementCheck.hash(policyHash, "policy") }
        try StatementCheck.code(reason, "reason")
        guard action != .authorize || context.signer.bytes != employeeKey.bytes else {
            throw CredentialsError(.statementInvalid, field: "signer")
        }
    }
}
