import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The row of a browser that waits for the decision about its device key. All its columns are covered by its code.
struct BrowserWaitRow: Sendable, Equatable {
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

    private static let columns: SQL = """
        ledger_id, flow_id, digest, employee_id, fingerprint, credential_id, app_id, methods, proved_at, request,
        origin, mail_id, mail_until, address, tries, expires_at, mac
        """

    private var values: [RowValue] {
        [
            .uuid(tenant), .uuid(flow), .bytes(digest), .uuid(employee), .bytes(fingerprint), .uuid(credential),
            .uuid(app), .text(methods), .time(provedAt.microseconds), .bytes(request), .bytes(origin),
            .uuid(mail?.id), .time(mail?.until.microseconds), .integer(mail?.address), .integer(tries),
            .time(expiresAt.microseconds),
        ]
    }

    private var ledger: LedgerID { LedgerID(tenant) }

    /// The statement that inserts the row. A flow waits once: of two browsers at once the second one waits.
    func insertion(_ ring: KeyRing) -> SQL {
        """
        INSERT INTO tenure.browser_wait (\(Self.columns))
        VALUES (\(tenant), \(flow), \(digest), \(employee), \(fingerprint), \(credential), \(app), \(methods),
            \(provedAt.postgres), \(request), \(origin), \(mail?.id), \(mail?.until.postgres), \(mail?.address),
            \(tries), \(expiresAt.postgres), \(ring.rowCode(ProtectedRows.browserWaits, values)))
        ON CONFLICT (ledger_id, flow_id) DO UPDATE SET digest = EXCLUDED.digest, employee_id = EXCLUDED.employee_id,
            fingerprint = EXCLUDED.fingerprint, credential_id = EXCLUDED.credential_id, app_id = EXCLUDED.app_id,
            methods = EXCLUDED.methods, proved_at = EXCLUDED.proved_at, request = EXCLUDED.request,
            origin = EXCLUDED.origin, mail_id = EXCLUDED.mail_id, mail_until = EXCLUDED.mail_until,
            address = EXCLUDED.address, tries = EXCLUDED.tries, expires_at = EXCLUDED.expires_at, mac = EXCLUDED.mac
        """
    }

    /// The statement that deletes the row.
    var deletion: SQL { "DELETE FROM tenure.browser_wait WHERE ledger_id = \(tenant) AND flow_id = \(flow)" }

    /// The statement that writes cookie, origin, mail and tries. It changes nothing if somebody typed another code
    /// meanwhile.
    ///
    /// - Parameter tries: The tries as they were read.
    func update(from tries: Int64, _ ring: KeyRing) -> SQL {
        """
        UPDATE tenure.browser_wait SET digest = \(digest), request = \(request), origin = \(origin),
            mail_id = \(mail?.id), mail_until = \(mail?.until.postgres), address = \(mail?.address),
            tries = \(self.tries), mac = \(ring.rowCode(ProtectedRows.browserWaits, values))
        WHERE ledger_id = \(tenant) AND flow_id = \(flow) AND tries = \(tries)
        """
    }

    /// Counts a code that is about to be compared. Returns the row afterwards; `nil` if another call changed it.
    func counting(_ context: ServiceContext) async throws -> BrowserWaitRow? {
        var next = self
        next.tries += 1
        let rows = try await context.pool.query("\(next.update(from: tries, context.ring)) RETURNING 1", in: [ledger])
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
        let found = try await context.pool.query(
            "SELECT \(columns) FROM tenure.browser_wait WHERE ledger_id = \(tenant.uuid) AND \(condition)",
            in: [LedgerID(tenant.uuid)])
        guard let row = try found.first.map({ try BrowserWaitRow($0) }), time < row.expiresAt,
            context.rows.accepts(row.code, ProtectedRows.browserWaits, row.values)
        else { return nil }
        return row
    }
}

extension BrowserWaitRow {
    private init(_ row: PostgresRow) throws(PostgresError) {
        func time(_ column: Int) throws(PostgresError) -> Timestamp? {
            try row.decode(column: column, as: PostgresTimestamp?.self)
                .map { Timestamp(microseconds: $0.microsecondsSinceUnixEpoch) }
        }
        let mailID = try row.decode(column: 11, as: UUID?.self), until = try time(12)
        let address = try row.decode(column: 13, as: Int64?.self)
        var mail: Mail?
        if let mailID, let until, let address { mail = Mail(id: mailID, until: until, address: address) }
        self.init(
            tenant: try row.decode(column: 0), flow: try row.decode(column: 1), digest: try row.decode(column: 2),
            employee: try row.decode(column: 3), fingerprint: try row.decode(column: 4),
            credential: try row.decode(column: 5), app: try row.decode(column: 6),
            methods: try row.decode(column: 7), provedAt: try time(8) ?? .earliest,
            request: try row.decode(column: 9), origin: try row.decode(column: 10), mail: mail,
            tries: try row.decode(column: 14), expiresAt: try time(15) ?? .earliest,
            code: try row.decode(column: 16))
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
