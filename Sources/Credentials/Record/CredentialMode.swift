/// Where secrets are used: the mode in which credentials were set, and in which an attempt was made.
public enum CredentialMode: UInt8, Sendable, Hashable, CaseIterable {
    /// The client does its half; no answer or passphrase reaches the service.
    case blind = 1
    /// The app sends the secrets to the service.
    case direct = 2

    /// The name in events: `blind` or `direct`.
    public var name: String {
        switch self {
        case .blind: "blind"
        case .direct: "direct"
        }
    }
}
