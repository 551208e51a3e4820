import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// An authorization or log-out request that waits for a page, with what the person answered on pages.
struct StoredRequest: FlatObject {
    /// The time for which a request waits: longer than a registration and the wait for a device after it.
    static let lifetime: Duration = .seconds(5_400)
    private static let secretByteCount = 32

    let id: UUID
    private let secret: [UInt8]
    var parameters: AuthorizationParameters
    let arrivedAt: Timestamp
    var answers = AuthorizationSituation.Answers()
    /// Whether it asks to log out.
    let isLogOut: Bool
    /// The name that the client had when the request arrived, for pages; empty for a log-out.
    private(set) var clientName = ""
    /// Whether the client took people of any tenant then.
    private(set) var isOfAnyTenant = false
    /// The version of the row as it was read.
    private(set) var version: Int32 = 0

    /// A new request.
    init(_ parameters: AuthorizationParameters, isLogOut: Bool = false, at time: Timestamp) {
        id = UUID.random()
        secret = randomBytes(Self.secretByteCount)
        self.parameters = parameters
        self.isLogOut = isLogOut
        arrivedAt = time
    }

    /// Keeps what pages show of the client, so that they need not read it.
    mutating func keep(_ clientName: String, _ registration: ClientRegistration) {
        (self.clientName, isOfAnyTenant) = (clientName, registration.anyTenant)
    }

    /// The opaque handle: the id, and a secret without which the row cannot be decrypted.
    var handle: String { Base64URL.encode(id.bytes + secret) }

    private var ledger: LedgerID { .directory(id.bytes[0]) }

    /// Stores a new request. It does not wait for the disk: a request that a crash of the database loses begins again.
    func insert(_ context: ServiceContext) async throws {
        let sealed = try context.ring.sealFlow(self, id: id, secret: Self.label + secret)
        let insertion: SQL = """
            INSERT INTO tenure.authorization_request (ledger_id, request_id, version, sealed, expires_at)
            VALUES (\(ledger.uuid), \(id), 1, \(sealed), \(arrivedAt.adding(Self.lifetime).postgres))
            """
        _ = try await context.pool.pipeline([insertion], in: [ledger], waits: false)
    }

    /// Stores what the person answered. Returns whether nobody changed the request meanwhile.
    func update(_ context: ServiceContext) async throws -> Bool {
        let sealed = try context.ring.sealFlow(self, id: id, secret: Self.label + secret)
        let rows = try await context.pool.query(
            """
            UPDATE tenure.authorization_request SET sealed = \(sealed), version = version + 1
            WHERE ledger_id = \(ledger.uuid) AND request_id = \(id) AND version = \(version) RETURNING 1
            """, in: [ledger])
        return !rows.isEmpty
    }

    /// Deletes the request and runs a statement of another ledger with it. Returns whether the request was there: it is
    /// answered once.
    func consume(_ context: ServiceContext, with statement: SQL?, in other: LedgerID?) async throws -> Bool {
        let deletion: SQL = """
            DELETE FROM tenure.authorization_request WHERE ledger_id = \(ledger.uuid) AND request_id = \(id)
            """
        return try await context.pool.withTransaction(in: [ledger] + (other.map { [$0] } ?? [])) { connection in
            guard try await connection.execute(deletion) == 1 else { return false }
            if let statement { try await connection.execute(statement) }
            return true
        }
    }

    /// Reads a request of one of the two kinds; `nil` for a handle that is unknown or expired.
    static func find(
        _ handle: String, isLogOut: Bool = false, _ context: ServiceContext, at time: Timestamp
    ) async throws -> StoredRequest? {
        guard handle.utf8.count <= 128, let bytes = Base64URL.decode(handle), bytes.count == 16 + secretByteCount,
            let id = UUID(bytes: bytes[0..<16])
        else { return nil }
        let ledger = LedgerID.directory(id.bytes[0])
        let found = try await context.pool.query(
            """
            SELECT version, sealed FROM tenure.authorization_request
            WHERE ledger_id = \(ledger.uuid) AND request_id = \(id) AND expires_at > \(time.postgres)
            """, in: [ledger])
        guard let (version, sealed) = try found.first?.decode(Int32.self, [UInt8].self) else { return nil }
        let secret = Array(bytes[16...])
        var request: StoredRequest? = context.ring.openFlow(sealed, id: id, secret: label + secret)
        request?.version = version
        return request?.isLogOut == isLogOut ? request : nil
    }

