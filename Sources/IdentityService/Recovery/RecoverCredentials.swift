import Credentials
import FoundationEssentials
import Identity

/// Sets new credentials by a recovery, in direct mode.
struct RecoverCredentials: Sendable {
    let context: ServiceContext

    func run(
        flow: String, _ input: CredentialsInput, app: AppCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> FlowOutcome {
        let row = try await FlowStore(context: context).load(
            handle: flow, purpose: .recovery, app: app, at: call.time)
        guard row.state.step == .credentials, let proved = row.state.proved, let bytes = row.state.seed,
            let recovery = row.state.recovery
        else { throw ServiceError(.flowWrongStep) }
        let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(row.state.tenantId))
        guard tenant.state.policy.permits(.direct) else { throw ServiceError(.policyBlindOnly) }
        guard !input.questionsWithPassphrase || tenant.state.policy.questionsWithPassphrase else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/questionsWithPassphrase", detail: "the company's policy does not allow it")])
        }
        let seed = try OPRFSeed(bytes: bytes), previous = try await context.previousCredentials(of: row.state)
        let setUp = try accepted { () throws(CredentialsError) in
            try CredentialSetUp(
                plan: try SetUpPlan(
                    credentialId: recovery.credentialId, userId: row.state.userId, mode: .direct, seed: seed,
                    previous: previous, kdf: context.settings.scrypt),
                questions: input.securityQuestions.map { QuestionAndAnswer(question: $0.question, answer: $0.answer) },
                passphrase: input.passphrase, questionsWithPassphrase: input.questionsWithPassphrase)
        }
        return try await context.compute.admitted { admission in
            let made = try await admission.run { try setUp.complete(seed: seed, authority: recovery.authority) }
            let new = ChangedCredentials(
                record: try made.record(
                    deviceSignature: nil, employeeKey: try EmployeePublicKey(bytes: row.state.employeePublicKey)),
                questions: made.questions, seed: seed, proved: proved,
                userSignature: try made.userKey.sign(validationOf: try Challenge(kept: proved.challenge)))
            return try await CompleteRecovery(context: context).run(
                row, new, recovery, app: app, call: call, ticket: ticket)
        }
    }

    /// Takes a record that a client made, in blind mode.
    func run(
        _ row: FlowStore.Row, _ input: ProofInput, app: AppCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> FlowOutcome {
        guard let proved = row.state.proved, let bytes = row.state.seed, let recovery = row.state.recovery else {
            throw ServiceError(.flowWrongStep)
        }
        let seed = try OPRFSeed(bytes: bytes), previous = try await context.previousCredentials(of: row.state)
        let made = try await SetBlindCredentials(context: context).made(
            input, proved, row.state,
            plan: try SetUpPlan(
                credentialId: recovery.credentialId, userId: row.state.userId, mode: .blind, seed: seed,
                previous: previous, kdf: context.settings.scrypt))
        guard made.record.content.authority == .recovered(recovery.opened, recovery.confirmed) else {
            throw ServiceError(
                .requestInvalid, members: [.init(pointer: "/record", detail: "the record is not one of this flow")])
        }
        let new = ChangedCredentials(
            record: made.record, questions: made.questions, seed: seed, proved: proved,
            userSignature: made.userSignature)
        return try await CompleteRecovery(context: context).run(
            row, new, recovery, app: app, call: call, ticket: ticket)
    }
}
