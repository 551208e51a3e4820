/// Why a device key is revoked, as the statement names it.
enum DecisionReason: String, Sendable, CaseIterable {
    case lost
    case stolen
    case replaced
    case unknown

    var word: PageWord { "reason.\(rawValue)" }
}
