import Canonical
import EventCoding
package import FoundationEssentials
import Identity
package import Keys
import Ledger
import Logging
package import Postgres

/// The refusal of an erasure.
package struct ErasureError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable code of a refusal.
    package enum Code: String, Sendable {
        /// There is no user with that e-mail or id.
        case userUnknown = "erasure.user_unknown"
        /// The tenant has no such employee.
        case employeeUnknown = "erasure.employee_unknown"
        /// The person is the security admin of a tenant, and the caller did not permit to leave it without one.
        case securityAdmin = "erasure.security_admin"
        /// The tenant has no such M-Pin identity, and no activation code for such a user id.
        case mpinUnknown = "erasure.mpin_unknown"
    }

    package let code: Code
    /// The code, which reveals no name.
    package var description: String { code.rawValue }
}

/// Erases people by crypto-shredding: records it in the log, ends their access, destroys their keys and seeds, and
/// re-keys the buckets.
///
/// Every step can be repeated, and is recorded before it begins. The erase list serves databases that are restored
/// later. A row, written in the transaction of the event, serves a run that was killed.
package struct Erasure: Sendable {
    let context: ServiceContext
    let reader: PostgresPool
    let rekeying: BucketRekeying
    let list: ErasureList?
    let signing: DecideAsOperator

    /// Works on the components of a service.
    ///
    /// - Parameters:
    ///   - reader: Connections of the reader role, to the primary.
    ///   - list: The erase list; `nil` keeps none, and after a restore it is unknown what to erase again.
    ///   - signer: Signs the decision. Without it, only erasures that were begun can be finished.
    package init(
        _ context: ServiceContext, reader: PostgresPool, masters: MasterKeyStore, list: ErasureList?,
        signer: OperatorKeySource?
    ) {
        signing = DecideAsOperator(reader: context.reader, now: context.settings.now, signer: signer)
        self.context = context
        self.reader = reader
        self.list = list
        rekeying = BucketRekeying(reader: reader, masters: masters)
    }

    /// The result for one person.
    package struct Erased: Sendable, Equatable {
        /// A user, an employee of one tenant, or an M-Pin identity or activation code of one.
        package let kind: ErasureList.Entry.Kind
        package let ledger: UUID
        /// The id of the person and of the key.
        package let id: UUID
        /// The latest master key version under which backups and remains of the database can be decrypted. The erasure
        /// is complete once it and all earlier versions are destroyed. `nil` if there was no key.
        package let masterVersion: Int?
    }

    /// Erases the people of a plan.
    ///
    /// - Parameter includingSecurityAdmins: Whether tenants may be left without a security admin.
    /// - Throws: ``ErasureError/Code/securityAdmin`` before anything is done; ``OperatorKeyError``, `KeysError`,
    ///   `LedgerError` or `PostgresError`, after which the same call or ``resume()`` continues.
    package func run(_ plan: ErasurePlan, includingSecurityAdmins: Bool = false) async throws -> [Erased] {
        guard includingSecurityAdmins || plan.orphanedCompanies.isEmpty else {
            throw ErasureError(code: .securityAdmin)
        }
        // The list is read at the next start: nobody may be on it whom this call cannot erase.
        try await signing.requireKey()
        let now = context.settings.now()
        let entries = plan.people.map { ErasureList.Entry(kind: $0.kind, ledger: $0.ledger, id: $0.id, time: now) }
        try list?.add(entries)
        return try await erase(entries, includingSecurityAdmins: includingSecurityAdmins)
    }

    /// Finishes erasures that were begun: people who are erased in the log and still have keys.
    ///
    /// - Throws: As ``run(_:includingSecurityAdmins:)``.
    package func resume() async throws -> [Erased] {
        var entries: [ErasureList.Entry] = []
        for entry in try await ErasureRow.open(reader).map(\.entry) {
            guard try await isErased(entry) else {
                context.logger.error(
                    "a row of erasure names somebody whom nobody erased; find out who writes the database",
                    metadata: ["ledger": "\(entry.ledger)", "id": "\(entry.id)"])
                continue
            }
            entries.append(entry)
        }
        return try await erase(entries, includingSecurityAdmins: true)
    }

    /// Whether the log has the erasure. Rows alone decide nothing: whoever writes the database may insert one. Only the
    /// erasure of an activation code has no event.
    private func isErased(_ entry: ErasureList.Entry) async throws -> Bool {
        let loader = StateLoader(reader: context.reader), tenant = TenantID(entry.ledger)
        switch entry.kind {
        case .employee:
            return try await loader.employee(EmployeeID(entry.id), in: tenant).state.account?.isErased == true
        case .user: return try await loader.user(UserID(entry.id)).state.isErased
        case .mpin:
            let stream = StreamID.mpin(MPinIdentityID(entry.id), in: tenant)
            let events = try await context.reader.streams([stream])[stream] ?? []
            return events.isEmpty || events.contains { $0.type == MPinErased.type }
        }
    }

    /// Repeats the erasures of a list in a restored database. People who are missing or erased are skipped.
    ///
    /// - Throws: As ``run(_:includingSecurityAdmins:)``.
    package func reapply(_ entries: [ErasureList.Entry]) async throws -> [Erased] {
        try list?.add(entries)
        return try await erase(entries, includingSecurityAdmins: true)
    }

    private func erase(
        _ entries: [ErasureList.Entry], includingSecurityAdmins: Bool
    ) async throws -> [Erased] {
        var erased: [Erased] = []
        for entry in entries where !erased.contains(where: { $0.id == entry.id }) {
            switch entry.kind {
            case .employee:
                erased += try await erase(
                    EmployeeID(entry.id), in: TenantID(entry.ledger), includingSecurityAdmins: includingSecurityAdmins)
            case .user:
                erased += try await erase(UserID(entry.id), includingSecurityAdmins: includingSecurityAdmins)
            case .mpin:
                let one = try await eraseMPin(entry.id, in: TenantID(entry.ledger))
                if let one { erased.append(one) }
            }
        }
        return erased
    }
}

