import Identity

/// One counter that an attempt is charged to: a whole budget, or somebody's share of it.
struct BudgetPart: Sendable, Equatable {
    /// Whose attempts it counts.
    enum Share: String, Sendable, CaseIterable {
        /// Everybody's who is charged to this budget.
        case whole
        /// Those that came through one app, so that one app cannot spend a person's budget everywhere.
        case app
        /// Those that were about an employee of one company.
        case tenant
    }

    let share: Share
    /// The row's key, 32 bytes for a whole budget and 64 for a share, of which the first half is the budget's: so the
    /// shares of a budget are found by it.
    let key: [UInt8]

    /// How many attempts it allows at once.
    func limit(_ device: DeviceKind, _ rules: BudgetRules) -> Int {
        switch (device, share) {
        case (.known, _): rules.knownLimit
        case (.unknown, .whole): rules.unknownLimit
        case (.unknown, .app): rules.unknownAppLimit
        case (.unknown, .tenant): rules.unknownTenantLimit
        }
    }

    /// How many it allows ever; 0 for any number.
    func lifetimeCap(_ device: DeviceKind, _ rules: BudgetRules) -> Int {
        switch (device, share) {
        case (.known, _): 0
        case (.unknown, .whole): rules.unknownLifetimeCap
        case (.unknown, .app): rules.unknownAppLifetimeCap
        case (.unknown, .tenant): rules.unknownTenantLifetimeCap
        }
    }
}
