import Canonical
import Credentials
import ErrorCodes
import EventCoding
import Identity
import TenureAPI

/// Accepts a record that a client made and completes the registration, all or nothing.
///
/// The record must repeat what the flow fixed: ids, VOPRF keys, cost, mode. Its quality cannot be checked, because the
/// service sees neither answers nor passphrase.
struct SetBlindCredentials: Sendable {
    let context: ServiceContext

    /// A checked record that a client made.
    struct Made: Sendable {
        let record: CredentialsRecord
        let questions: [QuestionText]
        let userSignature: Signature
    }

    /// Parses the client's record and checks it against the flow's plan, the device and the tenant's policy.
    func made(
        _ input: ProofRequest, _ proved: FlowState.ProvedKey, _ state: FlowState, app: AppCaller, plan: SetUpPlan
    ) async throws -> Made {
        guard let entered = input.credentials else { throw Self.refused("/record", "a record is needed") }
        let chosen = try ChosenQuestions(app, at: "/questions").resolve(entered.questions.map(\.choice))
        let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(state.tenantId))
        var questions: [QuestionText] = []
        for (index, (item, question)) in zip(entered.questions, chosen).enumerated() {
            let text = try accepted(in: .record) { () throws(CredentialsError) in
                do throws(CredentialsError) {
                    // A client that sent a text has committed to that text, even if it is that of a listed question.
                    guard case .text(let text) = item.choice else {
                        return try QuestionText(question, salt: item.salt)
                    }
                    return try QuestionText(text, salt: item.salt)
                } catch {
                    throw error.placed(at: .question(index))
                }
            }
            questions.append(text)
        }
        try accepted(in: .record) { () throws(CredentialsError) in try QuestionText.requireFive(questions) }
        let record = try checked(entered.record, questions, state, plan)
        let flags = record.sealed.context.flags
        guard !flags.contains(.questionsWithPassphrase) || tenant.state.policy.questionsWithPassphrase else {
            throw Self.refused("/record", "the company's policy does not allow questions beside a passphrase")
        }
        let userSignature: Signature
        do {
            userSignature = try Challenge(kept: proved.challenge).verifyValidation(
                proof: input.userSignature, by: record.sealed.context.userPublicKey)
        } catch {
            throw Self.refused("/userSignature", "the signature does not verify")
        }
        return Made(record: record, questions: questions, userSignature: userSignature)
    }

    /// Parses the record and checks it against the flow. Every failure is the same refusal.
    private func checked(
        _ bytes: [UInt8], _ questions: [QuestionText], _ state: FlowState, _ plan: SetUpPlan
    ) throws(ServiceError) -> CredentialsRecord {
        do {
            let record = try CredentialsRecord(bytes: bytes)
            // The user chooses whether the credential requires the blind mode.
            var plan = plan
            plan.blindOnly = record.sealed.context.flags.contains(.blindOnly)
            try record.require(plan)
            try record.verify(
                employeeKey: try EmployeePublicKey(bytes: state.employeePublicKey), previous: plan.previous)
            try record.require(questions: questions)
            return record
        } catch {
            throw Self.refused("/record", "the record does not belong to this flow")
        }
    }

    private static func refused(_ pointer: String, _ detail: String) -> ServiceError {
        ServiceError(.requestInvalid, members: [.init(pointer: pointer, detail: detail)])
    }
}
