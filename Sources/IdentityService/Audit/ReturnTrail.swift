import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// What a return of the security admin, by mail or by the operator, permits the next events of the same append.
struct ReturnTrail: Sendable {
    /// Keys that one decision puts in force or ends, in the events right after it.
    private struct Followers: Sendable {
        let employee: EmployeeID
        let by: Authority
        var keys: Set<KeyFingerprint>
        var position: Int64

        /// Takes the event if it is the next follower.
        mutating func take(_ employee: EmployeeID, _ key: PublicKeyBytes, _ by: Authority, at next: Int64) -> Bool {
            guard employee == self.employee, by == self.by, next == position + 1,
                keys.remove(KeyFingerprint(of: key)) != nil
            else { return false }
            position = next
            return true
        }
    }
    private var broughtBack: Followers?
    private var undone: Followers?

    /// Takes the next event, before it is applied to the states.
    mutating func learn(
        _ event: RecordedEvent, _ payload: any EventPayload, _ tenant: Tenant.State,
        _ employees: [EmployeeID: Employee.State]
    ) {
        switch payload {
        case let payload as SecurityAdminSucceeded:
            broughtBack = nil
            guard case .operator = payload.by, payload.employeeID == tenant.securityAdmin else { return }
            broughtBack = Followers(
                employee: payload.employeeID, by: payload.by, keys: Set(payload.fingerprints),
                position: event.position)
        case let payload as ReturnCancelled:
            undone = nil
            guard let state = employees[payload.employeeID],
                let back = state.completedReturns.last, back.id == payload.returnID
            else { return }
            undone = Followers(
                employee: payload.employeeID, by: payload.by,
                keys: Set(state.keys(of: back).map(KeyFingerprint.init(of:))), position: event.position)
        case let payload as EmployeeKeyAuthorized:
            _ = broughtBack?.take(payload.employeeID, payload.key, payload.by, at: event.position)
        case let payload as EmployeeKeyRevoked:
            _ = undone?.take(payload.employeeID, payload.key, payload.by, at: event.position)
        default: break
        }
    }

    /// Whether a succession of the operator right before names the key that is put in force.
    func isBroughtBack(_ event: RecordedEvent, _ payload: EmployeeKeyAuthorized) -> Bool {
        var copy = broughtBack
        return copy?.take(payload.employeeID, payload.key, payload.by, at: event.position) ?? false
    }

    /// Whether an undone return right before had brought the key that is ended.
    func isUndone(_ event: RecordedEvent, _ payload: EmployeeKeyRevoked) -> Bool {
        var copy = undone
        return copy?.take(payload.employeeID, payload.key, payload.by, at: event.position) ?? false
    }
}

/// Judges the return of a security admin who is alone.
///
/// The trail holds who returns, with which key, after which wait, and that nobody else could decide or cancelled. That
/// the mail was read, and how old address and credentials are, is the word of the service.
extension AuthorityTrail {
    /// Returns what is wrong with an event about a return, or `nil`.
    func returned(_ event: RecordedEvent, _ payload: any EventPayload) -> String? {
        switch payload {
        case let payload as ReturnRequested:
            return tenant.securityAdmin == payload.employeeID
                ? nil : "a return is asked for by somebody who is not the security admin"
        case let payload as ReturnOpened: return opened(event, payload)
        case let payload as ReturnCompleted: return completed(event, payload)
        case let payload as ReturnCancelled: return cancelled(event, payload)
        default: return nil
        }
    }

    private func opened(_ event: RecordedEvent, _ payload: ReturnOpened) -> String? {
        guard let state = employees[payload.employeeID] else { return "there is no such account" }
        if let finding = alone(payload.employeeID, payload.proof, event) { return finding }
        guard let request = state.returnRequest, request.id == payload.returnID, request.key == payload.proof.key,
            event.time <= request.expiresAt.adding(Self.grace)
        else { return "a return is opened without a request" }
        guard state.openReturn(in: tenant, at: event.time) == nil else {
            return "a return is opened while another one is open"
        }
        guard state.undoableReturn(in: tenant, at: event.time) == nil else {
            return "a return is opened while another one can be undone"
        }
        guard state.keys[payload.proof.key]?.status == .pending else {
            return "a return is opened for a device key that is not pending"
        }
        let delay = Duration.seconds(tenant.recoveryDelayHours(at: event.time) * 3_600)
        guard event.time.adding(Employee.returnWait(delay)) <= payload.availableAt.adding(Self.grace) else {
            return "a return is available before the waiting time is over"
        }
        guard payload.expiresAt == payload.availableAt.adding(Employee.returnLifetime) else {
            return "a return does not end 72 hours after it becomes available"
        }
        guard payload.ground == nil || tenant.isFounderAlone(payload.employeeID) else {
            return "a return is opened as a lone founder's, and is none"
        }
        guard let challenge = try? Challenge(parsing: payload.proof.challenge),
            challenge.fields.flow == request.flow.uuid,
            event.time <= challenge.fields.expires.adding(Employee.returnRequestLifetime).adding(Self.grace)
        else { return "the challenge of the return is of another request" }
        return nil
    }

