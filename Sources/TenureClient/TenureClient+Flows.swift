import Canonical
public import Credentials
public import TenureAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TenureClient {
    /// One flow that has started: its handle, and what proves the device's part in it.
    public struct Flow: Sendable {
        /// Registration or login.
        public let purpose: Challenge.Purpose
        /// The opaque handle.
        public let handle: String
        /// The challenge as the service wrote it.
        public let challenge: [UInt8]
    }

    /// Starts a registration; needs a secret with CREATION.
    public func startRegistration(
        company: String, employee: String, email: String, isCompanyOwnedEmail: Bool = false, key: some DeviceKey
    ) async throws -> Flow {
        let request = RegistrationRequest(
            companyName: company, companyEmployeeId: employee, email: email, isCompanyOwnedEmail: isCompanyOwnedEmail,
            employeePublicKey: key.publicKey.bytes)
        let started = try await call(.startRegistration, body: request, FlowStartedResponse.self)
        return Flow(purpose: .registration, handle: started.flow, challenge: started.challenge)
    }

    /// Starts a login; needs a secret with ACCESS.
    public func startLogin(company: String, employee: String, key: some DeviceKey) async throws -> Flow {
        let request = LoginRequest(
            companyName: company, companyEmployeeId: employee, employeePublicKey: key.publicKey.bytes)
        let started = try await call(.startLogin, body: request, FlowStartedResponse.self)
        return Flow(purpose: .login, handle: started.flow, challenge: started.challenge)
    }

    /// Proves possession of the device key; the response tells the next step.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` when the challenge is of another
    ///   purpose, flow, app or key than this one; nothing is signed then.
    public func proveKey(_ flow: Flow, key: some DeviceKey) async throws -> FlowOutcomeResponse {
        let challenge = try checkedChallenge(flow, key: key)
        let proof = try await key.signature(over: challenge)
        return try await call(
            flow.purpose == .registration ? .proveRegistrationKey : .proveLoginKey, ["flow": flow.handle],
            body: KeyProofRequest(keyProof: proof.bytes))
    }

    private func checkedChallenge(_ flow: Flow, key: some DeviceKey) throws(TenureClientError) -> Challenge {
        guard let bytes = Base64URL.decode(flow.handle), let id = UUID(bytes: bytes),
            let challenge = try? Challenge(parsing: flow.challenge)
        else { throw TenureClientError(.signingRefused) }
        let expected = ChallengeExpectation(
            purpose: flow.purpose, employeeKey: key.publicKey, flow: id, app: credentials.appId)
        do { try challenge.require(expected) } catch { throw TenureClientError(.signingRefused) }
        return challenge
    }

    /// Sets a new user's credentials.
    public func setCredentials(
        _ flow: Flow, questions: [SecurityQuestion], passphrase: String? = nil, questionsWithPassphrase: Bool = false
    ) async throws -> FlowOutcomeResponse {
        try await call(
            .setCredentials, ["flow": flow.handle],
            body: CredentialsRequest(
                securityQuestions: questions, passphrase: passphrase, questionsWithPassphrase: questionsWithPassphrase))
    }

    /// Sends answers.
    public func validateAnswers(
        _ flow: Flow, answers: [AnswersRequest.Answer]
    ) async throws -> FlowOutcomeResponse {
        try await call(
            flow.purpose == .registration ? .validateRegistrationAnswers : .validateLoginAnswers,
            ["flow": flow.handle], body: AnswersRequest(answers: answers))
    }

    /// Sends the passphrase.
    public func validatePassphrase(_ flow: Flow, passphrase: String) async throws -> FlowOutcomeResponse {
        try await call(
            flow.purpose == .registration ? .validateRegistrationPassphrase : .validateLoginPassphrase,
            ["flow": flow.handle], body: PassphraseRequest(passphrase: passphrase))
    }
}
