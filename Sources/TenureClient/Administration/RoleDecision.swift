import Canonical
public import Credentials
public import TenureAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The next step of a decision about a role.
public enum RoleDecisionStep: Sendable {
    /// The decision is made. The position is `nil` if the employee already had the role.
    case done(position: Int64?)
    /// The statement must be signed.
    case sign(RoleDecision)
}

/// A decision about a role that awaits this device's signature. Call ``sign()`` once the person has agreed.
public struct RoleDecision: Sendable {
    /// The statement to sign.
    public enum RoleOrSuccession: Sendable, Hashable {
        /// The appointment or dismissal of an admin.
        case role(RoleStatement)
        /// The succession of another security admin.
        case succession(SuccessionStatement)

        /// The exact bytes to sign.
        public var bytes: [UInt8] {
            switch self {
            case .role(let statement): statement.bytes
            case .succession(let statement): statement.bytes
            }
        }

        /// The signer, the tenant and the expiry of the statement.
        public var context: StatementContext {
            switch self {
            case .role(let statement): statement.context
            case .succession(let statement): statement.context
            }
        }
    }

    let call: RoleDecisionCall
    /// The statement. It has been checked: it is about the requested employee and role and names this device's key as
    /// signer.
    public let statement: RoleOrSuccession

    /// The fingerprint of the device key with which the next security admin will sign: 64 lower-case hex digits. `nil`
    /// for other roles.
    ///
    /// The person must read out the same fingerprint. If it differs, do not sign.
    public var followerFingerprint: String? {
        guard case .succession(let succession) = statement else { return nil }
        return succession.toKey.fingerprint
    }

    /// The sorted fingerprints of the device keys that will carry the role. Empty for a dismissal.
    public var roleKeys: [String] {
        switch statement {
        case .role(let role): role.keys ?? []
        case .succession(let succession): succession.keys
        }
    }

    /// Signs the statement with this device's key and sends the signature. A statement expires after 15 minutes.
    ///
    /// - Returns: The position in the tenant's ledger; `nil` if the employee got the role in the meantime.
    /// - Throws: ``TenureClientError`` with `request.stale` if the tenant changed in the meantime; begin the decision
    ///   again then. ``TenureClientError/Code/signingRefused`` if this device has lost its key.
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

/// A decision as it is sent to the service, first without and then with a signature.
struct RoleDecisionCall: Sendable {
    let session: EmployeeSession
    let role: RoleRequest.Role
    let companyEmployeeId: String
    /// The sorted lower-case fingerprints of the keys that shall carry the role; `nil` if the service chooses them.
    let keys: [String]?

    init(session: EmployeeSession, role: RoleRequest.Role, companyEmployeeId: String, keys: [String]?) {
        self.session = session
        self.role = role
        self.companyEmployeeId = companyEmployeeId
        self.keys = keys?.map { $0.filter { !$0.isWhitespace }.lowercased() }.sorted()
    }

    func send(_ signed: StatementSignature?) async throws -> DecisionResponse {
        let path = ["companyName": session.account.companyName, "companyEmployeeId": companyEmployeeId]
        let body = RoleRequest(role: role, fingerprints: keys, signed: signed)
        return try await session.withAuthority { authority in
            try await session.client.call(.changeRole, path, body: body, as: authority)
        }
    }
}

/// The expected content of a statement about a role, known to the client before it sees the statement.
struct RoleExpectation: Sendable {
    /// The longest accepted lifetime of a statement: the 15 minutes of the service, plus five minutes by which this
    /// device's clock may be late.
    static let longestLife: Duration = .seconds(900 + 300)

    private let role: RoleRequest.Role
    private let signer: EmployeePublicKey
    private let company: PinnedCompany
    private let employee: UUID
    /// The id of the current security admin; `nil` unless the decision is a succession.
    private let own: UUID?
    private let followerFingerprint: String?
    private let keys: [String]?

    /// Collects the expected values: this device's key as signer, the pinned tenant if there is one, and the registered
    /// ids of the employee and, for a succession, of the signer.
    init(
        _ role: RoleRequest.Role, of companyEmployeeId: String, followerFingerprint: String?, keys: [String]?,
        by session: EmployeeSession
    ) async throws {
        guard let key = try await session.client.keyStore.key(of: session.account) else {
            throw TenureClientError(.signingRefused)
        }
        signer = key.publicKey
        company = try await PinnedCompany(of: session.account, on: session.client)
        employee = try await session.registeredId(of: companyEmployeeId)
        own =
            role == .securityAdmin ? try await session.registeredId(of: session.account.companyEmployeeId) : nil
        self.role = role
        self.keys = keys
        self.followerFingerprint = followerFingerprint?.filter { !$0.isWhitespace }.lowercased()
    }

