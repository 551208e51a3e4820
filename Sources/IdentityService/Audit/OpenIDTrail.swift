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
        let employee: EmployeeID
        let end: Timestamp
    }

    /// The sessions that may be open.
    private var sessions: [UUID: Session] = [:]
    /// The number of sessions at which those that have expired are forgotten.
    private var limit = 1_024

    /// The time by which an append may be later than its decision.
    private static let appendTime: Duration = .seconds(60)
    static let sessionless = "the event names a session that is not open for the employee"
    static let unlinked = "a grant is opened for an app that is not linked"
    static let endless = "a grant ends that is not open"

    /// Takes the beginning and the end of a session.
    mutating func learn(_ event: RecordedEvent, _ payload: any EventPayload) {
        switch payload {
        case let payload as SessionOpened:
            // Each refresh may prolong a session up to its longest lifetime, which the log does not have.
            sessions[payload.sessionID.uuid] = Session(employee: payload.employeeID, end: payload.expiresAt)
            guard sessions.count > limit else { return }
            sessions = sessions.filter { $0.value.end >= event.time }
            limit = max(1_024, sessions.count * 2)
        case is SessionClosed: sessions[event.stream.id] = nil
        default: break
        }
    }

    /// Returns what is wrong with an event of the provider, or `nil`.
    func violation(_ event: RecordedEvent, _ payload: any EventPayload, in tenant: Tenant.State) -> String? {
        guard Self.isPlaced(event, payload) else { return "the event is not in its subject's stream" }
        switch payload {
        case let payload as BrowserSessionOpened: return session(payload.sessionID, payload.employeeID, event)
        case let payload as GrantOpened:
            guard tenant.links[payload.clientID] != nil else { return Self.unlinked }
            return session(payload.sessionID, payload.employeeID, event)
        case is GrantClosed: return event.streamVersion == 2 ? nil : Self.endless
        default: return nil
        }
    }

    private func session(_ id: SessionID, _ employee: EmployeeID, _ event: RecordedEvent) -> String? {
        guard event.streamVersion == 1, let session = sessions[id.uuid], session.employee == employee,
            event.time <= session.end.adding(Self.appendTime)
        else { return Self.sessionless }
        return nil
    }

    /// Whether an event is in the stream that it changes.
    private static func isPlaced(_ event: RecordedEvent, _ payload: any EventPayload) -> Bool {
        let tenant = TenantID(event.ledger.uuid)
        let stream: StreamID? =
            switch payload {
            case let payload as BrowserSessionOpened: .browserSession(payload.browserSessionID, in: tenant)
            case let payload as GrantOpened: .grant(payload.grantID, in: tenant)
            case let payload as GrantClosed: .grant(payload.grantID, in: tenant)
            case let payload as ConsentGiven: .consent(payload.employeeID, to: payload.clientID, in: tenant)
            case let payload as ConsentWithdrawn: .consent(payload.employeeID, to: payload.clientID, in: tenant)
            default: nil
            }
        return event.stream == stream
    }
}