    /// Keeps these rows from opening as those of flows.
    private static let label = Array("authorization".utf8)
}

extension StoredRequest {
    /// What the client knows about the person: an address, or an id, of which the own `preferred_username` tells the
    /// tenant too.
    private var hint: (text: String, company: String?, isAddress: Bool)? {
        parameters["login_hint"].map { text in
            guard !text.utf8.contains(UInt8(ascii: "@")) else { return (text, nil, true) }
            let name = PreferredUsername.parse(text, ofAnyTenant: isOfAnyTenant)
            return (name.id, name.company, false)
        }
    }

    /// The page that logs the person in. An address is for the field of addresses: at a company it would be taken for an
    /// id, and whether there is one is not looked up.
    var logInPage: AuthorizationAnswer.Page { hint?.isAddress == true ? .logInByAddress : .logIn }

    /// What a page shows of the request of a client.
    ///
    /// - Throws: ``AuthorizationFault`` for that of a log-out.
    func awaited(_ page: AuthorizationAnswer.Page = .logIn) throws -> AwaitedAuthorization {
        let hint = hint
        return AwaitedAuthorization(
            page: page, client: try AuthorizationRequest.client(of: parameters).uuid, clientName: clientName,
            scopes: OpenIDScope.known(in: parameters["scope"] ?? "").names, loginHint: hint?.text,
            tenant: parameters["tenant"] ?? hint?.company, locales: parameters.locales,
            hintIsAddress: hint?.isAddress ?? false)
    }
}

extension StoredRequest {
    static let members = MemberTable<StoredRequest, Void>(
        "StoredRequest",
        StoredRequest.init(
            id:secret:parameters:repeated:arrivedAt:isLogOut:clientName:isOfAnyTenant:chosen:consentBy:consentIsGiven:
            withoutAddress:),
        Member("id", \.id), Member("secret", \.secret, .anyBytes), Member("parameters", \.parameters.values, .texts),
        Member("repeated", { $0.parameters.repeated.sorted() }, .list()), Member("arrivedAt", \.arrivedAt),
        Member("isLogOut", \.isLogOut), Member("clientName", \.clientName), Member("isOfAnyTenant", \.isOfAnyTenant),
        Member(optional: "chosen", \.answers.chosen), Member(optional: "consentBy", { $0.answers.consent?.by }),
        Member(optional: "consentIsGiven", { $0.answers.consent?.isGiven }),
        Member(optional: "withoutAddress", \.answers.withoutAddress))

    private init(
        id: UUID, secret: [UInt8], parameters: [String: String], repeated: [String], arrivedAt: Timestamp,
        isLogOut: Bool, clientName: String, isOfAnyTenant: Bool, chosen: EmployeeID?, consentBy: EmployeeID?,
        consentIsGiven: Bool?, withoutAddress: EmployeeID?
    ) {
        (self.id, self.secret, self.arrivedAt) = (id, secret, arrivedAt)
        (self.isLogOut, self.clientName, self.isOfAnyTenant) = (isLogOut, clientName, isOfAnyTenant)
        let twice = (repeated + repeated).map { (name: $0, value: "") }
        self.parameters = AuthorizationParameters(parameters.map { (name: $0, value: $1) } + twice)
        (answers.chosen, answers.withoutAddress) = (chosen, withoutAddress)
        if let consentBy, let consentIsGiven { answers.consent = (by: consentBy, isGiven: consentIsGiven) }
    }
}
