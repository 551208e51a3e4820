import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger
import Logging

/// What replacing credentials is, whoever was entitled to it: the new record, the end of the old seed and of every
/// session of the user.
extension FlowRecorder {
    /// Adds the events, the exchange of seeds and the end of sessions in every company.
    mutating func replaceCredentials(
        _ events: [UserEvent], with new: ChangedCredentials, of user: UserSnapshot, key: PersonKey,
        by employee: EmployeeID
    ) async throws {
        let ledger = LedgerID.directory(of: user.id)
        guard let seed = SecretKey(bytes: new.seed.bytes) else { throw ServiceError(.serviceUnavailable) }
        for event in events {
            try add(
                event.payload, to: .user(user.id), version: user.version, keys: [user.id.uuid: key],
                about: user.id.uuid, by: employee)
        }
        statements.append(context.seeds.deletion(credentialId: row.state.credentialId, ledger: ledger.uuid))
        statements.append(
            try await context.seeds.insertion(
                of: CredentialSeeds(answers: seed, passphrase: nil), credentialId: new.credentialId,
                ledger: ledger.uuid))
        let accounts = try await context.accounts(of: user.id)
        statements.append(context.stillAccounts(accounts.count, of: user.id))
        for account in accounts {
            ledgers.insert(LedgerID(account.tenant.uuid))
            statements.append(OpenedSession.deletion(employee: account.employee, tenant: account.tenant))
        }
    }

    /// Appends with a new session for the flow's device, whose key is in force.
    mutating func openSession(_ employee: EmployeeID, _ summary: EmployeeSummary) async throws -> FlowOutcome {
        let tenant = tenant
        let session = OpenedSession(
            employee: employee, tenant: tenant, fingerprint: try row.state.fingerprint, at: call.time, context)
        try add(session.event, to: .session(session.id, in: tenant), version: 0, keys: [:], about: nil, by: employee)
        statements.append(session.insertion)
        return try await append { appended in
            .success(session.tokens, summary, position: appended.last[LedgerID(tenant.uuid)])
        }
    }
}
