import Canonical
public import Credentials
public import TenureAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TenureClient {
    /// A started flow, as the single calls use it.
    public struct Flow: Sendable {
        /// The kind of flow: registration, log-in, change, recovery or return.
        public let purpose: Challenge.Purpose
        /// The opaque handle.
        public let handle: String
        /// The challenge as the service sent it.
        public let challenge: [UInt8]
        /// The tenant and the employee that this client named.
        let company: String
        let employee: String
        /// The salt with which the challenge commits to tenant and employee.
        let subjectSalt: [UInt8]
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

        /// The endpoint for this kind of flow.
        func endpoint(
            _ registration: Endpoint, _ login: Endpoint, _ change: Endpoint, _ recovery: Endpoint,
            _ comeback: Endpoint
        ) -> Endpoint {
            switch purpose {
            case .registration: registration
            // Only a browser waits, after a flow.
            case .login, .wait: login
            case .change: change
            case .recovery: recovery
            case .return: comeback
            }
        }

        /// The endpoint that takes answers in direct mode.
        var answersEndpoint: Endpoint {
            switch purpose {
            case .registration: .validateRegistrationAnswers
            case .return: .validateReturnAnswers
            case .login, .change, .recovery, .wait: .validateLoginAnswers
            }
        }

        /// The endpoint that takes the passphrase in direct mode.
        var passphraseEndpoint: Endpoint {
            switch purpose {
            case .registration: .validateRegistrationPassphrase
            case .return: .validateReturnPassphrase
            case .login, .change, .recovery, .wait: .validateLoginPassphrase
            }
        }

        /// Parses the challenge and checks every field that this client knows: purpose, flow, app, key, tenant and
        /// employee. So a challenge of another tenant cannot be relayed.
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

    /// Starts a registration. Requires a secret with CREATION, and an invitation if the tenant requires one.
    ///
    /// - Parameter intent: Whether the person means to join the tenant or to found it.
    /// - Throws: ``TenureClientError``, for example `registration.invitation_required`, `invitation.invalid`,
    ///   `company.unknown` or `company.already_founded`.
    public func startRegistration(
        company: String, employee: String, email: String, isCompanyOwnedEmail: Bool = false,
        invitation: String? = nil, intent: RegistrationRequest.Intent? = nil, key: some DeviceKey
    ) async throws -> Flow {
        let request = RegistrationRequest(
            companyName: company, companyEmployeeId: employee, email: email, isCompanyOwnedEmail: isCompanyOwnedEmail,
            employeePublicKey: key.publicKey.bytes, invitation: invitation, intent: intent)
        let started = try await call(.startRegistration, body: request, FlowStartedResponse.self)
        return Flow(.registration, started, company: company, employee: employee, key: key.publicKey)
    }

    /// Starts a log-in. Requires a secret with ACCESS.
    ///
    /// - Throws: ``TenureClientError``, for example `app.role_missing` or `request.rate_limited`.
    public func startLogin(company: String, employee: String, key: some DeviceKey) async throws -> Flow {
        let request = LoginRequest(
            companyName: company, companyEmployeeId: employee, employeePublicKey: key.publicKey.bytes)
        let started = try await call(.startLogin, body: request, FlowStartedResponse.self)
        return Flow(.login, started, company: company, employee: employee, key: key.publicKey)
    }

    /// Proves possession of the device key. The response tells the next step.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` if the challenge is for another
    ///   purpose, flow, app, key, tenant or employee. Nothing has been signed then.
    public func proveKey(_ flow: Flow, key: some DeviceKey) async throws -> FlowOutcomeResponse {
        guard flow.key == key.publicKey else { throw TenureClientError(.signingRefused) }
        let challenge = try flow.checkedChallenge(app: credentials.appId, issuer: issuer)
        let proof = try await key.signature(over: challenge)
        return try await call(
            flow.endpoint(.proveRegistrationKey, .proveLoginKey, .proveChangeKey, .proveRecoveryKey, .proveReturnKey),
            ["flow": flow.handle],
            body: KeyProofRequest(keyProof: proof.bytes))
    }

    /// Sets a new user's credentials in direct mode.
    ///
    /// - Throws: ``TenureClientError``, for example `credentials.too_weak` or `policy.blind_only`.
    public func setCredentials(
        _ flow: Flow, questions: [NewSecurityQuestion], passphrase: String? = nil,
        questionsWithPassphrase: Bool = false
    ) async throws -> FlowOutcomeResponse {
        try await call(
            .setCredentials, ["flow": flow.handle],
            body: CredentialsRequest(
                securityQuestions: questions, passphrase: passphrase, questionsWithPassphrase: questionsWithPassphrase))
    }

    /// Sends answers in direct mode.
    ///
    /// - Throws: ``TenureClientError``, for example `answers.incorrect` or `credentials.locked`.
    public func validateAnswers(
        _ flow: Flow, answers: [AnswersRequest.Answer]
    ) async throws -> FlowOutcomeResponse {
        try await call(
            flow.answersEndpoint, ["flow": flow.handle], body: AnswersRequest(answers: answers))
    }

    /// Sends the passphrase in direct mode.
    ///
    /// - Throws: ``TenureClientError``, for example `passphrase.incorrect` or `credentials.locked`.
    public func validatePassphrase(_ flow: Flow, passphrase: String) async throws -> FlowOutcomeResponse {
        try await call(
            flow.passphraseEndpoint, ["flow": flow.handle], body: PassphraseRequest(passphrase: passphrase))
    }
}
