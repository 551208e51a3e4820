import Canonical

extension TenantPolicy {
    /// The members of `TenantPolicyChanged`.
    func json(by: Authority) throws(EventError) -> JSONValue {
        .object([
            "keyAuthorization": .string(keyAuthorization.rawValue),
            "approval": .string(approval.rawValue),
            "blindOnly": .bool(blindOnly),
            "questionsWithPassphrase": .bool(questionsWithPassphrase),
            "by": try by.json(),
        ])
    }
}

extension EventReader {
    mutating func policy() throws(JSONError) -> TenantPolicy {
        TenantPolicy(
            keyAuthorization: try one("keyAuthorization"), approval: try one("approval"),
            blindOnly: try bool("blindOnly"), questionsWithPassphrase: try bool("questionsWithPassphrase"))
    }
}