    private func completed(_ event: RecordedEvent, _ payload: ReturnCompleted) -> String? {
        guard let state = employees[payload.employeeID], let open = state.openedReturn, open.id == payload.returnID,
            let since = tenant.securityAdminSince, since.position < open.opened.position
        else { return "a return is completed that is not open" }
        guard open.key == payload.proof.key else {
            return "a return is completed with another device key than it was opened for"
        }
        if let finding = alone(payload.employeeID, payload.proof, event) { return finding }
        guard open.availableAt <= event.time else {
            return "a return is completed before the waiting time is over"
        }
        guard event.time <= open.expiresAt.adding(Self.grace) else { return "the return had expired" }
        guard state.keys[open.key]?.status == .pending else {
            return "a return is completed with a device key that is not pending"
        }
        guard let challenge = try? Challenge(parsing: payload.proof.challenge),
            payload.proof.challenge != open.challenge,
            open.availableAt <= challenge.fields.expires.adding(Self.grace),
            event.time <= challenge.fields.expires.adding(Self.grace)
        else { return "the challenge of the return was not signed at its completion" }
        return nil
    }

    /// Checks that the account is that of the security admin, and that no other admin has a device key in force.
    private func alone(_ id: EmployeeID, _ proof: ReturnProof, _ event: RecordedEvent) -> String? {
        guard tenant.securityAdmin == id, let account = employees[id]?.account, account.status == .active else {
            return "a return is of somebody who is not the security admin"
        }
        guard account.user == proof.userID else {
            return "the event names another person than the company's ledger"
        }
        let scene = Employee.ReturnScene(tenant: tenant, admins: employees, time: event.time)
        return scene.isAlone ? nil : "a return goes on although another admin has a device key in force"
    }

    private func cancelled(_ event: RecordedEvent, _ payload: ReturnCancelled) -> String? {
        guard let state = employees[payload.employeeID], let account = state.account else {
            return "there is no such account"
        }
        // Wrong words end a request. It gave nothing, so it needs no signature.
        if state.returnRequest?.id == payload.returnID, payload.fingerprint == nil,
            payload.by == .employee(payload.employeeID, nil)
        {
            return nil
        }
        let open = state.openedReturn.flatMap { $0.id == payload.returnID ? $0 : nil }
        let undoable = state.undoableReturn(in: tenant, at: decidedAt(event))
            .flatMap { $0.id == payload.returnID ? $0 : nil }
        guard let back = open ?? undoable else {
            return "a return is cancelled that has ended or was never opened"
        }
        guard case .employee(payload.employeeID, let signed) = payload.by else {
            return AuthorityWords.notPermitted(.cancelReturn, .securityAdmin)
        }
        guard let signed else {
            // The owner has logged in, or read a mail. That cancels, and undoes nothing.
            guard open != nil else { return AuthorityWords.unsigned(.cancelReturn) }
            guard let fingerprint = payload.fingerprint else { return nil }
            let mayObject = state.keys.values.contains {
                $0.fingerprint == fingerprint && back.mayObject($0, of: account.id)
            }
            return mayObject ? nil : AuthorityWords.notPermitted(.cancelReturn, .securityAdmin)
        }
        guard let key = state.keys[signed.key], back.mayObject(key, of: account.id),
            payload.fingerprint == key.fingerprint
        else { return AuthorityWords.notPermitted(.cancelReturn, .securityAdmin) }
        let words = compare(
            event, payload.by, .returnCancellation, isOwn: true,
            telling: [["user", "employee", "key", "follows"]: "the statement is about another return"]
        ) { signed, facts in facts.cancellation(of: back, of: account, reason: signed.reason) }
        return words
    }
}

extension EventSignatures {
    /// Checks both signatures over the challenge of a return, which must be of this tenant, device key and credential.
    ///
    /// - Throws: What is wrong, in words without content or as an error of `Credentials`.
    static func checkReturn(_ proof: ReturnProof, in ledger: LedgerID) throws {
        let fields = try proof.verifiedChallenge().fields
        try require(fields.tenant == ledger.uuid, "the challenge is of another tenant")
        try require(fields.purpose == .return, "the challenge is for another purpose")
        try require(fields.employeeKey.bytes == proof.key.bytes, "the challenge is of another device")
        try require(fields.credential == proof.credentialID.uuid, "the challenge is of another credential")
    }
}

/// The credentials that prove returns in tenants' ledgers, each with the time of its last use.
///
/// Directories are read later. They tell when the credentials were replaced.
struct ReturnCredentials: Sendable {
    private var uses: [UUID: Timestamp] = [:]

    /// Takes an event of a tenant's ledger.
    mutating func follow(_ event: RecordedEvent) {
        guard event.type == ReturnOpened.type || event.type == ReturnCompleted.type,
            let credential = event.data["credentialId"]?.uuid
        else { return }
        uses[credential] = max(uses[credential] ?? event.time, event.time)
    }

    /// Takes an event of a directory, and returns what is wrong with the credentials that it replaces, or `nil`.
    ///
    /// Ledgers have no common order, so the times are compared, with the tolerance for appends.
    func match(_ event: RecordedEvent) -> String? {
        guard !uses.isEmpty, event.type == CredentialsChanged.type,
            let previous = event.data["previousCredentialId"]?.uuid, let used = uses[previous],
            event.time.adding(AuthorityTrail.grace) < used
        else { return nil }
        return "a return was proved with these credentials after they were replaced"
    }

    mutating func merge(_ other: ReturnCredentials) {
        uses.merge(other.uses) { first, second in max(first, second) }
    }
}
