public import Credentials

/// The numbers and names of one deployment.
public struct ServiceSettings: Sendable {
    /// The service's name in challenges, 1 to 255 bytes.
    public var issuer: String
    /// The cost of one guess.
    public var scrypt: ScryptParameters
    /// How many wrong attempts unknown and known devices have.
    public var budgets: BudgetRules
    /// How long an access token lasts.
    public var accessLifetime: Duration
    /// How long a refresh token lasts.
    public var refreshLifetime: Duration
    /// How long a read waits for a position before it answers 503.
    public var viewPatience: Duration
    /// How long the answer to an idempotent call is kept.
    public var idempotencyLifetime: Duration

    /// The defaults of the documentation.
    public init(
        issuer: String = "tenure", scrypt: ScryptParameters = .standard, budgets: BudgetRules = BudgetRules(),
        accessLifetime: Duration = .seconds(3_600), refreshLifetime: Duration = .seconds(30 * 86_400),
        viewPatience: Duration = .seconds(5), idempotencyLifetime: Duration = .seconds(86_400)
    ) {
        self.issuer = issuer
        self.scrypt = scrypt
        self.budgets = budgets
        self.accessLifetime = accessLifetime
        self.refreshLifetime = refreshLifetime
        self.viewPatience = viewPatience
        self.idempotencyLifetime = idempotencyLifetime
    }
}

/// How many attempts somebody has (credentials.md section 5).
public struct BudgetRules: Sendable {
    /// What all unknown devices together may spend on one credential.
    public var unknownLimit = 20
    /// How many seconds give one attempt back to unknown devices.
    public var unknownRefillSeconds = 3_600
    /// How many charges of unknown devices end a credential until it is changed.
    public var unknownLifetimeCap = 100
    /// What one known device may spend.
    public var knownLimit = 20
    /// How many seconds give one attempt back to a known device.
    public var knownRefillSeconds = 600
    /// How many wrong attempts of a known device go without a delay.
    public var knownFreeOfDelay = 5
    /// The first delay of a known device in seconds; it doubles with every further attempt, up to an hour.
    public var knownDelaySeconds = 1

    /// The defaults of the documentation.
    public init() {}
}
