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
        /// Registration, login, change or recovery.
        public let purpose: Challenge.Purpose
        /// The opaque handle.
        public let handle: String
        /// The challenge as the service wrote it.
        public let challenge: [UInt8]
        /// The company and the employee that this client named.
        let company: String
        let employee: String
        /// The salt with which the challenge commits to both.
        let subjectSalt: [UInt8]
        /// The device's key.
        let key: EmployeePublicKey

        init(
            _ purpose: Challenge.Purpose, _ started: FlowStartedResponse, company: String, employee: String,
            key: EmployeePublicKey
        ) {
            self.purpose = purpose
            handle = started.flow
            challenge = started.challenge
            subjectSalt = started.subjectSalt
            self.company = company
            self.employee = employee
            self.key = key
        }

        /// The operation of this flow's kind.
        func endpoint(
            _ registration: Endpoint, _ login: Endpoint, _ change: Endpoint, _ recovery: Endpoint
        ) -> Endpoint {
            switch purpose {
            case .registration: registration
            case .login: login
            case .change: change
            case .recovery: recovery
            }
        }

        /// The challenge, once every field that this client knows was compared: it is for this purpose, flow, app and key
        /// and about the company and employee that were named, so that none of another tenant can be relayed.
        func checkedChallenge(app: String, issuer: String? = nil) throws(TenureClientError) -> Challenge {
            guard let bytes = Base64URL.decode(handle), let id = UUID(bytes: Array(bytes.prefix(16))),
                subjectSalt.count == Commitment.saltByteCount,
                let subject = try? Commitment.subject(
                    salt: subjectSalt, companyName: company, companyEmployeeId: employee),
                let challenge = try? Challenge(parsing: challenge)
            else { throw TenureClientError(.signingRefused) }
            let expected = ChallengeExpectation(
                purpose: purpose, employeeKey: key, issuer: issuer, flow: id, subject: subject, app: app)
            do { try challenge.require(expected) } catch { throw TenureClientError(.signingRefused) }
            return challenge
        }
    }

    /// Starts a registration; needs a secret with CREATION.
    public func startRegistration(
        company: String, employee: String, email: String, isCompanyOwnedEmail: Bool = false, key: some DeviceKey
    ) async throws -> Flow {
        let request = RegistrationRequest(
            companyName: company, companyEmployeeId: employee, email: email, isCompanyOwnedEmail: isCompanyOwnedEmail,
            employeePublicKey: key.publicKey.bytes)
        let started = try await call(.startRegistration, body: request, FlowStartedResponse.self)
        return Flow(.registration, started, company: company, employee: employee, key: key.publicKey)
    }

    /// Starts a login; needs a secret with ACCESS.
    public func startLogin(company: String, employee: String, key: some DeviceKey) async throws -> Flow {
        let request = LoginRequest(
            companyName: company, companyEmployeeId: employee, employeePublicKey: key.publicKey.bytes)
        let started = try await call(.startLogin, body: request, FlowStartedResponse.self)
        return Flow(.login, started, company: company, employee: employee, key: key.publicKey)
    }

    /// Proves possession of the device key; the response tells the next step.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` when the challenge is of another
    ///   purpose, flow, app, key, company or employee than this one; nothing is signed then.
    public func proveKey(_ flow: Flow, key: some DeviceKey) async throws -> FlowOutcomeResponse {
        guard flow.key == key.publicKey else { throw TenureClientError(.signingRefused) }
        let challenge = try flow.checkedChallenge(app: credentials.appId, issuer: issuer)
        let proof = try await key.signature(over: challenge)
        return try await call(
            flow.endpoint(.proveRegistrationKey, .proveLoginKey, .proveChangeKey, .proveRecoveryKey),
            ["flow": flow.handle],
            body: KeyProofRequest(keyProof: proof.bytes))
    }

    /// Sets a new user's credentials.
    public func setCredentials(
        _ flow: Flow, questions: [NewSecurityQuestion], passphrase: String? = nil,
        questionsWithPassphrase: Bool = false
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
