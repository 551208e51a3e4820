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
        guard let entered = input.credentials else { throw Self.refused("/record", "a record is needed") }
        guard entered.questions.count == 5 else { throw ServiceError(.credentialsFiveQuestionsRequired) }
        let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(row.state.tenantId))
        let seed = try OPRFSeed(bytes: bytes)
        let questions = try accepted { () throws(CredentialsError) in
            var questions: [QuestionText] = []
            for item in entered.questions { questions.append(try QuestionText(item.question, salt: item.salt)) }
            try QuestionText.requireFive(questions)
            return questions
        }
        let record = try checked(entered.record, questions, seed, row.state)
        let flags = record.sealed.context.flags
        guard !flags.contains(.questionsWithPassphrase) || tenant.state.policy.questionsWithPassphrase else {
            throw Self.refused("/record", "the company's policy does not allow questions beside a passphrase")
        }
        let userSignature: Signature
        do {
            userSignature = try Challenge(parsing: proved.challenge).verifyValidation(
                proof: input.userSignature, by: record.sealed.context.userPublicKey)
        } catch {
            throw Self.refused("/userSignature", "the signature does not verify")
        }
        let new = NewUserCredentials(
            record: record, questions: questions, seed: seed, proved: proved, userSignature: userSignature)
        return try await CompleteRegistration(context: context).run(
            row, .newUser(new), app: app, call: call, ticket: ticket)
    }

    /// Reads the record and holds it against the flow; every failure is the same refusal.
    private func checked(
        _ bytes: [UInt8], _ questions: [QuestionText], _ seed: OPRFSeed, _ state: FlowState
    ) throws(ServiceError) -> CredentialsRecord {
        do {
            let record = try CredentialsRecord(bytes: bytes)
            try record.require(
                try SetUpPlan(
                    credentialId: state.credentialId, userId: state.userId, mode: .blind,
                    blindOnly: record.sealed.context.flags.contains(.blindOnly), seed: seed,
                    kdf: context.settings.scrypt))
            try record.verify(employeeKey: try EmployeePublicKey(bytes: state.employeePublicKey))
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
