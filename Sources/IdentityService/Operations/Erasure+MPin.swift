import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Erases M-Pin identities and activation codes. Each has a key of its own.
extension Erasure {
    /// Erases an identity or an activation code; returns `nil` if there is neither.
    ///
    /// One append records the end of an identity and drops what belongs to it; afterwards the key is destroyed. In
    /// between nothing new is encrypted under the key, because every writer guards the identity's stream.
    func eraseMPin(_ id: UUID, in tenant: TenantID) async throws -> Erased? {
        let entry = ErasureList.Entry(kind: .mpin, ledger: tenant.uuid, id: id, time: context.settings.now())
        let exists = try await optimistic {
            if let isIdentity = try await recordIdentity(entry, in: tenant) { return isIdentity }
            return try await recordCode(entry, in: tenant)
        }
        guard exists else { return nil }
        try await destroyPersonKey(entry)
        return try await complete(entry)
    }

    /// Erases the identities that are linked to an employee, and all activation codes of their user ids.
    ///
    /// The employee's own erasure stays open meanwhile, so a killed run begins here again. Codes go first: only the
    /// identities tell whose codes they are.
    func eraseMPin(linkedTo employee: EmployeeID, in tenant: TenantID) async throws -> [Erased] {
        let identities = try await context.mpinIdentities(linkedTo: employee, in: tenant)
        guard !identities.isEmpty else { return [] }
        let userIDs = try await userIDs(of: identities, in: tenant)
        let codes = userIDs.isEmpty ? [] : try await mpinOwners(of: userIDs, in: tenant, [MPinActivationIssued.type])
        let ids = codes + identities.map(\.uuid), now = context.settings.now()
        try list?.add(ids.map { ErasureList.Entry(kind: .mpin, ledger: tenant.uuid, id: $0, time: now) })
        var erased: [Erased] = []
        for id in ids {
            if let one = try await eraseMPin(id, in: tenant) { erased.append(one) }
        }
        return erased
    }

    /// Appends the event; returns `nil` if there is no such identity.
    private func recordIdentity(_ entry: ErasureList.Entry, in tenant: TenantID) async throws -> Bool? {
        let identity = try await identity(MPinIdentityID(entry.id), in: tenant)
        guard let registration = identity.state.registration else { return nil }
        let stream = StreamID.mpin(identity.id, in: tenant)
        // An erased identity needs no further decision; only its key is left to destroy.
        let erasures =
            identity.state.isErased
            ? []
            : try await signing.decide(on: stream) { decision in
                try MPinIdentity.decided(identity.state, .erase(decision))
            }
        guard !erasures.isEmpty else {
            try await note(entry)
            return true
        }
        var recorder = EventRecorder(context, at: entry.time)
        try recorder.add(erasures, to: stream, version: identity.version)
        recorder.releases = try await slots(of: registration, in: tenant)
        recorder.statements = MPinRows.deletions(of: registration, in: tenant) + [ErasureRow.insertion(entry)]
        try await recorder.append()
        return true
    }

    /// The claims that an identity holds on the slots of its user id.
    private func slots(of registration: MPinIdentity.Registration, in tenant: TenantID) async throws -> [ClaimRelease] {
        guard let text = registration.userID.text, let userID = try? MPinUserID(text) else { return [] }
        let keys = KeyRing.mpinSlots.map { context.ring.mpinUserClaim(userID, slot: $0, in: tenant) }
        let taken = try await context.reader.claims(keys)
        return keys.filter { taken[$0]?.owner == registration.id.uuid }.map {
            ClaimRelease(key: $0, owner: registration.id.uuid)
        }
    }

    /// Records the erasure of an activation code and drops its claim; returns whether there is such a code.
    ///
    /// No event says so: the key seals the user id only, and the code ends by itself.
    private func recordCode(_ entry: ErasureList.Entry, in tenant: TenantID) async throws -> Bool {
        let id = MPinActivationID(entry.id), stream = StreamID.activation(id, in: tenant)
        let keys = try await context.personKeys.load([entry.id], ledger: tenant.uuid)
        let events = try await context.reader.streams([stream])[stream] ?? []
        guard let issue = try StateLoader.activation(id, events, keys: keys).state.issue else { return false }
        try await context.pool.withTransaction(in: [LedgerID(tenant.uuid)]) { connection in
            if let text = issue.userID.text, let userID = try? MPinUserID(text) {
                let claim = context.ring.mpinActivationClaim(userID, in: tenant)
                try await connection.execute(
                    """
                    DELETE FROM tenure.claim WHERE ledger_id = \(tenant.uuid) AND kind = \(claim.kind)
                        AND key = \(claim.digest) AND owner = \(entry.id)
                    """)
            }
            try await connection.execute(ErasureRow.insertion(entry))
        }
        return true
    }
}

