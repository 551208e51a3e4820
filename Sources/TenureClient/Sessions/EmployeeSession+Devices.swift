import Credentials
public import TenureAPI

extension EmployeeSession {
    /// This employee's device keys, oldest first: which exist, since when, and who authorized them.
    public func devices() async throws -> [DeviceResponse] {
        try await withAuthority { authority in
            try await client.call(.listDevices, as: authority, PageResponse<DeviceResponse>.self).items
        }
    }

    /// Revokes a device key of this employee's own; the sessions that it opened end at once, and it never comes back.
    ///
    /// This device's key signs. When it is the one that is revoked, this device forgets session and key, and is a new
    /// device the next time.
    ///
    /// - Parameters:
    ///   - fingerprint: The lower-case hexadecimal fingerprint; spaces do not matter.
    ///   - reason: A code `[a-z0-9_.-]{1,64}`.
    /// - Returns: The position in the company's ledger; `nil` when the key was revoked before.
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` when the service would have another
    ///   thing signed.
    @discardableResult
    public func revokeDevice(fingerprint: String, reason: String = "lost") async throws -> Int64? {
        let wanted = fingerprint.filter { !$0.isWhitespace }.lowercased()
        let path = ["fingerprint": wanted]
        let own = try await client.keyStore.key(of: account)
        var response = try await withAuthority { authority in
            try await client.call(
                .revokeDevice, path, body: DecisionRequest(reason: reason), as: authority, DecisionResponse.self)
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
                    .revokeDevice, path, body: DecisionRequest(reason: reason, signed: signed), as: authority)
            }
        }
        guard case .done(_, let position) = response else { throw TenureClientError(.responseInvalid) }
        if own?.publicKey.fingerprint == wanted { try await forget() }
        return position
    }

    private func forget() async throws {
        try await client.sessions.keeper(of: account).end()
        try await client.keyStore.removeKey(of: account)
    }
}
