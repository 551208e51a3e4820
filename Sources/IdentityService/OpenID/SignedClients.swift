import EventCoding
import Identity
import Ledger
import Logging

/// What is registered about clients counts only with the operator's signature, also for a service that trusts the codes
/// of events: a redirect address gets everybody's authorization codes. Each event is verified once.
actor SignedClients {
    private var beginning: LogBeginning?
    private var signed: Set<[UInt8]> = []

    /// Whether the operator signed a registration. Its time and what the operator saw are for `tenure verify`.
    func contain(_ event: RecordedEvent, _ reader: LedgerReader) async throws -> Bool {
        if signed.contains(event.leaf) { return true }
        if beginning == nil { beginning = try await LogBeginning.read(reader) }
        guard let beginning,
            case .operator(let statement?)? = (try EventCodec.payload(of: event) as? AppClientChanged)?.by
        else { return false }
        let words = OperatorSignatures.violation(
            event, statement, key: beginning.operatorKey, authority: beginning.leaf, seen: { _ in nil }, earliest: nil,
            root: { _ in nil })
        if words == nil { signed.insert(event.leaf) }
        return words == nil
    }
}

extension ServiceContext {
    /// What use cases of the OpenID provider share.
    struct OpenID: Sendable {
        let clientOrigins = ClientOrigins()
        /// What the operator signed about clients.
        let signedClients = SignedClients()
        /// The requests that browsers of one network may have stored.
        let storedRequests: UnknownAttempts

        init(_ settings: ServiceSettings) {
            storedRequests = UnknownAttempts(
                settings.unknownAttempts.map {
                    RateLimit(perSecond: 2 * $0.perSecond, burst: 2 * $0.burst, addresses: $0.addresses)
                })
        }
    }

    /// Loads an app as a client; see ``signed(_:)``.
    func client(_ id: AppID) async throws -> AppSnapshot {
        let app = try await signed(StateLoader(reader: reader).app(id))
        let isRegistered = app.state.client != nil
        RequestNotes.note { facts in
            if isRegistered { facts.client = id.uuid } else { facts.unknownClient = id.uuid }
        }
        return app
    }

    /// Takes from an app what is registered about it as a client, if the operator did not sign that.
    func signed(_ app: AppSnapshot) async throws -> AppSnapshot {
        guard let change = app.clientChange, try await !openID.signedClients.contain(change, reader) else { return app }
        logger.error(
            "what is registered about a client has no signature of the operator, and does not count",
            metadata: ["client": "\(app.id)", "position": "\(change.position)"])
        var app = app
        app.state = app.state.withoutClient
        return app
    }
}
