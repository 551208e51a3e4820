public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement that authorizes, refuses or revokes a device key.
public struct KeyStatement: ActionStatement {
    /// The decision about the key.
    public enum Action: String, StatementAction {
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
    /// The decision about the key.
    public var action: Action
    /// The employee's random id.
    public var employee: UUID
    /// SHA-256 of the 65-byte user public key, 32 bytes.
    public var userKeyHash: [UInt8]
    /// The whole public device key.
    public var employeeKey: EmployeePublicKey
    /// The reason, as a code.
    public var reason: String
    /// The hash of the `EmployeeKeyPresented` entry, 32 bytes.
    public var presentedHash: [UInt8]
    /// The hash of the event that set the policy in force, 32 bytes; absent under the founding policy.
    public var policyHash: [UInt8]?

    /// The members in the signed bytes.
    public static let members = MemberTable<KeyStatement, Void>(
        "KeyStatement", KeyStatement.init,
        Member(inline: \.context), Member("action", \.action), Member("employee", \.employee),
        Member("userKey", \.userKeyHash, .hash), Member("employeeKey", \.employeeKey, .key),
        Member("reason", \.reason, .code), Member("presented", \.presentedHash, .hash),
        Member(optional: "policy", \.policyHash, .hash))

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, action: Action, employee: UUID, userKeyHash: [UInt8],
        employeeKey: EmployeePublicKey, reason: String, presentedHash: [UInt8], policyHash: [UInt8]?
    ) {
        (self.context, self.action, self.employee, self.reason) = (context, action, employee, reason)
        (self.userKeyHash, self.employeeKey) = (userKeyHash, employeeKey)
        (self.presentedHash, self.policyHash) = (presentedHash, policyHash)
    }

    /// A key cannot authorize itself.
    public func checkTogether() throws(CredentialsError) {
        try require(action != .authorize || context.signer.bytes != employeeKey.bytes, "signer")
    }
}
