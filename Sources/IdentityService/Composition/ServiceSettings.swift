public import Credentials

/// The numbers and names of one deployment.
public struct ServiceSettings: Sendable {
    /// The service's name in challenges, 1 to 255 bytes.
    public var issuer: String
    /// The cost of one guess.
    public var scrypt: ScryptParameters
    /// How many wrong attempts unknown and known devices have.
    public var budgets: BudgetRules
    /// How many of 256 unknown employees insist on the blind mode.
    public var blindOnlyDecoys = Decoy.blindOnlyShare
    /// How long an access token lasts.
    public var accessLifetime: Duration
    /// How long a refresh token lasts.
    public var refreshLifetime: Duration
    /// How long a session lasts at most, however often it is refreshed; its tokens end with it.
    public var sessionLifetime: Duration
    /// How long a read waits for a position before it answers 503.
    public var viewPatience: Duration
    /// How long the answer to an idempotent call is kept.
    public var idempotencyLifetime: Duration

    /// The defaults of the documentation.
    public init(
        issuer: String = "tenure", scrypt: ScryptParameters = .standard, budgets: BudgetRules = BudgetRules(),
        accessLifetime: Duration = .seconds(3_600), refreshLifetime: Duration = .seconds(30 * 86_400),
        sessionLifetime: Duration = .seconds(86_400), viewPatience: Duration = .seconds(5),
        idempotencyLifetime: Duration = .seconds(86_400)
    ) {
        self.issuer = issuer
        self.scrypt = scrypt
        self.budgets = budgets
        self.accessLifetime = accessLifetime
        self.refreshLifetime = refreshLifetime
        self.sessionLifetime = sessionLifetime
        self.viewPatience = viewPatience
        self.idempotencyLifetime = idempotencyLifetime
    }
}
