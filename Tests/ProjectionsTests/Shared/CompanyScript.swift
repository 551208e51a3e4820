import Canonical
import EventCoding
import FoundationEssentials
@testable import Identity
import Keys
import Testing

@testable import Ledger
@testable import Projections

/// The history of one company, written event by event as the service would; each a minute after the one before.
struct CompanyScript: Sendable {
    /// When the first event happens.
    static let start = Timestamp(microseconds: 1_700_000_000_000_000)

    let tenant: TenantID
    let name: String
    private(set) var events: [(event: NewEvent, version: Int, time: Timestamp)] = []
    private(set) var keys: [UUID: PersonKey] = [:]
    private var versions: [StreamID: Int] = [:]
    private var founded = false

    init(_ name: String = "Example.test", tenant: TenantID = TenantID(UUID())) {
        self.name = name
        self.tenant = tenant
    }

    var ledger: LedgerID { LedgerID(tenant.uuid) }
    /// The time of the last event.
    var now: Timestamp { events.last?.time ?? Self.start }

    /// A public key that no other test has; not on the curve, which projections do not look at.
    static func key() -> PublicKeyBytes {
        let bytes: [UInt8] = [4] + (0..<64).map { _ in UInt8.random(in: 0...255) }
        guard let key = PublicKeyBytes(bytes) else { preconditionFailure("65 bytes are a key") }
        return key
    }

    /// Adds an event to a stream of the company.
    mutating func add(_ payload: any EventPayload, _ kind: String, _ id: UUID) throws {
        let stream = StreamID(ledger: ledger, kind: kind, id: id)
        let event = try EventCodec.encode(
            payload, id: UUID(), stream: stream, keys: keys, metadata: EventMetadata(requestId: "test"))
        append(event)
    }

    /// Adds an event that the catalogue does not have.
    mutating func addUnknown() {
        append(
            NewEvent(
                id: UUID(), stream: StreamID(ledger: ledger, kind: "thing", id: UUID()), type: "ThingHappened",
                data: [:]))
    }

    private mutating func append(_ event: NewEvent) {
        let version = versions[event.stream, default: 0] + 1
        versions[event.stream] = version
        events.append((event, version, events.isEmpty ? Self.start : now.adding(.seconds(60))))
    }

    /// Seals what is about a person under this key from now on.
    mutating func use(_ key: PersonKey) { keys[key.id] = key }

    /// Registers an employee, the first of whom founds the company, and shows their first key.
    mutating func register(
        _ number: String, approved: Bool = true, key: PublicKeyBytes = key(),
        as employee: EmployeeID = EmployeeID(UUID())
    ) throws -> EmployeeID {
        if keys[employee.uuid] == nil { use(PersonKey(id: employee.uuid, key: SecretKey())) }
        let isFounding = !founded
        founded = true
        try add(
            EmployeeRegistered(
                employeeID: employee, userID: UserID(UUID()), companyName: isFounding ? name : nil,
                companyEmployeeID: Personal(employee, number), email: Personal(employee, "\(number)@example.test"),
                isCompanyOwnedEmail: true, approved: approved || isFounding), "employee", employee.uuid)
        try present(key, of: employee, first: true)
        if isFounding { try authorize(key, of: employee, by: .founding) }
        return employee
    }

    mutating func present(_ key: PublicKeyBytes, of employee: EmployeeID, first: Bool = false) throws {
        try add(
            EmployeeKeyPresented(employeeID: employee, key: key, flow: FlowID(UUID()), first: first), "employee",
            employee.uuid)
    }

    mutating func authorize(_ key: PublicKeyBytes, of employee: EmployeeID, by: Authority = .operator(nil)) throws {
        try add(EmployeeKeyAuthorized(employeeID: employee, key: key, by: by), "employee", employee.uuid)
    }

