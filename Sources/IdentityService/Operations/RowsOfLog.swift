import Canonical
import EventCoding
import FoundationEssentials
import Identity
package import Keys
import Ledger
package import Postgres

/// The claims and cutoffs that the log yields, stream by stream.
///
/// ```swift
/// try await RowsOfLog(reader: readerPool, ring: ring, personKeys: keys).each { found in … }
/// ```
///
/// It opens names and addresses with the keys of their people. What was erased yields nothing more: the claim of an
/// erased person's employee id stays as it is, because nobody can compute it again.
package struct RowsOfLog: Sendable {
    /// What one stream yields.
    struct Found: Sendable {
        var claims: [Claim] = []
        /// Claims of which one or several are taken; the log does not say which.
        var candidates: [Claim] = []
        var cutoffs: [SessionCutoff.Row] = []
        /// The stream of an employee whose personal data was erased.
        var erased: StreamID?
        /// Whether the name of a person who was not erased does not open.
        var isSealed = false
    }

    /// The kinds of streams that yield something.
    static let kinds = [
        StreamID.employeeKind, "tenant", "user", "app", "invitation", StreamID.mpinKind, StreamID.activationKind,
    ]
    /// How many streams are read at once.
    private static let page: Int64 = 32

    /// Connections of the reader role, which sees all ledgers.
    let reader: PostgresPool
    let ring: KeyRing
    let personKeys: PersonKeys

    /// - Parameters:
    ///   - reader: Connections of the reader role.
    ///   - personKeys: The keys of people, over connections of the application role.
    package init(reader: PostgresPool, ring: KeyRing, personKeys: PersonKeys) {
        self.reader = reader
        self.ring = ring
        self.personKeys = personKeys
    }

    /// Reads all ledgers, and calls `body` for each page of streams.
    ///
    /// - Parameter damaged: Takes a stream that is not as a service wrote it; without it, such a stream is an error.
    func each(damaged: ((StreamID) -> Void)? = nil, _ body: ([Found]) async throws -> Void) async throws {
        let ledgers = try await reader.withConnection { connection in
            try await connection.query("SELECT ledger_id FROM tenure.ledger WHERE size > 0 ORDER BY ledger_id")
        }.map { LedgerID(try $0.decode(UUID.self)) }
        let log = LedgerReader(pool: reader, codes: EventCodes(ring), storesTiles: false)
        try await log.refreshDisowned()
        for ledger in ledgers {
            var after: StreamID?
            while case let streams = try await streams(of: ledger, after: after), let last = streams.last {
                do { try await body(read(streams, log)) } catch let error where Self.isDamage(error) {
                    guard let damaged else { throw error }
                    for stream in streams {
                        do { try await body(read([stream], log)) } catch let error where Self.isDamage(error) {
                            damaged(stream)
                        }
                    }
                }
                after = last
            }
        }
    }

    private static func isDamage(_ error: any Error) -> Bool {
        (error as? LedgerError)?.isDamage ?? (error is KeysError)
    }

    private func read(_ streams: [StreamID], _ log: LedgerReader) async throws -> [Found] {
        let events = try await log.streams(streams)
        var found: [Found] = []
        for stream in streams { found.append(try await read(stream, events[stream] ?? [])) }
        return found
    }

    /// The next streams of a ledger, in the order of their ids.
    private func streams(of ledger: LedgerID, after: StreamID?) async throws -> [StreamID] {
        let id = after?.id ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let kind = after?.kind ?? ""
        return try await reader.withConnection { connection in
            try await connection.query(
                """
                SELECT stream_id, kind FROM tenure.event
                WHERE ledger_id = \(ledger.uuid) AND (stream_id, kind) > (\(id), \(kind)) AND version = 1
                    AND kind = ANY (\(Self.kinds))
                ORDER BY stream_id, kind LIMIT \(Self.page)
                """)
        }.map { row in
            let (id, kind) = try row.decode(UUID.self, String.self)
            return StreamID(ledger: ledger, kind: kind, id: id)
        }
    }

    private func read(_ stream: StreamID, _ events: StreamEvents) async throws -> Found {
        let ledger = stream.ledger.uuid
        switch stream.kind {
        case StreamID.employeeKind:
            let keys = try await personKeys.load([stream.id], ledger: ledger)
            return try employee(EmployeeID(stream.id), in: TenantID(ledger), events, keys)
        case "tenant": return try tenant(TenantID(ledger), events)
        case "user":
            let keys = try await personKeys.load([stream.id], ledger: ledger)
            return try user(UserID(stream.id), events, keys)
        case "app": return try app(AppID(stream.id), events)
        case "invitation": return try invitation(InvitationID(stream.id), in: TenantID(ledger), events)
        case StreamID.mpinKind:
            let keys = try await personKeys.load([stream.id], ledger: ledger)
            return try identity(MPinIdentityID(stream.id), in: TenantID(ledger), events, keys)
        case StreamID.activationKind:
            let keys = try await personKeys.load([stream.id], ledger: ledger)
            return try activation(MPinActivationID(stream.id), in: TenantID(ledger), events, keys)
        default: return Found()
        }
    }
}

