import Canonical
import EventCoding
import Identity

extension EventRecording {
    /// Notes what an assertion says of its passkey, in the append that records the assertion. The owner and the admins get
    /// a mail about a counter that did not grow. Of another device key there is nothing to note.
    ///
    /// - Parameters:
    ///   - address: The IP address that the assertion came from; `nil` if it is unknown.
    ///   - limit: The end of the signed challenge's time, if the assertion was made before this append.
    ///   - counts: Whether another stream than that of the account records the assertion.
    /// - Returns: Whether the passkey opens no session now: it may be a copy, and the tenant wants an admin to decide first.
    mutating func notePasskey(
        _ key: PublicKeyBytes, _ evidence: SignatureBytes?, of employee: EmployeeSnapshot, in tenant: TenantSnapshot,
        from address: String?, signedBefore limit: Timestamp? = nil, counts: Bool = true
    ) async throws -> Bool {
        guard let passkey = employee.state.keys[key]?.passkey, let evidence, evidence.isOfPasskey else { return false }
        let note = Employee.NotePasskey(
            fingerprint: KeyFingerprint(of: key), evidence: evidence, time: min(recorder.time, limit ?? recorder.time),
            counts: counts)
        let events = try Employee.decided(employee.state, .notePasskey(note))
        var metadata = recorder.metadata
        metadata.actor = employee.id.uuid
        try recorder.add(
            events, to: .employee(employee.id, in: tenant.id), version: employee.version, metadata: metadata)
        let isRepeated = events.contains { if case .passkeyCounterRepeated = $0 { true } else { false } }
        if isRepeated { try await tellOfCopy(employee, in: tenant, from: address) }
        return isRepeated && tenant.state.policy.clonedKey == .stop || passkey.isStopped(by: tenant.state.policy)
    }

    /// Tells the owner of a log-in by a synced passkey in a browser that the account was not used in before: a sync
    /// provider may have put it there. An application's own page has no such browser.
    mutating func tellOfSynced(
        _ key: PublicKeyBytes, of employee: EmployeeSnapshot, in tenant: TenantID, _ call: Call
    ) async throws {
        guard employee.state.keys[key]?.holding == .synced, let browser = call.browser,
            !KnownAccounts(browser.known, recorder.context.ring).contains(employee.id, in: tenant)
        else { return }
        let mail = try await recorder.context.notice(
            .passkeyElsewhere, about: employee, in: tenant, from: call.sourceAddress, at: recorder.time)
        if let mail { try recorder.queue(mail) }
    }

    /// Queues the mails that there may be a copy of a passkey: to its owner, and to the admins, as far as they get mails.
    private mutating func tellOfCopy(
        _ employee: EmployeeSnapshot, in tenant: TenantSnapshot, from address: String?
    ) async throws {
        let context = recorder.context, time = recorder.time, loader = StateLoader(reader: context.reader)
        let appointed = tenant.state.admins.sorted { $0.value.place.position < $1.value.place.position }
        let admins = [tenant.state.securityAdmin].compactMap(\.self) + appointed.map(\.key)
        var mails = [
            try await context.notice(.passkeyCopied, about: employee, in: tenant.id, from: address, at: time)
        ]
        for id in admins.prefix(WaitNotice.mostAdmins) where id != employee.id {
            let admin = try await loader.employee(id, in: tenant.id)
            mails.append(try await context.notice(.passkeyCopied, about: admin, in: tenant.id, at: time))
        }
        for mail in mails.compactMap(\.self) { try recorder.queue(mail) }
    }
}
