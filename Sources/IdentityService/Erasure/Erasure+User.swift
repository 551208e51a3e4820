import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import Projections

extension Erasure {
    /// Erases a user and all employees of that user; nobody when there is no such user.
    ///
    /// The user's event comes first. A registration of that user guards the user's stream, so from then on there are no
    /// further employees; who is a member now is everybody. The user's own keys go last, so that a run that was killed
    /// finds its way back.
    func erase(_ id: UserID, includingSecurityAdmins: Bool) async throws -> [Erased] {
        let ledger = LedgerID.directory(of: id)
        let entry = ErasureList.Entry(kind: .user, ledger: ledger.uuid, id: id.uuid, time: .now())
        guard let credentials = try await optimistic({ try await record(id, entry) }) else { return [] }
        var erased: [Erased] = []
        let employees = try await employees(of: id)
        try list?.add(
            employees.map { tenant, employee in
                ErasureList.Entry(kind: .employee, ledger: tenant.uuid, id: employee.uuid, time: entry.time)
            })
        for (tenant, employee) in employees {
            let one = try await erase(employee, in: tenant, includingSecurityAdmins: includingSecurityAdmins)
            if let one { erased.append(one) }
        }
        for credential in credentials { try await destroySeeds(credential, entry) }
        try await destroyPersonKey(entry)
        return [try await complete(entry)] + erased
    }

    /// Appends the event; returns all credentials that the user ever had, or nil when there is no such user.
    private func record(_ id: UserID, _ entry: ErasureList.Entry) async throws -> [CredentialID]? {
        let user = try await StateLoader(reader: context.reader).user(id)
        guard user.state.id != nil else { return nil }
        let decided = try decided { () throws(User.Rejection) in
            try User.decide(user.state, .erase(.operator))
        }
        guard !decided.isEmpty else {
            try await note(entry)
            return user.state.everyCredential
        }
        let stream = StreamID.user(id)
        let events = try decided.map {
            try EventCodec.encode($0.payload, id: UUID(), stream: stream, keys: [:], metadata: EventMetadata())
        }
        var releases: [ClaimRelease] = []
        if let text = try await email(of: id)?.text, let address = try? EmailAddress(text) {
            let claim = context.ring.emailClaim(address)
            if try await context.reader.claim(claim)?.owner == id.uuid {
                releases.append(ClaimRelease(key: claim, owner: id.uuid))
            }
        }
        let budgets = AttemptBudget.deletions(
            credentials: user.state.everyCredential, devices: [], of: id, ring: context.ring)
        _ = try await context.appender.append(
            Append(
                events: events, expectations: [stream: user.version], releases: releases, time: entry.time,
                effects: { _ in budgets + [ErasureRow.insertion(entry)] }))
        return user.state.everyCredential
    }
}