/// Finds M-Pin identities and activation codes by their user id.
extension Erasure {
    /// Plans the erasure of M-Pin identities and activation codes of a tenant, ended ones among them.
    ///
    /// - Parameter mpin: The id of one identity, or a user id, which is all its identities and codes.
    /// - Throws: ``ErasureError/Code/mpinUnknown``, and ``ServiceError`` for malformed names.
    package func plan(company: String, mpin: String) async throws -> ErasurePlan {
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        let tenant = TenantID(context.ring.tenantID(companyName: name.canonical))
        if let id = UUID(entered: mpin), let person = try await mpinPerson(id, in: tenant) {
            return ErasurePlan(people: [person])
        }
        let userID = try parsed { () throws(ValueError) in try MPinUserID(mpin) }
        let types = [MPinRegistrationStarted.type, MPinActivationIssued.type]
        var people: [ErasurePlan.Person] = []
        for id in try await mpinOwners(of: [userID], in: tenant, types) {
            if let person = try await mpinPerson(id, in: tenant) { people.append(person) }
        }
        guard !people.isEmpty else { throw ErasureError(code: .mpinUnknown) }
        return ErasurePlan(people: people)
    }

    /// An identity or an activation code as plans show one; `nil` if there is neither.
    func mpinPerson(_ id: UUID, in tenant: TenantID) async throws -> ErasurePlan.Person? {
        let identity = try await identity(MPinIdentityID(id), in: tenant)
        var name = identity.state.registration?.userID
        if name == nil {
            let stream = StreamID.activation(MPinActivationID(id), in: tenant)
            let keys = try await context.personKeys.load([id], ledger: tenant.uuid)
            let events = try await context.reader.streams([stream])[stream] ?? []
            name = try StateLoader.activation(MPinActivationID(id), events, keys: keys).state.issue?.userID
        }
        guard let name else { return nil }
        let company = try await StateLoader(reader: context.reader).tenant(tenant)
        return ErasurePlan.Person(
            kind: .mpin, ledger: tenant.uuid, id: id, name: name.text, company: company.state.companyName,
            isSecurityAdmin: false, isErased: identity.state.isErased)
    }

    /// An identity with its texts, which are decrypted while the key exists.
    private func identity(_ id: MPinIdentityID, in tenant: TenantID) async throws -> MPinIdentitySnapshot {
        let stream = StreamID.mpin(id, in: tenant)
        let keys = try await context.personKeys.load([id.uuid], ledger: tenant.uuid)
        return try StateLoader.mpin(id, try await context.reader.streams([stream])[stream] ?? [], keys: keys)
    }

    private func userIDs(of identities: [MPinIdentityID], in tenant: TenantID) async throws -> Set<MPinUserID> {
        var found: Set<MPinUserID> = []
        for id in identities {
            let text = try await identity(id, in: tenant).state.registration?.userID.text
            if let text, let userID = try? MPinUserID(text) { found.insert(userID) }
        }
        return found
    }

    /// The identities and activation codes of user ids whose keys exist, from the events that began them.
    ///
    /// Claims would not do: a claim passes on when its owner has ended. The whole ledger is searched for these events,
    /// which is acceptable for a rare operation.
    private func mpinOwners(
        of userIDs: Set<MPinUserID>, in tenant: TenantID, _ types: [String]
    ) async throws -> [UUID] {
        let ledger = LedgerID(tenant.uuid)
        var owners: [UUID] = [], after: Int64 = 0
        while true {
            let page = try await context.reader.ledger(ledger, after: after, limit: 500, types: types)
            let keys = try await context.personKeys.load(page.events.map(\.stream.id), ledger: tenant.uuid)
            for event in page.events {
                let text: String? =
                    switch try EventCodec.payload(of: event, keys: keys) {
                    case let started as MPinRegistrationStarted: started.userID.text
                    case let issued as MPinActivationIssued: issued.userID.text
                    default: nil
                    }
                if let text, let userID = try? MPinUserID(text), userIDs.contains(userID) {
                    owners.append(event.stream.id)
                }
            }
            after = page.cursor
            guard page.hasMore else { return owners }
        }
    }
}

/// The short-lived rows of an M-Pin identity.
enum MPinRows {
    /// The statements that delete them: proofs in progress, and mails that wait.
    static func deletions(of identity: MPinIdentity.Registration, in tenant: TenantID) -> [SQL] {
        let hash = identity.mpinIDHash.bytes, id = identity.id.uuid
        return [
            "DELETE FROM tenure.mpin_pass WHERE ledger_id = \(tenant.uuid) AND mpin_hash = \(hash)",
            "DELETE FROM tenure.mail_outbox WHERE ledger_id = \(tenant.uuid) AND recipient_id = \(id)",
        ]
    }
}
