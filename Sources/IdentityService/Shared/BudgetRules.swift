/// The numbers of attempts that credentials and devices have (docs/credentials.md section 12).
package struct BudgetRules: Sendable {
    /// The attempts that all unknown devices together have on one credential.
    package var unknownLimit = 20
    /// The part of ``unknownLimit`` that one app may spend, in all tenants together.
    package var unknownAppLimit = 10
    /// The part of ``unknownLimit`` that may be spent in one tenant, through all its apps together.
    package var unknownTenantLimit = 15
    /// The seconds after which unknown devices, and each share of their budget, get one attempt back.
    package var unknownRefillSeconds = 3_600
    /// The number of charges by unknown devices that locks a credential until it is changed; 0 for no limit.
    package var unknownLifetimeCap = 100
    /// The part of ``unknownLifetimeCap`` that one app may cause; 0 for no limit.
    package var unknownAppLifetimeCap = 50
    /// The part of ``unknownLifetimeCap`` that may be caused in one tenant; 0 for no limit.
    package var unknownTenantLifetimeCap = 75
    /// The attempts that one known device has.
    package var knownLimit = 20
    /// The seconds after which a known device gets one attempt back.
    package var knownRefillSeconds = 600
    /// The number of wrong attempts of a known device that cause no delay.
    package var knownFreeOfDelay = 5
    /// The first delay of a known device, in seconds. It doubles with every further attempt, up to an hour.
    package var knownDelaySeconds = 1
    /// The number of failures in a row after which a known device has one attempt a day and no sessions; 0 for no
    /// limit.
    package var knownFailuresInARow = 100

    /// The documented defaults.
    package init() {}
}

extension BudgetRules {
    /// The longest delay of a known device, in seconds.
    static let longestDelaySeconds = 3_600
    /// The delay of a known device that reached its limit of failures in a row, in seconds: a day.
    static let daySeconds = 86_400
    /// The seconds for which the budgets of decoys and of known devices are kept after the last charge: a year.
    static let yearSeconds = 31_536_000
    /// The seconds for which the budget of a real credential is kept: the largest value of the column, which is 68
    /// years.
    static let neverSeconds = Int32.max
}