    /// Parses a statement and returns it if it has the expected content.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused``.
    func statement(_ bytes: [UInt8], at now: Timestamp) throws(TenureClientError) -> RoleDecision.RoleOrSuccession {
        let statement: RoleDecision.RoleOrSuccession? =
            switch role {
            case .admin: appointment(bytes, .appoint, reason: "appointed")
            case .employee: appointment(bytes, .dismiss, reason: "dismissed")
            case .securityAdmin: succession(bytes)
            }
        guard let statement, company.permits(statement.context, signedBy: signer),
            statement.context.expires <= now.adding(Self.longestLife)
        else { throw TenureClientError(.signingRefused) }
        return statement
    }

    private func appointment(
        _ bytes: [UInt8], _ action: RoleStatement.Action, reason: String
    ) -> RoleDecision.RoleOrSuccession? {
        guard let statement = try? RoleStatement(parsing: bytes, expecting: .role), statement.action == action,
            statement.employee == employee, statement.role == "admin", statement.reason == reason,
            keys == nil || statement.keys == keys
        else { return nil }
        return .role(statement)
    }

    private func succession(_ bytes: [UInt8]) -> RoleDecision.RoleOrSuccession? {
        guard let statement = try? SuccessionStatement(parsing: bytes, expecting: .succession),
            statement.from == own, statement.to == employee, statement.reason == "succession",
            keys == nil || statement.keys == keys,
            followerFingerprint == nil || statement.toKey.fingerprint == followerFingerprint
        else { return nil }
        return .succession(statement)
    }
}

extension EmployeeSession {
    /// Appoints an admin, dismisses one, or hands the role of security admin over.
    ///
    /// The security admin appoints and dismisses admins. The security admin cannot be dismissed: they name a successor
    /// within ten minutes after a log-in and become an ordinary employee. Giving a role that the employee already has
    /// changes nothing.
    ///
    /// ```swift
    /// switch try await session.decideRole(.admin, of: "bo") {
    /// case .done: break  // Bo is an admin already.
    /// case .sign(let decision): _ = try await decision.sign()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - role: The new role.
    ///   - companyEmployeeId: The id of the employee who gets the role.
    ///   - followerFingerprint: The fingerprint that the next security admin reads out. Spaces are ignored. A
    ///     succession to another key is then refused. Without it, compare ``RoleDecision/followerFingerprint`` before
    ///     you sign.
    ///   - keys: The fingerprints of the device keys that shall carry the role, compared with the person's devices.
    ///     `nil` chooses all keys that founding or an admin's signature authorized.
    /// - Throws: ``TenureClientError``: `authorization.not_permitted`, `employee.unknown`, `employee.inactive`, or
    ///   `authorization.unknown_key` if no device key can carry the role; name one in `keys`.
    ///   ``TenureClientError/Code/signingRefused`` if the service asks to sign anything else.
    public func decideRole(
        _ role: RoleRequest.Role, of companyEmployeeId: String, followerFingerprint: String? = nil,
        keys: [String]? = nil
    ) async throws -> RoleDecisionStep {
        let call = RoleDecisionCall(session: self, role: role, companyEmployeeId: companyEmployeeId, keys: keys)
        switch try await call.send(nil) {
        case .done(_, let position): return .done(position: position)
        case .signatureRequired(let bytes):
            let known = try await RoleExpectation(
                role, of: companyEmployeeId, followerFingerprint: followerFingerprint,
                keys: call.keys, by: self)
            return .sign(RoleDecision(call: call, statement: try known.statement(bytes, at: .now())))
        }
    }
}

extension EmployeeSession {
    /// The maximum number of ledger pages to read: ten million events.
    private static let maximumPages = 1_000

    /// Returns the id under which the ledger registered an employee. A statement about the employee must name it.
    ///
    /// The id comes from the registration event, because no other read contains it. The event is as trustworthy as any
    /// read: the service must then lie consistently in the event and in the statement. A ledger of ten thousand events
    /// takes one request.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` if the ledger has no such
    ///   employee, because there is nothing to compare a statement with.
    func registeredId(of companyEmployeeId: String) async throws -> UUID {
        let company = account.companyName
        let wanted = client.account(companyName: company, companyEmployeeId: companyEmployeeId)
        var after: Int64?
        for _ in 0..<Self.maximumPages {
            let cursor = after
            let page = try await withAuthority { authority in
                try await client.events(
                    of: company, after: cursor, type: "EmployeeRegistered", employee: companyEmployeeId, as: authority)
            }
            for event in page.items where event.type == "EmployeeRegistered" {
                guard var reader = try? ObjectReader(event.data), let id = try? reader.uuid("employeeId"),
                    let name = try? reader.string("companyEmployeeId"),
                    client.account(companyName: company, companyEmployeeId: name) == wanted
                else { continue }
                return id
            }
            guard let next = page.next else { throw TenureClientError(.signingRefused) }
            guard next > after ?? 0 else { throw TenureClientError(.responseInvalid) }
            after = next
        }
        throw TenureClientError(.responseInvalid)
    }
}
