package import Canonical
package import Credentials
import EventCoding
import Identity
package import Keys
package import Ledger
package import Logging
package import Postgres

/// The components and settings that every use case works with.
package struct ServiceContext: Sendable {
    let pool: PostgresPool
    /// Where an ``EventRecorder`` appends.
    let appender: any AppendTarget
    package let reader: LedgerReader
    /// The codes of stored tiles, counted with the other rows.
    package var tileCodes: TileCodes { rows.tileCodes }
    let ring: KeyRing
    package let personKeys: PersonKeys
    let seeds: OPRFSeeds
    let compute: ComputePool
    let evaluations: ComputePool
    let rekeying: BucketRekeying?
    package let settings: ServiceSettings
    let logger: Logger
    let unknownAttempts: UnknownAttempts
    /// Makes and compares the codes of rows.
    let rows: RowAuthentication
    /// The database's clock; `nil` for tests with a clock of their own.
    let clock: DatabaseClock?
    // What the use cases of one room share: its type, and how it is made, stand in the room.
    let administration = Administration()
    let login = Login()
    let mpin: MPin
    let openID: OpenID
    let pages: Pages
    let sessions: Sessions

    /// The caller of this initialiser starts and stops the components.
    ///
    /// - Parameters:
    ///   - rekeying: Re-keys the bucket of a replaced credential; needed only to change credentials.
    ///   - mpin: Where key shares of M-Pin come from.
    package init(
        pool: PostgresPool, appender: any AppendTarget, reader: LedgerReader, ring: KeyRing, personKeys: PersonKeys,
        seeds: OPRFSeeds, compute: ComputePool, evaluations: ComputePool, rekeying: BucketRekeying? = nil,
        settings: ServiceSettings, logger: Logger, mpin: MPin = MPin()
    ) {
        (self.pool, self.appender, self.ring, self.personKeys, self.seeds) = (pool, appender, ring, personKeys, seeds)
        (self.compute, self.evaluations, self.rekeying, self.mpin) = (compute, evaluations, rekeying, mpin)
        let rows = RowAuthentication(ring, logger: logger)
        (self.settings, self.logger, self.rows) = (settings, logger, rows)
        clock = settings.clockTolerance == nil ? nil : DatabaseClock(pool: pool)
        self.reader = reader.using(rows.tileCodes).accepting { rows.accepts($0) }
        reader.codes.disowned.readAcceptedTimes { ledger in
            try await StateLoader(reader: reader).ledgerTime(ledger).state.accepted
        }
        unknownAttempts = UnknownAttempts(settings.unknownAttempts)
        openID = OpenID(settings)
        pages = Pages(pool, rows, settings, logger)
        sessions = Sessions(pool, rows, settings, logger)
    }
}

/// The settings of one deployment.
package struct ServiceSettings: Sendable {
    /// The service's name in challenges, 1 to 255 bytes.
    package var issuer: String
    /// The public address of the service, which access tokens name as their issuer (RFC 8414), without a trailing slash.
    package var tokenIssuer = "http://127.0.0.1:8080"
    /// The public URL that device keys of browsers belong to. Pages that were served under another one are not served;
    /// `nil` asks no question about it.
    package var pagesURL: String?
    /// The cost of one guess.
    package var scrypt: ScryptParameters
    /// The attempt budgets of unknown and known devices.
    package var budgets: BudgetRules
    /// The rate limit of one app's attempts from unknown devices in a process, whatever names they are about; `nil` for
    /// none.
    package var unknownAttempts: RateLimit?
    /// The number among 256 decoys that require the blind mode.
    package var blindOnlyDecoys = Decoy.blindOnlyShare
    /// The lifetime of an access token. Whoever verifies tokens alone learns of a session's end after this time.
    package var accessLifetime: Duration
    package var refreshLifetime: Duration
    /// The longest lifetime of a session, however often it is refreshed. Its tokens end with it.
    package var sessionLifetime: Duration
    /// The longest lifetime of a client's grant that outlives its session. It also holds for open grants.
    package var grantLifetime: Duration = .seconds(30 * 86_400)
    /// The longest time that a read waits for a position before it answers 503.
    package var viewPatience: Duration
    /// The time for which the reply to an idempotent call is kept.
    package var idempotencyLifetime: Duration
    /// The longest waiting time of a recovery, for development and tests; `nil` for the tenant's own.
    package var recoveryDelay: Duration?
    /// How mails are sent; `nil` if none can be sent, which refuses the calls that need one.
    package var mail: MailSettings?
    /// Who may found a tenant on the hosted pages. Apps with a secret of their own found as their roles permit.
    package var founding = FoundingRule.off
    /// The clock for calls that carry no time. Setting another one lifts ``clockTolerance``, because a test's clock is not
    /// the database's.
    package var now: @Sendable () -> Timestamp = { .now() } { didSet { clockTolerance = nil } }
    /// How far events may be ahead of the database's clock; `nil` for no limit.
    package var clockTolerance: Duration? = Appender.clockTolerance

    /// The documented defaults.
    package init(
        issuer: String = "tenure", scrypt: ScryptParameters = .standard, budgets: BudgetRules = BudgetRules(),
        unknownAttempts: RateLimit? = nil, accessLifetime: Duration = .seconds(300),
        refreshLifetime: Duration = .seconds(30 * 86_400),
        sessionLifetime: Duration = .seconds(86_400), viewPatience: Duration = .seconds(5),
        idempotencyLifetime: Duration = .seconds(86_400)
    ) {
        (self.issuer, self.scrypt, self.budgets) = (issuer, scrypt, budgets)
        (self.unknownAttempts, self.viewPatience) = (unknownAttempts, viewPatience)
        (self.accessLifetime, self.refreshLifetime) = (accessLifetime, refreshLifetime)
        (self.sessionLifetime, self.idempotencyLifetime) = (sessionLifetime, idempotencyLifetime)
    }
}
