import Canonical
import Crypto
import TenureAPI

/// The two flows as the demo company's people go through them, in direct mode.
struct DemoFlows: Sendable {
    let caller: DemoCaller
    let company: String

    /// Registers a person, or logs one in who is registered already.
    func enter(_ person: DemoPerson) async throws -> FlowOutcomeResponse {
        do {
            return try await register(person)
        } catch let refusal as DemoRefusal where refusal.problem.code == "employee.already_registered" {
            return try await logIn(person, from: person.device)
        }
    }

    /// Registers a person with five questions and answers.
    private func register(_ person: DemoPerson) async throws -> FlowOutcomeResponse {
        let started: FlowStartedResponse = try await caller.call(
            .startRegistration,
            body: RegistrationRequest(
                companyName: company, companyEmployeeId: person.employeeId, email: person.email,
                isCompanyOwnedEmail: person.isCompanyOwnedEmail,
                employeePublicKey: DemoPerson.point(of: person.device)))
        let step = try await prove(.proveRegistrationKey, started, with: person.device)
        guard case .setCredentials = step else { return step }
        let questions = zip(DemoPerson.questions, person.answers).map { question, answer in
            NewSecurityQuestion(question: question, answer: answer)
        }
        return try await caller.call(
            .setCredentials, ["flow": started.flow], body: CredentialsRequest(securityQuestions: questions))
    }

    /// Logs a person in from a device; `slips` wrong attempts come before the right one.
    func logIn(
        _ person: DemoPerson, from device: P256.Signing.PrivateKey, slips: Int = 0
    ) async throws -> FlowOutcomeResponse {
        let started: FlowStartedResponse = try await caller.call(
            .startLogin,
            body: LoginRequest(
                companyName: company, companyEmployeeId: person.employeeId,
                employeePublicKey: DemoPerson.point(of: device)))
        let step = try await prove(.proveLoginKey, started, with: device)
        guard case .validateAnswers(_, let questions, _) = step else { return step }
        for _ in 0..<slips {
            do {
                let wrong = questions.map { AnswersRequest.Answer(questionId: $0.questionId, answer: "I forgot") }
                return try await answer(started, wrong)
            } catch let refusal as DemoRefusal where refusal.problem.code == "answers.incorrect" {
                continue
            }
        }
        let known = Dictionary(uniqueKeysWithValues: zip(DemoPerson.questions, person.answers))
        return try await answer(
            started, questions.map { .init(questionId: $0.questionId, answer: known[$0.question] ?? "") })
    }

    /// Authorizes a key in the app's name.
    func authorize(_ person: DemoPerson, fingerprint: String) async throws {
        let _: DecisionResponse = try await caller.call(
            .authorizeKey,
            ["companyName": company, "companyEmployeeId": person.employeeId, "fingerprint": fingerprint])
    }

    private func answer(
        _ started: FlowStartedResponse, _ answers: [AnswersRequest.Answer]
    ) async throws -> FlowOutcomeResponse {
        try await caller.call(.validateLoginAnswers, ["flow": started.flow], body: AnswersRequest(answers: answers))
    }

    private func prove(
        _ endpoint: Endpoint, _ started: FlowStartedResponse, with device: P256.Signing.PrivateKey
    ) async throws -> FlowOutcomeResponse {
        let signature = try device.signature(for: started.challenge)
        return try await caller.call(
            endpoint, ["flow": started.flow], body: KeyProofRequest(keyProof: Array(signature.rawRepresentation)))
    }
}
