import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// The sessions of one ledger, and what the OpenID provider opened within them.
struct OpenIDTrail: Sendable {
    /// The names of the events that the provider records.
    static let types: Set<String> = [
        BrowserSessionOpened.type, GrantOpened.type, GrantClosed.type, ConsentGiven.type, ConsentWithdrawn.type,
    ]

    private struct Session: Sendable {
        let opened: GrantGround.Session
        /// The event that opened it, which others name as their cause.
        let id: UUID
        /// When the session ends at the latest, unless it is refreshed.
        let expiry: Timestamp
        /// Whether a browser got a cookie for it.
        var isBrowsed = false
        /// Whether it replaced another one.
        var isSuccessor = false
    }

    /// The sessions that may be open.
    private var sessions: [UUID: Session] = [:]
    /// Whether each consent is in force, by the ids of their streams. A grant counts as one that may be withdrawn.
    private var consents: [UUID: Bool] = [:]
    /// The number of sessions at which those that have expired are forgotten.
    private var limit = 1_024

    /// The time by which an append may be later than its decision.
    private static let appendTime: Duration = .seconds(60)
    static let sessionless = "the event names a session that is not open for the employee"
    static let unlinked = "a grant is opened for an app that is not linked"
    static let endless = "a grant ends that is not open"
    static let inactive = "a grant is opened for an account or a device key that is not in force"
    static let withdrawn = "a consent is withdrawn that is not in force"
    static let browsed = "a session has a second browser session"
    static let unreplaced = "a session is replaced by none of the same person, device key and append"
    static let unconsented = "a grant is opened for a client that lost the consent"
    static let ended = "a grant is opened in a session that was ended with all others"

    static let absent = "a consent is given while no session of the person is open"

    /// Takes what begins and ends sessions and consents.
    mutating func learn(_ event: RecordedEvent, _ payload: any EventPayload) {
        switch payload {
        case let payload as SessionOpened:
            // Pages never refresh a session, so what depends on it is opened before its first end.
            sessions[payload.sessionID.uuid] = Session(
                opened: GrantGround.Session(payload, at: GrantGround.Moment(event)), id: event.id,
                expiry: payload.expiresAt)
            guard sessions.count > limit else { return }
            sessions = sessions.filter { $0.value.expiry.adding(Self.appendTime) >= event.time }
            limit = max(1_024, sessions.count * 2)
        case let payload as SessionClosed:
            sessions[event.stream.id] = nil
            if let successor = payload.successor { sessions[successor.uuid]?.isSuccessor = true }
        case let payload as BrowserSessionOpened: sessions[payload.sessionID.uuid]?.isBrowsed = true
        case let payload as GrantOpened:
            consents[Consent.id(of: payload.employeeID, to: payload.clientID)] = true
        case is ConsentGiven: consents[event.stream.id] = true
        case is ConsentWithdrawn: consents[event.stream.id] = false
        default: break
        }
    }

    /// Returns what is wrong with an event of the provider, or `nil`.
    ///
    /// - Parameter employees: The accounts of the tenant.
    func violation(
        _ event: RecordedEvent, _ payload: any EventPayload, in tenant: Tenant.State,
        _ employees: [EmployeeID: Employee.State]
    ) -> String? {
        guard Self.isPlaced(event, payload) else { return "the event is not in its subject's stream" }
        switch payload {
        case let payload as BrowserSessionOpened:
            if let words = session(payload.sessionID, payload.employeeID, event) { return words }
            return sessions[payload.sessionID.uuid]?.isBrowsed == true ? Self.browsed : nil
        case let payload as SessionClosed:
            guard payload.reason == .replaced || payload.successor != nil else {
                return event.causes.isEmpty ? nil : CauseTable.wrong
            }
            return isReplaced(payload, event) ? nil : Self.unreplaced
        case let payload as GrantOpened:
            if let words = session(payload.sessionID, payload.employeeID, event) { return words }
            return opened(payload, in: tenant, employees[payload.employeeID])
        case let payload as ConsentGiven:
            return isLoggedIn(payload.employeeID, at: event.time) ? nil : Self.absent
        case is GrantClosed: return event.streamVersion == 2 ? nil : Self.endless
        case is ConsentWithdrawn: return consents[event.stream.id] == true ? nil : Self.withdrawn
        default: return nil
        }
    }

    /// Whether a session of somebody is open.
    private func isLoggedIn(_ employee: EmployeeID, at time: Timestamp) -> Bool {
        sessions.values.contains {
            $0.opened.employee == employee && time <= $0.expiry.adding(Self.appendTime)
        }
    }

    private func session(_ id: SessionID, _ employee: EmployeeID, _ event: RecordedEvent) -> String? {
        guard event.streamVersion == 1, let session = sessions[id.uuid], session.opened.employee == employee,
            event.time <= session.expiry.adding(Self.appendTime)
        else { return Self.sessionless }
        return event.causes == [session.id] ? nil : CauseTable.wrong
    }

    /// Whether the log-in of an event's append opened the successor of a session in its browser: for the same account and
    /// device key, and for no other session. So one session of an account is open in a browser that replaces them.
    private func isReplaced(_ payload: SessionClosed, _ event: RecordedEvent) -> Bool {
        guard payload.reason == .replaced, let former = sessions[payload.sessionID.uuid],
            let next = payload.successor.flatMap({ sessions[$0.uuid] })
        else { return false }
        return former.isBrowsed && next.isBrowsed && !next.isSuccessor
            && former.opened.employee == next.opened.employee && former.opened.fingerprint == next.opened.fingerprint
            && event.causes == [next.id] && next.opened.opened.time == event.time
    }

    /// What is wrong with a grant by what it rests on. The credentials lie in another ledger.
    private func opened(_ payload: GrantOpened, in tenant: Tenant.State, _ employee: Employee.State?) -> String? {
        guard let session = sessions[payload.sessionID.uuid]?.opened, let employee else { return Self.inactive }
        let ground = GrantGround(employee: employee, tenant: tenant)
        if consents[Consent.id(of: payload.employeeID, to: payload.clientID)] == false { return Self.unconsented }
        guard tenant.links(payload.clientID, as: .access) else { return Self.unlinked }
        guard session.end == .deviceFailed || ground.loss(of: session) != nil else { return nil }
        if !ground.isActive(on: session.fingerprint) { return Self.inactive }
        return session.opened.position <= employee.sessionsEndedAt ? Self.ended : Self.unlinked
    }

    /// Whether an event is in the stream that it changes.
    private static func isPlaced(_ event: RecordedEvent, _ payload: any EventPayload) -> Bool {
        let tenant = TenantID(event.ledger.uuid)
        let stream: StreamID? =
            switch payload {
            case let payload as BrowserSessionOpened: .browserSession(payload.browserSessionID, in: tenant)
            case let payload as SessionClosed: .session(payload.sessionID.uuid, in: tenant)
            case let payload as GrantOpened: .grant(payload.grantID, in: tenant)
            case let payload as GrantClosed: .grant(payload.grantID, in: tenant)
            case let payload as ConsentGiven: .consent(payload.employeeID, to: payload.clientID, in: tenant)
            case let payload as ConsentWithdrawn: .consent(payload.employeeID, to: payload.clientID, in: tenant)
            default: nil
            }
        return event.stream == stream
    }
}
