import Canonical
import Foundation
import MPinCryptography
import TenureAPI

extension MPinClient {
    /// Checks that a user can authenticate. There are no time permits to fetch, so nothing is sent.
    ///
    /// - Returns: `OK`, or `FLOW_ERROR` in another state than `REGISTERED`.
    public func startAuthentication(_ user: MPinUser) async -> MPinStatus {
        await with(user, in: [.registered]) { (_, _) async throws(MPinFailure) in }
    }

    /// Authenticates a registered user with the PIN.
    ///
    /// The right PIN proves the identity to the service and nothing else; ``logIn(_:pin:companyName:companyEmployeeId:)``
    /// opens a session. Requires a secret with ACCESS.
    ///
    /// ```swift
    /// switch await mpin.finishAuthentication(user, pin: entered).status {
    /// case .ok: showHome()
    /// case .incorrectPIN: user.getState() == .blocked ? showBlocked() : askAgain()
    /// case let other: show(other)
    /// }
    /// ```
    ///
    /// - Returns: `OK`; `INCORRECT_PIN`, after too many of which the user is `BLOCKED` and the token erased;
    ///   `PIN_INPUT_CANCELED`; `FLOW_ERROR`; `REVOKED`; `CLIENT_SECRET_EXPIRED`; `REQUEST_EXPIRED`.
    public nonisolated func finishAuthentication(_ user: MPinUser, pin: String) async -> MPinStatus {
        await finishAuthentication(user, entered: Self.entered(pin))
    }

    /// Proves the PIN and returns the authorization code, with which the app's back end asks for the verdict.
    ///
    /// The status says that the proof was sent, not that the PIN is right: only `POST …/authenticate` tells. The code can
    /// be redeemed once, within 60 seconds. The user's state does not change; after the verdict 410 delete the user.
    ///
    /// ```swift
    /// let (mpinStatus, code) = await mpin.finishAuthenticationMFA(user, pin: entered)
    /// if let code { await backEnd.logIn(code) }
    /// ```
    ///
    /// - Returns: As ``finishAuthentication(_:pin:)`` without the statuses of the verdict, and the code if `OK`.
    public nonisolated func finishAuthenticationMFA(
        _ user: MPinUser, pin: String
    ) async -> (status: MPinStatus, authorizationCode: String?) {
        await finishAuthenticationMFA(user, entered: Self.entered(pin))
    }

    private func finishAuthentication(_ user: MPinUser, entered: Result<MPinPIN, MPinFailure>) async -> MPinStatus {
        await with(user, in: [.registered]) { (record, backend) async throws(MPinFailure) in
            try await prove(&record, try entered.get(), user, backend)
        }
    }

    private func finishAuthenticationMFA(
        _ user: MPinUser, entered: Result<MPinPIN, MPinFailure>
    ) async -> (status: MPinStatus, authorizationCode: String?) {
        var code: String?
        let status = await with(user, in: [.registered]) { (record, backend) async throws(MPinFailure) in
            code = try await authorizationCode(record, try entered.get(), backend)
        }
        return (status, code)
    }

    /// Proves the PIN and asks for the verdict.
    func prove(
        _ record: inout MPinRecord, _ pin: MPinPIN, _ user: MPinUser, _ backend: MPinBackend
    ) async throws(MPinFailure) {
        let code = try await authorizationCode(record, pin, backend)
        // The code can be redeemed once, but a repetition under the same key gets the first response.
        let verdict = try await exchange(
            .authenticate, "POST", "/authenticate", at: backend.address, body: ["authOTT": .string(code)],
            isRepeatable: true, Verdict.init)
        guard verdict.mpinId == record.mpinId,
            verdict.identityId == nil || record.identityId == nil || verdict.identityId == record.identityId
        else { throw Self.otherIdentity }
        user.name(verdict.employee)
    }

    /// Goes through both passes and returns the authOTT, behind which the verdict is.
    func authorizationCode(
        _ record: MPinRecord, _ pin: MPinPIN, _ backend: MPinBackend
    ) async throws(MPinFailure) -> String {
        guard let bytes = record.token, let digits = record.pinDigits,
            let token = try? MPinToken(encoded: bytes, digits: digits)
        else { throw MPinFailure.storage }
        guard pin.digits == digits else {
            throw MPinFailure(.incorrectPIN, "The PIN has another number of digits. The service was not asked.")
        }
        let prover = MPinProver(identity: try Self.point(of: record))
        let id = JSONValue.string(record.mpinId)
        let first = try await exchange(
            .pass, "POST", "/rps/pass1", at: backend.address,
            body: ["mpin_id": id, "U": .string(Hex.encode(prover.commitment.encoded)), "pass": 1],
            isRepeatable: true, Pass1.init)
        guard let y = Hex.decodeAnyCase(first.challenge), let challenge = try? MPinChallenge(encoded: y),
            let response = try? prover.respond(to: challenge, token: token, pin: pin)
        else { throw MPinFailure(.responseParseError, "The service's challenge is no number of the group.") }
        let body = JSONValue.objectOmittingNil([
            "mpin_id": id, "V": .string(Hex.encode(response.encoded)), "handle": first.handle.map(JSONValue.string),
            "pass": 2,
        ])
        // The same V gets the same answer.
        return try await exchange(
            .pass, "POST", "/rps/pass2", at: backend.address, body: body, isRepeatable: true
        ) { json in
            var reader = try ObjectReader(json)
            return try reader.string("authOTT")
        }
    }
}