/// What the streams of one kind yield.
extension RowsOfLog {
    private func employee(
        _ id: EmployeeID, in tenant: TenantID, _ events: StreamEvents, _ keys: [UUID: PersonKey]
    ) throws -> Found {
        let state = Employee.fold(try events.map { try EventCodec.decode($0, keys: keys) })
        guard let account = state.account else { return Found() }
        if account.isErased {
            return Found(
                claims: try founding(of: tenant, events) + passkeys(of: id, in: tenant, state),
                erased: .employee(id, in: tenant))
        }
        var found = Found(claims: try founding(of: tenant, events) + passkeys(of: id, in: tenant, state))
        found.claims.append(ring.memberClaim(id, of: account.user, in: tenant))
        found.claims.append(ring.accountClaim(id, of: account.user, in: tenant))
        found.isSealed = account.companyEmployeeID.text == nil
        if !account.isReleased, let text = account.companyEmployeeID.text, let name = try? CompanyEmployeeID(text) {
            found.claims.append(Claim(key: ring.employeeClaim(name, in: tenant), owner: id.uuid))
        }
        return try withDevices(of: id, in: tenant, events, found)
    }

    /// The claims on passkeys. None is released: what somebody gave up never becomes that of somebody else.
    private func passkeys(of id: EmployeeID, in tenant: TenantID, _ state: Employee.State) -> [Claim] {
        state.keys.values.compactMap(\.passkey).map { ring.passkeyClaim($0.facts.credentialID, of: id, in: tenant) }
    }

    /// The claim on the name of a tenant that the first event of its ledger founds.
    private func founding(of tenant: TenantID, _ events: StreamEvents) throws -> [Claim] {
        guard let first = events.first, first.position == 1,
            let event = try EventCodec.payload(of: first) as? EmployeeRegistered,
            let name = event.companyName.flatMap({ try? CompanyName($0) })
        else { return [] }
        return [Claim(key: ring.companyClaim(name), owner: tenant.uuid)]
    }

    /// Adds the devices in force, as the effects of the events keep them.
    private func withDevices(
        of id: EmployeeID, in tenant: TenantID, _ events: StreamEvents, _ found: Found
    ) throws -> Found {
        var devices: [PublicKeyBytes] = []
        for effect in try events.flatMap({ try EventCodec.payload(of: $0).effects }) {
            switch effect {
            case .keyInForce(let key, _): if !devices.contains(key) { devices.append(key) }
            case .keyEnded(let key, _): devices.removeAll { $0 == key }
            case .keysEnded: devices = []
            case .linkEnded, .secretEnded: break
            }
        }
        var found = found
        found.claims += devices.map { KnownDevice($0.bytes, of: id, in: tenant).claim }
        return found
    }

    private func tenant(_ id: TenantID, _ events: StreamEvents) throws -> Found {
        var cutoffs: [AppID: SessionCutoff.Row] = [:]
        for event in events where event.type == AppUnlinked.type {
            guard let unlinked = try EventCodec.payload(of: event) as? AppUnlinked else { continue }
            cutoffs[unlinked.appID] = SessionCutoff.unlinked(
                unlinked.appID, from: id, version: event.streamVersion, at: event.time)
        }
        return Found(cutoffs: Array(cutoffs.values))
    }

