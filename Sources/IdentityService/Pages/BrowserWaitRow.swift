import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The row of a browser that waits for the decision about its device key. All its columns are covered by its code.
struct BrowserWaitRow: CodedRow, Equatable {
    /// A mail that was sent for the wait.
    struct Mail: Sendable, Equatable {
        var id: UUID
        /// When the link of the mail expires.
        var until: Timestamp
        /// The position of the event that has the address, in the user's directory.
        var address: Int64
    }

    var tenant: UUID
    /// The flow that ended in waiting.
    var flow: UUID
    var digest: [UInt8]
    var employee: UUID
    /// The SHA-256 of the device key.
    var fingerprint: [UInt8]
    /// The credential that the person had when the flow ended.
    var credential: UUID
    var app: UUID
    /// How the person proved who they are, as sessions have it.
    var methods: String
    /// The time of the event that proves the flow.
    var provedAt: Timestamp
    /// The handle of the stored authorization request, sealed by the cookie.
    var request: [UInt8]?
    /// Where the flow came from, sealed.
    var origin: [UInt8]
    var mail: Mail?
    /// How many codes were typed.
    var tries: Int64 = 0
    var expiresAt: Timestamp
    var code: [UInt8]?

    static let table = RowTable<BrowserWaitRow>(
        "browser_wait", BrowserWaitRow.init,
        Column(key: "ledger_id", \.tenant), Column(key: "flow_id", \.flow), Column("digest", \.digest),
        Column("employee_id", \.employee), Column("fingerprint", \.fingerprint), Column("credential_id", \.credential),
        Column("app_id", \.app), Column("methods", \.methods), Column("proved_at", \.provedAt),
        Column("request", \.request), Column("origin", \.origin),
        Column(
            optional: \.mail, Mail.init,
            Column("mail_id", \.id), Column("mail_until", \.until), Column("address", \.address)),
        Column("tries", \.tries), Column("expires_at", \.expiresAt), .code(\.code))

    /// The statement that deletes the row.
    var deletion: SQL { "DELETE FROM tenure.browser_wait WHERE ledger_id = \(tenant) AND flow_id = \(flow)" }

    /// The statement that writes cookie, origin, mail and tries. It changes nothing if somebody typed another code
    /// meanwhile.
    ///
    /// - Parameter tries: The tries as they were read.
    func update(from tries: Int64, _ ring: KeyRing) -> SQL { update(where: "t.tries = \(tries)", ring) }

    /// Counts a code that is about to be compared. Returns the row afterwards; `nil` if another call changed it.
    func counting(_ context: ServiceContext) async throws -> BrowserWaitRow? {
        var next = self
        next.tries += 1
        let update = next.update(from: tries, context.ring)
        let rows = try await context.pool.query("\(update) RETURNING 1", in: [LedgerID(tenant)])
        return rows.isEmpty ? nil : next
    }

    /// Reads the row of a cookie; `nil` if there is none, or if it has expired.
    static func find(
        _ cookie: WaitCookie, _ context: ServiceContext, at time: Timestamp
    ) async throws -> BrowserWaitRow? {
        try await find(
            cookie.tenant, "flow_id = \(cookie.id.uuid) AND digest = \(cookie.digest(context.ring))", context,
            at: time)
    }

    /// Reads the row of a flow, whoever waits.
    static func find(
        _ flow: FlowID, in tenant: TenantID, _ context: ServiceContext, at time: Timestamp
    ) async throws -> BrowserWaitRow? {
        try await find(tenant, "flow_id = \(flow.uuid)", context, at: time)
    }

    /// Reads the row that a mail was sent for.
    static func find(
        mail: MailID, in tenant: TenantID, _ context: ServiceContext, at time: Timestamp
    ) async throws -> BrowserWaitRow? {
        try await find(tenant, "mail_id = \(mail.uuid)", context, at: time)
    }

    private static func find(
        _ tenant: TenantID, _ condition: SQL, _ context: ServiceContext, at time: Timestamp
    ) async throws -> BrowserWaitRow? {
        try await all(in: tenant.uuid, where: condition, context).first { time < $0.expiresAt }
    }
}

/// Where a flow came from, as the page behind a mailed link shows it.
struct WaitOrigin: FlatObject, Equatable {
    /// The network of the address; empty if it is unknown.
    var network: String
    /// The name of the device; empty if it told none.
    var device: String

    /// The longest text that is kept, in characters.
    private static let limit = 100
    private static let label = Array("wait-origin".utf8)

    static let members = MemberTable<WaitOrigin, Void>(
        "WaitOrigin", WaitOrigin.init, Member("network", \.network), Member("device", \.device))

    func sealed(for flow: UUID, _ ring: KeyRing) throws -> [UInt8] {
        let kept = WaitOrigin(
            network: String(network.prefix(Self.limit)), device: String(device.prefix(Self.limit)))
        return try ring.sealFlow(kept, id: flow, secret: Self.label)
    }

    /// Opens the origin of a wait; empty texts if it does not open.
    static func of(_ row: BrowserWaitRow, _ ring: KeyRing) -> WaitOrigin {
        ring.openFlow(row.origin, id: row.flow, secret: label) ?? WaitOrigin(network: "", device: "")
    }
}
