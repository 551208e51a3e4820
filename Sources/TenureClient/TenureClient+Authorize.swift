import Canonical
public import Credentials
import TenureAPI

/// What an authorization asks for next.
public enum AuthorizationStep: Sendable {
    /// The key is authorized; the position is absent when it was so before.
    case authorized(position: Int64?)
    /// The company's policy wants an admin's signature, and this is what would be signed.
    case confirm(AuthorizationConfirmation)
}

/// The next thing to call: ``sign()``, once the person has compared the fingerprint.
public struct AuthorizationConfirmation: Sendable {
    let client: TenureClient
    let approver: EmployeeSession
    let path: [String: String]
    /// The statement; it is about the key that was asked for and names this device's key as signer.
    public let statement: KeyStatement

    /// The fingerprint of the key that would be authorized, to be compared with what the new device shows.
    public var fingerprint: String { statement.employeeKey.fingerprint }

    /// Signs with the approver's key on this device and sends the signature.
    ///
    /// - Returns: The position in the company's ledger; `nil` when the key was authorized meanwhile.
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
    /// Authorizes a key that waits.
    ///
    /// - Parameters:
    ///   - employeePublicKey: The padded base64 that the new device showed.
    ///   - companyName: The company of the key's owner.
    ///   - companyEmployeeId: The name that the key's owner has there.
    ///   - approver: The admin who decides; without one the app itself vouches, with a secret that has AUTHORIZATION.
    /// - Throws: ``TenureClientError`` with `employee.key_invalid` when the text is no public key, and with
    ///   ``TenureClientError/Code/signingRefused`` when the service would have another thing signed.
    public func authorize(
        employeePublicKey: String, companyName: String, companyEmployeeId: String, as approver: EmployeeSession? = nil
    ) async throws -> AuthorizationStep {
        guard let bytes = Base64.decode(employeePublicKey), let key = try? EmployeePublicKey(bytes: bytes) else {
            throw TenureClientError(.init(rawValue: TenureClientError.Kind.employeeKeyInvalid.rawValue))
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
