/// A row of the second table: printed for information, neither kept nor compared with another run.
struct Measure: Hashable, Sendable {
    /// What is aimed at: of the ratio where there is one, of the value otherwise.
    enum Goal: Hashable, Sendable {
        case atLeast(Double)
        case atMost(Double)

        func isReached(by value: Double) -> Bool {
            switch self {
            case .atLeast(let least): value >= least
            case .atMost(let most): value <= most
            }
        }
    }

    let title: String
    let unit: String
    /// The title of what it is divided by, within the same repetition.
    let base: String?
    let goal: Goal?

    init(_ title: String, unit: String = "per second", ratioTo base: Measure? = nil, goal: Goal? = nil) {
        self.title = title
        self.unit = unit
        self.base = base?.title
        self.goal = goal
    }
}
