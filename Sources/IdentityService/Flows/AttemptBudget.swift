import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The counters that an attempt is charged to.
///
/// All unknown devices share one budget per credential, because fresh keys are free. Each app and each tenant may spend
/// only a share of it. Through the pages app each network of client addresses has a share of its own, as if it were an
/// app: otherwise one stranger would end the new devices of everybody who uses pages. A device whose key was authorized for the employee has a budget of its own, so strangers cannot
/// lock the owner out of it.
struct AttemptBudget: Sendable {
    let ledger: LedgerID
    /// The whole budget, followed by its shares.
    let parts: [BudgetPart]
    let device: DeviceKind
    /// Whether the credential is a decoy.
    let isDecoy: Bool

    /// The budget that an attempt of this flow is charged to.
    init(_ state: FlowState, isKnownDevice: Bool, ring: KeyRing) {
        device = isKnownDevice ? .known : .unknown
        isDecoy = state.isDecoy
        ledger = .directory(of: UserID(state.userId))
        let whole = Self.key(state.credentialId, device: isKnownDevice ? state.employeePublicKey : nil, ring)
        var parts = [BudgetPart(share: .whole, key: whole)]
        if !isKnownDevice {
            let app = state.appId.bytes + (state.network ?? [])
            for (share, id) in [(BudgetPart.Share.app, app), (.tenant, state.countedTenantId.bytes)] {
                let digest = BudgetPart.digest(share, of: state.credentialId, id, ring)
                parts.append(BudgetPart(share: share, key: whole + digest))
            }
        }
        self.parts = parts
    }

    private static func key(_ credential: UUID, device: [UInt8]?, _ ring: KeyRing) -> [UInt8] {
        let kind: DeviceKind = device == nil ? .unknown : .known
        return ring.lookupDigest(kind: "budget-\(kind.rawValue)", credential.bytes + (device ?? []))
    }

    /// The statements that delete the budgets of credentials: those of all unknown devices or, if `devices` is not
    /// empty, those of these devices.
    static func deletions(
        credentials: [CredentialID], devices: [PublicKeyBytes], of user: UserID, ring: KeyRing
    ) -> [SQL] {
        let ledger = LedgerID.directory(of: user).uuid
        let keys = credentials.flatMap { credential in
            devices.isEmpty
                ? [key(credential.uuid, device: nil, ring)]
                : devices.map { key(credential.uuid, device: $0.bytes, ring) }
        }
        // The keys of a budget's shares sort between the budget's own key and that key followed by the greatest digest.
        return keys.map { key in
            let last = key + [UInt8](repeating: 0xFF, count: 32)
            return "DELETE FROM tenure.budget WHERE ledger_id = \(ledger) AND key BETWEEN \(key) AND \(last)"
        }
    }

    /// The statement that refunds a flow's own charges after a success, and resets a known device's failures in a row.
    func refund(_ count: Int) -> SQL {
        let count = Int32(count), keys = parts.map(\.key)
        return switch device {
        case .known: "SELECT tenure.refund_known_device(\(ledger.uuid), \(keys), \(count))"
        case .unknown: "SELECT tenure.refund_attempts(\(ledger.uuid), \(keys), \(count))"
        }
    }
}

extension AttemptBudget {
    /// The result of charging one attempt.
    struct Charged: Sendable {
        var isCharged: Bool
        /// How much of the whole budget and of each share is spent, this charge included.
        var counts: [Int32]
        /// Whether this charge spent the last attempt that the budget or one of its shares has for now.
        var isExhausted: Bool
        /// The seconds until the next attempt; 0 if one is available now, or never will be.
        var retryAfterSeconds: Int32

        /// Reads the row that ``AttemptBudget/charging(_:at:)`` returns.
        init(_ rows: [PostgresRow]) throws {
            guard let row = rows.first else { throw ProgramDefect("a charge has no row") }
            (isCharged, counts, isExhausted, retryAfterSeconds) = try row.decode(
                Bool.self, [Int32].self, Bool.self, Int32.self)
        }
    }

    /// What the log says of a charge: how much is spent of the budget and of its shares, and their limits.
    ///
    /// - Throws: `credentials.locked` for a charge above a limit. The function of the database refuses it before, unless
    ///   somebody replaced it.
    func recorded(
        _ charged: Charged, _ rules: BudgetRules
    ) throws -> (spent: Int, limit: Int, shares: [AttemptCharged.Share]?) {
        let limits = parts.map { $0.limit(device, rules) }
        guard charged.counts.count == parts.count, zip(charged.counts, limits).allSatisfy({ $0 >= 1 && $0 <= $1 })
        else { throw ServiceError(.credentialsLocked, retryAfterSeconds: rules.unknownRefillSeconds) }
        let shares = try zip(parts, zip(charged.counts, limits)).dropFirst().map { part, count in
            guard let key = Bytes32(Array(part.key.suffix(32))) else { throw ProgramDefect("a share has no digest") }
            return AttemptCharged.Share(share: key, spent: Int(count.0), limit: count.1)
        }
        return (Int(charged.counts[0]), limits[0], shares.isEmpty ? nil : shares)
    }

    /// Whether a charge took a known device to its limit of failures in a row. The device then has one attempt a day,
    /// and its sessions end.
    func hasFailedTooOften(_ charged: Charged) -> Bool {
        device == .known && charged.isExhausted && charged.retryAfterSeconds >= BudgetRules.daySeconds
    }

