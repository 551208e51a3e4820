import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// What the log says about a session: its tenant, its employee, the credentials, and its own stream.
///
/// Whoever writes the database can delete a cutoff, or put back a row that was deleted. So the row says where to look,
/// and the streams decide.
struct SessionInLog: Sendable {
    let tenant: TenantSnapshot
    let employee: EmployeeSnapshot
    /// The user, from the event on that set the credentials in force; `nil` without an account.
    let user: UserSnapshot?
    /// What the session rests on.
    let ground: GrantGround
    /// The session; `nil` if its stream does not exist.
    let session: GrantGround.Session?

    /// Reads the streams in two round trips: the person's is known by the account.
    ///
    /// - Parameters:
    ///   - app: The app that opened the session.
    ///   - others: Further streams to read with them.
    /// - Returns: What the log says, and the events of all streams but that of the user.
    static func read(
        _ session: UUID, of employee: EmployeeID, in tenant: TenantID, app: AppID, with others: [StreamID] = [],
        _ context: ServiceContext
    ) async throws -> (log: SessionInLog, events: [StreamID: StreamEvents]) {
        let (logs, events) = try await read([(session, app)], of: employee, in: tenant, with: others, context)
        guard let log = logs.first else { throw ProgramDefect("a session was not read") }
        return (log, events)
    }

    /// Reads several sessions of a person, with the apps that opened them.
    static func read(
        _ sessions: [(id: UUID, app: AppID)], of employee: EmployeeID, in tenant: TenantID,
        with others: [StreamID] = [], _ context: ServiceContext
    ) async throws -> (logs: [SessionInLog], events: [StreamID: StreamEvents]) {
        let own = StreamID.tenant(tenant), account = StreamID.employee(employee, in: tenant)
        let opened = sessions.flatMap { [.session($0.id, in: tenant), StreamID.app($0.app)] }
        let streams = Set([own, account] + opened + others)
        let read = try await context.reader.read(StreamsQuery(Array(streams), foundingOf: own.ledger))
        func events(_ stream: StreamID) -> StreamEvents { read.streams[stream] ?? [] }
        let snapshot = try StateLoader.tenant(tenant, read.founding, events(own))
        let person = try StateLoader.employee(employee, events(account))
        var user: UserSnapshot?
        if let account = person.state.account { user = try await context.credentialHolder(account.user) }
        let changed = user?.events.last { $0.type == CredentialsChanged.type }
        var ground = GrantGround(
            employee: person.state, tenant: snapshot.state, credentials: changed.map(GrantGround.Moment.init))
        let logs = try sessions.map { session in
            ground.opener = try StateLoader.app(session.app, events(.app(session.app))).state
            return SessionInLog(
                tenant: snapshot, employee: person, user: user, ground: ground,
                session: try GrantGround.Session(events(.session(session.id, in: tenant))))
        }
        return (logs, read.streams)
    }

    /// Whether the stream of the session has its end, or does not exist.
    var isClosed: Bool { session.map { $0.end != nil } ?? true }
}

extension ServiceContext {
    /// A user as far as ``StateLoader/credentials(of:_:)`` reads.
    func credentialHolder(_ user: UserID) async throws -> UserSnapshot {
        let read = try await reader.read(StreamsQuery([], tail: StateLoader.credentials(of: user, reader.codes)))
        return try StateLoader.user(user, read.streams[.user(user)] ?? [])
    }
}

extension GrantGround.Moment {
    init(_ event: RecordedEvent) {
        self.init(position: event.position, time: event.time, requestID: event.requestId)
    }
}

extension GrantGround.Session {
    /// The session of a stream; `nil` without an opening.
    fileprivate init?(_ events: StreamEvents) throws {
        guard let first = events.first, let opened = try EventCodec.payload(of: first) as? SessionOpened else {
            return nil
        }
        let closed = try events.dropFirst().lazy.compactMap { try EventCodec.payload(of: $0) as? SessionClosed }.first
        self.init(opened, at: GrantGround.Moment(first), end: closed?.reason)
    }
}
