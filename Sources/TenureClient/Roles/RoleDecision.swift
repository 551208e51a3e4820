public import Credentials
import TenureAPI

/// What a decision about somebody's role asks for next.
public enum RoleDecisionStep: Sendable {
    /// They have that role already; the position is absent then.
    case done(position: Int64?)
    /// This is what would be signed.
    case sign(RoleDecision)
}

/// The next thing to call: ``sign()``, once the person has agreed.
public struct RoleDecision: Sendable {
    /// What is signed about a role.
    public enum RoleOrSuccession: Sendable, Hashable {
        /// An admin is appointed or dismissed.
        case role(RoleStatement)
        /// Another security admin follows.
        case succession(SuccessionStatement)

        /// The exact bytes that are signed.
        public var bytes: [UInt8] {
            switch self {
            case .role(let statement): statement.bytes
            case .succession(let statement): statement.bytes
            }
        }

        /// Who decides, for which company, until when.
        public var context: StatementContext {
            switch self {
            case .role(let statement): statement.context
            case .succession(let statement): statement.context
            }
        }
    }

    let call: RoleDecisionCall
    /// The statement; it is about the employee and the role that were asked for and names this device's key as signer.
    public let statement: RoleOrSuccession

    /// The fingerprint of the device with which the next security admin will sign, 64 lower-case hex digits: the person
    /// reads out the same, or it is not them. `nil` for every other role.
    public var followerFingerprint: String? {
        guard case .succession(let succession) = statement else { return nil }
        return succession.toKey.fingerprint
    }

    /// Signs with this device's key and sends the signature. A statement may be used for a quarter of an hour.
    ///
    /// - Returns: The position in the company's ledger; `nil` when they got the role meanwhile.
    /// - Throws: ``TenureClientError`` with `request.stale` when something happened to the company meanwhile: decide
    ///   again then.
    public func sign() async throws -> Int64? {
        guard let key = try await call.session.client.keyStore.key(of: call.session.account),
            statement.context.signer.bytes == key.publicKey.bytes
        else { throw TenureClientError(.signingRefused) }
        let signature =
            switch statement {
            case .role(let role): try await key.signature(over: role)
            case .succession(let succession): try await key.signature(over: succession)
            }
        let signed = StatementSignature(statement: statement.bytes, signature: signature.bytes)
        guard case .done(_, let position) = try await call.send(signed) else {
            throw TenureClientError(.responseInvalid)
        }
        return position
    }
}

/// One decision as it goes to the service, first without a signature and then with it.
struct RoleDecisionCall: Sendable {
    let session: EmployeeSession
    let role: RoleRequest.Role
    let companyEmployeeId: String

    func send(_ signed: StatementSignature?) async throws -> DecisionResponse {
        let path = ["companyName": session.account.companyName, "companyEmployeeId": companyEmployeeId]
        let body = RoleRequest(role: role, signed: signed)
        return try await session.withAuthority { authority in
            try await session.client.call(.changeRole, path, body: body, as: authority)
        }
    }
}