    /// The statement that charges one attempt to the budget and all its shares, or to none of them.
    ///
    /// The sender has locked the ledger's head before, which keeps the counts exact across processes. Without the lock
    /// the database may refuse the statement with 40001.
    func charging(_ rules: BudgetRules, at time: Timestamp) -> SQL {
        let now = time.postgres
        let keys = parts.map(\.key)
        let limits = parts.map { Int32($0.limit(device, rules)) }
        let caps = parts.map { Int32($0.lifetimeCap(device, rules)) }
        let isKnown = device == .known
        let refill = Int32(isKnown ? rules.knownRefillSeconds : rules.unknownRefillSeconds)
        let free = Int32(isKnown ? rules.knownFreeOfDelay : 0)
        let delay = Int32(rules.knownDelaySeconds)
        let keep = keepSeconds(rules)
        return """
            SELECT charged, spent, exhausted, retry_after_seconds FROM tenure.charge_attempt(
                \(ledger.uuid), \(keys), \(limits), \(caps), \(now), \(refill), \(free), \(delay), \(keep))
            """
    }

    /// The seconds after the last charge from which the rows may be deleted: they then say no more than missing rows
    /// would.
    ///
    /// The rows of a real credential are never deleted, but have such a time too. Charging must change the rows of a
    /// decoy in the same way.
    private func keepSeconds(_ rules: BudgetRules) -> Int32 {
        switch device {
        // Failures in a row outlast the refill of the attempts.
        case .known where rules.knownFailuresInARow > 0: Int32(BudgetRules.yearSeconds)
        case .known: Int32(rules.knownLimit * rules.knownRefillSeconds + BudgetRules.longestDelaySeconds)
        case .unknown: isDecoy ? Int32(BudgetRules.yearSeconds) : BudgetRules.neverSeconds
        }
    }
}

extension AttemptBudget {
    /// The statement that asks whether the budget or one of its shares has reached its lifetime cap. Only new
    /// credentials, which have budgets of their own, lift the cap.
    func readingLifetime(_ rules: BudgetRules) -> SQL {
        let keys = parts.map(\.key)
        let caps = parts.map { Int32($0.lifetimeCap(device, rules)) }
        return """
            SELECT EXISTS (
                SELECT 1 FROM unnest(\(keys), \(caps)) AS part (key, cap)
                JOIN tenure.budget AS b ON b.ledger_id = \(ledger.uuid) AND b.key = part.key
                WHERE part.cap > 0 AND b.lifetime >= part.cap)
            """
    }

    /// Reads the row that ``readingLifetime(_:)`` returns.
    static func hasReachedLifetimeCap(_ rows: [PostgresRow]) throws -> Bool {
        try rows.first?.decode(Bool.self) ?? false
    }
}

/// One counter that an attempt is charged to: a whole budget, or the share of an app or a tenant.
struct BudgetPart: Sendable, Equatable {
    /// The attempts that a counter counts.
    enum Share: String, Sendable, CaseIterable {
        /// All attempts that are charged to this budget.
        case whole
        /// The attempts through one app, or from one network through the pages app, so that none can spend the whole
        /// budget.
        case app
        /// The attempts on an employee of one tenant.
        case tenant
    }

    let share: Share
    /// The row's key: 32 bytes for a whole budget, 64 for a share. The first half of a share's key is its budget's key,
    /// which finds all shares of a budget.
    let key: [UInt8]

    /// The digest of the share that an app, a network or a tenant has of a credential's budget.
    static func digest(_ share: Share, of credential: UUID, _ id: [UInt8], _ ring: KeyRing) -> [UInt8] {
        ring.lookupDigest(kind: "budget-\(share.rawValue)", credential.bytes + id)
    }

    /// The number of attempts that the counter allows at once.
    func limit(_ device: DeviceKind, _ rules: BudgetRules) -> Int {
        switch (device, share) {
        case (.known, _): rules.knownLimit
        case (.unknown, .whole): rules.unknownLimit
        case (.unknown, .app): rules.unknownAppLimit
        case (.unknown, .tenant): rules.unknownTenantLimit
        }
    }

    /// The number of attempts that the counter allows ever; 0 for any number. For a known device it is the limit of
    /// failures in a row, after which one attempt a day remains.
    func lifetimeCap(_ device: DeviceKind, _ rules: BudgetRules) -> Int {
        switch (device, share) {
        case (.known, _): rules.knownFailuresInARow
        case (.unknown, .whole): rules.unknownLifetimeCap
        case (.unknown, .app): rules.unknownAppLifetimeCap
        case (.unknown, .tenant): rules.unknownTenantLifetimeCap
        }
    }
}

extension ServiceContext {
    /// Admits an attempt while `body` runs. An attempt from an unknown device first draws on the rate limit of its app,
    /// or of its network in the pages app.
    ///
    /// Known and unknown names draw alike, and before the charge. A refusal costs no attempt and reveals nothing about
    /// the name.
    ///
    /// - Parameter isNew: Whether the attempt begins with this call. A call that belongs to an attempt already charged
    ///   draws nothing.
    /// - Throws: `request.rate_limited`, or `service.busy` if the lane has no place.
    func admitted<Result>(
        to pool: ComputePool, attempt state: FlowState, _ budget: AttemptBudget, isNew: Bool = true,
        _ body: (ComputeTurn) async throws -> Result
    ) async throws -> Result {
        let isKnown = budget.device == .known
        if isNew, !isKnown { try unknownAttempts.draw(state.appId, network: state.network) }
        return try await pool.admitted(AdmissionLane(state, isKnownDevice: isKnown), body)
    }
}

extension AdmissionLane {
    init(_ state: FlowState, isKnownDevice: Bool = false) {
        self.init(
            app: state.appId, tenant: state.countedTenantId, isKnownDevice: isKnownDevice, network: state.network)
    }
}
