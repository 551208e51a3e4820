import Canonical
public import Credentials
import ErrorCodes
public import TenureAPI

/// The next step of an authorization.
public enum AuthorizationStep: Sendable {
    /// The key is authorized. The position is `nil` if it had been authorized before.
    case authorized(position: Int64?)
    /// The tenant's policy requires an admin's signature over this statement.
    case confirm(AuthorizationConfirmation)
}

/// An authorization that awaits the approver's signature. Call ``sign()`` once the person has compared the fingerprint.
public struct AuthorizationConfirmation: Sendable {
    let client: TenureClient
    let approver: EmployeeSession
    let path: [String: String]
    /// The statement. It has been checked: it is about the requested key and names this device's key as signer.
    public let statement: KeyStatement

    /// The fingerprint of the key to authorize. Compare it with what the new device shows.
    public var fingerprint: String { statement.employeeKey.fingerprint }

    /// Signs with the approver's key on this device and sends the signature.
    ///
    /// - Returns: The position in the tenant's ledger; `nil` if the key was authorized in the meantime.
    /// - Throws: ``TenureClientError``, for example `authorization.unknown_key` or `authorization.not_permitted`.
    ///   ``TenureClientError/Code/signingRefused`` if this device has no key of the approver.
    public func sign() async throws -> Int64? {
        guard let key = try await client.keyStore.key(of: approver.account) else {
            throw TenureClientError(.signingRefused)
        }
        let signature = try await key.signature(over: statement)
        let body = DecisionRequest(signed: StatementSignature(statement: statement.bytes, signature: signature.bytes))
        let response = try await approver.withAuthority { authority in
            try await client.call(.authorizeKey, path, body: body, as: authority, DecisionResponse.self)
        }
        guard case .done(_, let position) = response else { throw TenureClientError(.responseInvalid) }
        return position
    }
}

extension TenureClient {
    /// Authorizes a pending device key.
    ///
    /// ```swift
    /// switch try await client.authorize(
    ///     employeePublicKey: shown, companyName: "acme.example", companyEmployeeId: "1042", as: adminSession)
    /// {
    /// case .authorized: break
    /// case .confirm(let confirmation):
    ///     if person.confirms(confirmation.fingerprint) { _ = try await confirmation.sign() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - employeePublicKey: The padded base64 that the new device showed.
    ///   - companyName: The tenant of the key's owner.
    ///   - companyEmployeeId: The id of the key's owner in the tenant.
    ///   - approver: The session of the admin who decides. If `nil`, the app vouches for the key itself, which requires
    ///     a secret with AUTHORIZATION.
    /// - Throws: ``TenureClientError`` with `employee.key_invalid` if the text is not a public key, and with
    ///   ``TenureClientError/Code/signingRefused`` if the service asks to sign anything else.
    public func authorize(
        employeePublicKey: String, companyName: String, companyEmployeeId: String, as approver: EmployeeSession? = nil
    ) async throws -> AuthorizationStep {
        guard let bytes = Base64.decode(employeePublicKey), let key = try? EmployeePublicKey(bytes: bytes) else {
            throw TenureClientError(.init(.employeeKeyInvalid))
        }
        let path = [
            "companyName": companyName, "companyEmployeeId": companyEmployeeId, "fingerprint": key.fingerprint,
        ]
        let response: DecisionResponse =
            if let approver {
                try await approver.withAuthority {
                    try await call(.authorizeKey, path, body: DecisionRequest(), as: $0)
                }
            } else { try await call(.authorizeKey, path, body: DecisionRequest()) }
        switch (response, approver) {
        case (.done(_, let position), _): return .authorized(position: position)
        case (.signatureRequired(let bytes), let approver?):
            let own = try await keyStore.key(of: approver.account)
            let company = try await PinnedCompany(of: approver.account, on: self)
            guard let own, let statement = try? KeyStatement(parsing: bytes, expecting: .keyAuthorization),
                statement.employeeKey == key, company.permits(statement.context, signedBy: own.publicKey)
            else { throw TenureClientError(.signingRefused) }
            return .confirm(
                AuthorizationConfirmation(client: self, approver: approver, path: path, statement: statement))
        case (.signatureRequired, nil): throw TenureClientError(.signingRefused)
        }
    }
}