extension Erasure {
    /// Erases one employee and the linked M-Pin identities; returns an empty list if there is no such employee.
    ///
    /// One append records the event and ends sessions and membership; afterwards the key is destroyed. In between
    /// nothing new is encrypted under the key, and no identity is linked, because every writer guards the employee's
    /// stream. The employee's own key is destroyed last, so that a killed run can be resumed.
    func erase(
        _ id: EmployeeID, in tenant: TenantID, includingSecurityAdmins: Bool
    ) async throws -> [Erased] {
        let entry = ErasureList.Entry(kind: .employee, ledger: tenant.uuid, id: id.uuid, time: context.settings.now())
        let exists = try await optimistic {
            try await record(id, in: tenant, entry, includingSecurityAdmins: includingSecurityAdmins)
        }
        guard exists else { return [] }
        let identities = try await eraseMPin(linkedTo: id, in: tenant)
        try await destroyPersonKey(entry)
        try await destroyInvitation(of: id, in: tenant, entry)
        return [try await complete(entry)] + identities
    }

    private func record(
        _ id: EmployeeID, in tenant: TenantID, _ entry: ErasureList.Entry, includingSecurityAdmins: Bool
    ) async throws -> Bool {
        let loader = StateLoader(reader: context.reader)
        let employee = try await loader.employee(id, in: tenant)
        guard let account = employee.state.account else { return false }
        let company = try await loader.tenant(tenant)
        let stream = StreamID.employee(id, in: tenant)
        let decided: [EmployeeEvent]
        do {
            decided =
                account.isErased
                ? []
                : try await signing.decide(on: stream) { decision in
                    try Employee.decide(
                        employee.state,
                        .erase(
                            Employee.Erase(
                                role: company.state.role(of: id), includesSecurityAdmin: includingSecurityAdmins,
                                decision: decision)))
                }
        } catch let error as Employee.Rejection {
            guard error == .securityAdmin else { throw ServiceError(error) }
            throw ErasureError(code: .securityAdmin)
        }
        guard !decided.isEmpty else {
            try await note(entry)
            return true
        }
        let member = context.ring.memberClaim(id, of: account.user, in: tenant)
        let record = context.ring.accountClaim(id, of: account.user, in: tenant)
        let isMember = try await context.reader.claim(member.key) != nil
        let user = try await loader.user(account.user)
        let budgets = AttemptBudget.deletions(
            credentials: user.state.everyCredential, devices: Array(employee.state.keys.keys), of: account.user,
            ring: context.ring)
        var recorder = EventRecorder(context, at: entry.time)
        recorder.expectations[.tenant(tenant)] = company.version
        try recorder.add(decided, to: stream, version: employee.version)
        if isMember {
            recorder.releases = [member, record].map { ClaimRelease(key: $0.key, owner: account.user.uuid) }
        }
        recorder.ledgers = [.directory(of: account.user)]
        recorder.statements =
            budgets + [NewSession.deletion(employee: id, tenant: tenant), ErasureRow.insertion(entry)]
        try await recorder.append()
        return true
    }
}

extension Erasure {
    /// Erases a user and all their employees; returns an empty list if there is no such user.
    ///
    /// The user's event comes first. A registration of the user guards the user's stream, so from then on there are no
    /// further employees. The user's own keys are destroyed last, so that a killed run can be resumed.
    func erase(_ id: UserID, includingSecurityAdmins: Bool) async throws -> [Erased] {
        let ledger = LedgerID.directory(of: id)
        let entry = ErasureList.Entry(kind: .user, ledger: ledger.uuid, id: id.uuid, time: context.settings.now())
        guard let credentials = try await optimistic({ try await record(id, entry) }) else { return [] }
        var erased: [Erased] = []
        let employees = try await employees(of: id)
        try list?.add(
            employees.map { tenant, employee in
                ErasureList.Entry(kind: .employee, ledger: tenant.uuid, id: employee.uuid, time: entry.time)
            })
        for (tenant, employee) in employees {
            erased += try await erase(employee, in: tenant, includingSecurityAdmins: includingSecurityAdmins)
        }
        for credential in credentials { try await destroySeeds(credential, entry) }
        try await destroyPersonKey(entry)
        return [try await complete(entry)] + erased
    }

    /// Appends the event, and returns all credentials that the user ever had; `nil` if there is no such user.
    private func record(_ id: UserID, _ entry: ErasureList.Entry) async throws -> [CredentialID]? {
        let user = try await StateLoader(reader: context.reader).user(id)
        guard user.state.id != nil else { return nil }
        let stream = StreamID.user(id)
        // An erased user needs no further decision; only keys are left to destroy.
        let erasures =
            user.state.isErased
            ? []
            : try await signing.decide(on: stream) { decision in
                try User.decided(user.state, .erase(decision))
            }
        guard !erasures.isEmpty else {
            try await note(entry)
            return user.state.everyCredential
        }
        var recorder = EventRecorder(context, at: entry.time)
        try recorder.add(erasures, to: stream, version: user.version)
        let holders = AddressHolders(context: context)
        recorder.releases = try await holders.releases(of: id) + holders.formerReleases(of: id)
        recorder.statements = AttemptBudget.deletions(
            credentials: user.state.everyCredential, devices: [], of: id, ring: context.ring)
        recorder.statements.append(ErasureRow.insertion(entry))
        try await recorder.append()
        return user.state.everyCredential
    }
}
