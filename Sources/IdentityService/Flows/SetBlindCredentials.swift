import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger

/// Takes a record that a client made and completes the registration: all or nothing.
///
/// The record must repeat what the flow fixed: ids, VOPRF keys, cost, mode. Its quality cannot be checked, since the
/// service sees neither answers nor passphrase.
struct SetBlindCredentials: Sendable {
    let context: ServiceContext

    func run(
        _ row: FlowStore.Row, _ input: ProofInput, app: AppCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> FlowOutcome {
        guard let proved = row.state.proved, let bytes = row.state.seed else { throw ServiceError(.flowWrongStep) }
        let made = try await made(
            input, proved, row.state,
            plan: try SetUpPlan(
                credentialId: row.state.credentialId, userId: row.state.userId, mode: .blind,
                seed: try OPRFSeed(bytes: bytes), kdf: context.settings.scrypt))
        let new = NewUserCredentials(
            record: made.record, questions: made.questions, seed: try OPRFSeed(bytes: bytes), proved: proved,
            userSignature: made.userSignature)
        return try await CompleteRegistration(context: context).run(
            row, .newUser(new), app: app, call: call, ticket: ticket)
    }

    /// What a client made, checked.
    struct Made: Sendable {
        let record: CredentialsRecord
        let questions: [QuestionText]
        let userSignature: Signature
    }

    /// Reads what the client made and holds it against the flow's plan, the device and the company's policy.
    func made(
        _ input: ProofInput, _ proved: FlowState.ProvedKey, _ state: FlowState, plan: SetUpPlan
    ) async throws -> Made {
        guard let entered = input.credentials else { throw Self.refused("/record", "a record is needed") }
        guard entered.questions.count == 5 else { throw ServiceError(.credentialsFiveQuestionsRequired) }
        let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(state.tenantId))
        let questions = try accepted { () throws(CredentialsError) in
            var questions: [QuestionText] = []
            for item in entered.questions { questions.append(try QuestionText(item.question, salt: item.salt)) }
            try QuestionText.requireFive(questions)
            return questions
        }
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

    /// Reads the record and holds it against the flow; every failure is the same refusal.
    private func checked(
        _ bytes: [UInt8], _ questions: [QuestionText], _ state: FlowState, _ plan: SetUpPlan
    ) throws(ServiceError) -> CredentialsRecord {
        do {
            let record = try CredentialsRecord(bytes: bytes)
            // Whether the credential insists on the blind mode is the person's choice.
            var plan = plan
            plan.blindOnly = record.sealed.context.flags.contains(.blindOnly)
            try record.require(plan)
            try record.verify(
                employeeKey: try EmployeePublicKey(bytes: state.employeePublicKey), previous: plan.previous)
            try record.require(questions: questions)
            return record
        } catch {
            throw Self.refused("/record", "the record is not one of this flow")
        }
    }

    private static func refused(_ pointer: String, _ detail: String) -> ServiceError {
        ServiceError(.requestInvalid, members: [.init(pointer: pointer, detail: detail)])
    }
}
