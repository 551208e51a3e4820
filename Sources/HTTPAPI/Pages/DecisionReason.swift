/// Why a device key is revoked, as the statement names it.
enum DecisionReason: String, Sendable, CaseIterable {
    case lost
    case stolen
    case replaced
    case unknown

    var word: PageWord {
        switch self {
        case .lost: "reason.lost"
        case .stolen: "reason.stolen"
        case .replaced: "reason.replaced"
        case .unknown: "reason.unknown"
        }
    }
}