extension EmployeeSession {
    /// Lists this employee's device keys, oldest first, with their state and their authorizer.
    ///
    /// - Throws: ``TenureClientError``, for example with ``TenureClientError/Code/notLoggedIn``.
    public func devices() async throws -> [DeviceResponse] {
        try await withAuthority { authority in
            try await client.call(.listDevices, as: authority, DevicesResponse.self).items
        }
    }

    /// Revokes one of this employee's own device keys. Its sessions end at once, and it can never be authorized again.
    ///
    /// This device's key signs the decision. If the revoked key is this device's own, the device removes session and
    /// key and counts as a new device from then on.
    ///
    /// - Parameters:
    ///   - fingerprint: The hexadecimal fingerprint. Case and spaces are ignored.
    ///   - reason: A code `[a-z0-9_.-]{1,64}`.
    /// - Returns: The position in the tenant's ledger; `nil` if the key had been revoked before.
    /// - Throws: ``TenureClientError``, with ``TenureClientError/Code/signingRefused`` if the service asks to sign
    ///   anything else.
    @discardableResult
    public func revokeDevice(fingerprint: String, reason: String = "lost") async throws -> Int64? {
        let wanted = fingerprint.filter { !$0.isWhitespace }.lowercased()
        let position = try await revoke(.revokeDevice, ["fingerprint": wanted], wanted, reason)
        if try await client.keyStore.key(of: account)?.publicKey.fingerprint == wanted { try await forget() }
        return position
    }

    /// Revokes a device key of a colleague, as an admin. Its sessions end at once, and it can never be authorized again.
    ///
    /// - Parameters:
    ///   - fingerprint: The hexadecimal fingerprint. Case and spaces are ignored.
    ///   - companyEmployeeId: The id of the key's owner in the tenant.
    ///   - reason: A code `[a-z0-9_.-]{1,64}`.
    /// - Returns: The position in the tenant's ledger; `nil` if the key had been revoked before.
    /// - Throws: ``TenureClientError``, with ``TenureClientError/Code/signingRefused`` if the service asks to sign
    ///   anything else.
    @discardableResult
    public func revokeDevice(
        fingerprint: String, of companyEmployeeId: String, reason: String = "lost"
    ) async throws -> Int64? {
        let wanted = fingerprint.filter { !$0.isWhitespace }.lowercased()
        let path = [
            "companyName": account.companyName, "companyEmployeeId": companyEmployeeId, "fingerprint": wanted,
        ]
        return try await revoke(.revokeKey, path, wanted, reason)
    }

    private func revoke(
        _ endpoint: Endpoint, _ path: [String: String], _ wanted: String, _ reason: String
    ) async throws -> Int64? {
        let own = try await client.keyStore.key(of: account)
        var response = try await withAuthority { authority in
            try await client.call(
                endpoint, path, body: DecisionRequest(reason: reason), as: authority, DecisionResponse.self)
        }
        if case .signatureRequired(let bytes) = response {
            let company = try await PinnedCompany(of: account, on: client)
            guard let own, let statement = try? KeyStatement(parsing: bytes, expecting: .keyRevocation),
                statement.employeeKey.fingerprint == wanted, statement.reason == reason,
                company.permits(statement.context, signedBy: own.publicKey)
            else { throw TenureClientError(.signingRefused) }
            let signature = try await own.signature(over: statement)
            let signed = StatementSignature(statement: bytes, signature: signature.bytes)
            response = try await withAuthority { authority in
                try await client.call(
                    endpoint, path, body: DecisionRequest(reason: reason, signed: signed), as: authority)
            }
        }
        guard case .done(_, let position) = response else { throw TenureClientError(.responseInvalid) }
        return position
    }

    private func forget() async throws {
        try await client.sessions.keeper(of: account).end()
        try await client.keyStore.removeKey(of: account)
    }
}