    private func user(_ id: UserID, _ events: StreamEvents, _ keys: [UUID: PersonKey]) throws -> Found {
        let state = User.fold(try events.map { try EventCodec.decode($0, keys: keys) })
        guard !state.isErased else { return Found() }
        var found = Found()
        // The claim on a former address ends when somebody takes it.
        if let change = state.change, let end = change.undoUntil, let text = change.former?.text,
            let former = try? EmailAddress(recorded: text)
        {
            found.candidates = [Claim(key: ring.addressClaim(former), owner: id.uuid, expiresAt: end)]
        }
        guard state.holdsEmail, let email = state.email else { return found }
        guard let text = email.text else { return Found(isSealed: true) }
        guard let address = try? EmailAddress(recorded: text) else { return found }
        let claim = Claim(key: ring.addressClaim(address), owner: id.uuid)
        // Who registered without a secret may have taken none before the confirmation.
        let isSecretless = events.contains { $0.type == CredentialsSet.type && $0.data["secretless"] != nil }
        if isSecretless, !state.isEmailVerified { found.candidates.append(claim) } else { found.claims = [claim] }
        return found
    }

    private func app(_ id: AppID, _ events: StreamEvents) throws -> Found {
        let state = try StateLoader.app(id, events).state
        var found = Found()
        if let name = state.name {
            found.claims = [Claim(key: ring.appClaim(name: Array(name.utf8)), owner: id.uuid)]
        }
        for event in events where event.type == AppSecretRevoked.type {
            guard let revoked = try EventCodec.payload(of: event) as? AppSecretRevoked else { continue }
            found.cutoffs.append(SessionCutoff.revoked(revoked.secretID, at: event.time))
        }
        return found
    }

    private func invitation(_ id: InvitationID, in tenant: TenantID, _ events: StreamEvents) throws -> Found {
        let state = Invitation.fold(try events.map { try EventCodec.decode($0) })
        guard let issue = state.issue else { return Found() }
        if case .used(let employee) = state.end {
            return Found(claims: [
                Claim(
                    key: ring.invitedClaim(employee, in: tenant), owner: employee.uuid, value: id.uuid.bytes)
            ])
        }
        // The claim of an invitation that ended unused is released with its key, some time later.
        return Found(candidates: [
            Claim(key: ring.claim(of: issue, in: tenant), owner: id.uuid, expiresAt: issue.expiresAt)
        ])
    }

    private func identity(
        _ id: MPinIdentityID, in tenant: TenantID, _ events: StreamEvents, _ keys: [UUID: PersonKey]
    ) throws -> Found {
        let state = try StateLoader.mpin(id, events, keys: keys).state
        guard let registration = state.registration else { return Found() }
        var found = Found(claims: [
            Claim(key: ring.mpinClaim(hash: registration.mpinIDHash, in: tenant), owner: id.uuid)
        ])
        if let link = state.link { found.claims.append(ring.mpinLinkedClaim(id, of: link.employee, in: tenant)) }
        if !state.isErased, let userID = registration.userID.text.flatMap({ try? MPinUserID($0) }) {
            found.candidates = KeyRing.mpinSlots.map { slot in
                Claim(key: ring.mpinUserClaim(userID, slot: slot, in: tenant), owner: id.uuid)
            }
        }
        return found
    }

    private func activation(
        _ id: MPinActivationID, in tenant: TenantID, _ events: StreamEvents, _ keys: [UUID: PersonKey]
    ) throws -> Found {
        let state = try StateLoader.activation(id, events, keys: keys).state
        guard let issue = state.issue, state.usedBy == nil,
            let userID = issue.userID.text.flatMap({ try? MPinUserID($0) })
        else { return Found() }
        // The append may have raised the time of the event; the claim has the time of the call.
        return Found(candidates: [
            Claim(key: ring.mpinActivationClaim(userID, in: tenant), owner: id.uuid, expiresAt: issue.expiresAt)
        ])
    }
}
