/// How many attempts somebody has (docs/credentials.md section 12).
public struct BudgetRules: Sendable {
    /// What all unknown devices together may spend on one credential.
    public var unknownLimit = 20
    /// How much of it one app may spend, in all companies together.
    public var unknownAppLimit = 10
    /// How much of it one company may spend, by all its apps together.
    public var unknownTenantLimit = 15
    /// How many seconds give one attempt back to unknown devices, and to each share of their budget.
    public var unknownRefillSeconds = 3_600
    /// How many charges of unknown devices end a credential until it is changed; 0 ends none.
    public var unknownLifetimeCap = 100
    /// How many of these one app may cause; 0 counts none.
    public var unknownAppLifetimeCap = 50
    /// How many of these one company may cause; 0 counts none.
    public var unknownTenantLifetimeCap = 75
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

extension BudgetRules {
    /// The longest delay of a known device, in seconds.
    static let longestDelaySeconds = 3_600
    /// How long a budget of somebody who does not exist is kept after its last charge, in seconds: a year.
    static let decoySeconds = 31_536_000
    /// For how long the budget of a person is kept: as long as a number of seconds can say, which is 68 years.
    static let neverSeconds = Int32.max
}
