public import TenureAPI

/// The outcome of a log-in by a passkey.
public enum PasskeyLogin: Sendable {
    /// A session was opened.
    case success(Admission)
    /// The passkey waits until somebody with authority authorizes it. Show the words of its fingerprint.
    case authorizationPending(fingerprint: String)
}

extension TenureClient {
    /// Gives what a passkey is asked with at a log-in. Requires a secret with ACCESS.
    ///
    /// - Throws: ``TenureClientError``, for example `route.unknown` if the service takes no passkeys.
    public func passkeyOptions() async throws -> PasskeyOptionsResponse { try await call(.startPasskeyLogin) }

    /// Logs in by a passkey, which names the account.
    ///
    /// ```swift
    /// let options = try await tenure.passkeyOptions()
    /// // Ask the authenticator with options.rpId and options.digest; `assertion` is what it gives.
    /// let answer = PasskeyAnswer(
    ///     credentialId: Array(assertion.credentialID), authenticatorData: Array(assertion.rawAuthenticatorData),
    ///     clientDataJSON: Array(assertion.rawClientDataJSON), signature: Array(assertion.signature),
    ///     userHandle: Array(assertion.userID))
    /// switch try await tenure.logIn(passkey: answer, challenge: options.challenge) {
    /// case .success(let admission): show(admission.companyEmployeeId)
    /// case .authorizationPending(let fingerprint): show(FingerprintWords(hex: fingerprint).text)
    /// }
    /// ```
    ///
    /// - Parameter challenge: That of the options; it is answered once, within two minutes.
    /// - Throws: ``TenureClientError``: `employee.key_invalid` for whatever is wrong with the answer, `flow.expired`,
    ///   `employee.inactive`, `employee.not_approved`, or `authorization.not_permitted` if the key ended or the company
    ///   asks for a secret.
    public func logIn(passkey answer: PasskeyAnswer, challenge: [UInt8]) async throws -> PasskeyLogin {
        let request = PasskeyLoginRequest(challenge: challenge, answer: answer)
        switch try await call(.answerPasskeyLogin, body: request, FlowOutcomeResponse.self) {
        case .success(let tokens, let employee, let position):
            guard let id = employee.companyEmployeeId else { throw TenureClientError(.responseInvalid) }
            let account = account(companyName: employee.companyName, companyEmployeeId: id)
            try await sessions.keeper(of: account).begin(SessionTokens(tokens))
            return .success(
                Admission(
                    EmployeeSession(client: self, account: account), employee, fingerprint: "", position: position,
                    credentialsChangeRequired: tokens.credentialsChangeRequired, notices: tokens.notices))
        case .authorizationPending(_, let fingerprint, _): return .authorizationPending(fingerprint: fingerprint)
        case .setCredentials, .validateAnswers, .validatePassphrase: throw TenureClientError(.responseInvalid)
        }
    }
}

extension EmployeeSession {
    /// Gives what a passkey of this account is made with.
    ///
    /// - Throws: ``TenureClientError``, for example `route.unknown` if the service takes no passkeys.
    public func passkeyOptions() async throws -> PasskeyOptionsResponse {
        try await withAuthority { try await client.call(.readPasskeyOptions, as: $0) }
    }

    /// Presents a passkey as a further device key of this account. It waits like any other:
    /// ``authorizeDevice(fingerprint:)`` authorizes it from this device.
    ///
    /// - Parameters:
    ///   - creation: The new passkey, made with the digest of the options.
    ///   - answer: What it answered next, to the same digest.
    ///   - challenge: That of the options.
    /// - Returns: The device key.
    /// - Throws: ``TenureClientError``: `employee.key_invalid`, `flow.expired`, or `authorization.not_permitted` for a key
    ///   that ended, or too many that wait.
    public func addPasskey(
        _ creation: NewPasskey, answer: PasskeyAnswer, challenge: [UInt8]
    ) async throws -> DeviceResponse {
        let request = PasskeyRequest(challenge: challenge, creation: creation, answer: answer)
        return try await withAuthority { try await client.call(.presentPasskey, body: request, as: $0) }
    }
}