    mutating func refuse(_ key: PublicKeyBytes, of employee: EmployeeID) throws {
        let reason = try #require(ReasonCode("unknown_device"))
        try add(
            EmployeeKeyRefused(
                employeeID: employee, key: key, reason: reason, note: Personal(employee, "who is this?"),
                by: .operator(nil)),
            "employee", employee.uuid)
    }

    mutating func cancel(_ employee: EmployeeID, _ reason: CancellationReason = .cancelled) throws {
        try add(EmployeeCancelled(employeeID: employee, reason: reason, by: .operator(nil)), "employee", employee.uuid)
    }

    mutating func reinstate(_ employee: EmployeeID) throws {
        try add(EmployeeReinstated(employeeID: employee, by: .operator(nil)), "employee", employee.uuid)
    }

    mutating func reclaim(_ employee: EmployeeID) throws {
        try add(
            EmailReclaimed(
                employeeID: employee, userID: UserID(UUID()), reason: Personal(employee, "left"), by: .operator(nil)),
            "employee", employee.uuid)
        try cancel(employee, .reclaimed)
    }

    /// An event that changes no view.
    mutating func openSession(_ employee: EmployeeID) throws {
        let session = SessionID(UUID())
        let fingerprint = try #require(KeyFingerprint([UInt8](repeating: 7, count: 32)))
        try add(
            SessionOpened(
                sessionID: session, employeeID: employee, fingerprint: fingerprint,
                expiresAt: now.adding(.seconds(3_600)),
                appID: AppID(UUID()), secretID: SecretID(UUID())), "session", session.uuid)
    }

    /// The device keys that events about roles list, which no view has.
    static let listed = [KeyFingerprint(of: key())]

    /// Adds an event to the company's own stream.
    mutating func decide(_ payload: any EventPayload) throws { try add(payload, "tenant", tenant.uuid) }

    /// The events as they would be recorded.
    func recorded() throws -> [RecordedEvent] {
        try events.enumerated().map { index, item in
            let entry = try Entry.encode(item.event, version: item.version, time: item.time)
            return try Entry.decode(entry, at: Int64(index + 1))
        }
    }

    /// The state that all events lead to.
    func state() throws -> CompanyState {
        var state = CompanyState()
        for event in try recorded() { try state.apply(event) }
        return state
    }
}

extension CompanyScript {
    /// A company in which everything happened that changes a view.
    static func eventful() throws -> CompanyScript {
        var script = CompanyScript()
        let founder = try script.register("E-1")
        let second = try script.register("E-2", approved: false)
        let third = try script.register("Ä 3")
        try script.openSession(founder)
        try script.add(EmployeeApproved(employeeID: second, by: .employee(founder, nil)), "employee", second.uuid)
        let key = key()
        try script.present(key, of: second)
        try script.refuse(key, of: second)
        try script.present(key, of: second)
        try script.authorize(key, of: second)
        let end = try #require(ReasonCode("lost"))
        try script.add(
            EmployeeKeyRevoked(employeeID: second, key: key, reason: end, by: .operator(nil)), "employee", second.uuid)
        try script.decide(
            TenantPolicyChanged(policy: TenantPolicy(approval: .admin, blindOnly: true), by: .operator(nil)))
        try script.decide(DomainConfirmed(domain: "example.test", aLabel: "example.test", by: .operator(nil)))
        let apps = [AppID(UUID()), AppID(UUID()), AppID(UUID())]
        for app in apps { try script.decide(AppLinked(appID: app, by: .founding)) }
        try script.decide(AppUnlinked(appID: apps[1], by: .operator(nil)))
        try script.decide(AdminAppointed(employeeID: second, fingerprints: Self.listed, by: .operator(nil)))
        try script.decide(
            SecurityAdminSucceeded(employeeID: second, fingerprints: Self.listed, by: .employee(founder, nil)))
        try script.cancel(third)
        try script.reinstate(third)
        let fourth = try script.register("E-4")
        try script.present(Self.key(), of: fourth)
        try script.reclaim(fourth)
        try script.everythingOfMPin(linkedTo: second)
        try script.openSession(second)
        return script
    }
}
