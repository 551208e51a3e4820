/// The decoded parameters of a request to the authorization endpoint or to the log-out endpoint.
///
/// A parameter that is empty counts as absent, and an unknown one is ignored (RFC 6749, section 3.1).
package struct AuthorizationParameters: Sendable, Equatable {
    /// The names that are kept.
    package static let known: Set<String> = [
        "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "prompt", "max_age", "login_hint", "id_token_hint", "ui_locales", "acr_values",
        "tenant", "request", "request_uri", "registration", "post_logout_redirect_uri", "logout_hint",
    ]
    /// The largest number of bytes of all names and values that are kept, as a stored request has them.
    package static let maximumBytes = 12_288

    /// The values by name, each given once.
    package let values: [String: String]
    /// The names that were given more than once.
    package let repeated: Set<String>

    /// Keeps the known parameters.
    package init(_ pairs: some Sequence<(name: String, value: String)>) {
        var values: [String: String] = [:], repeated: Set<String> = [], seen: Set<String> = []
        for (name, value) in pairs where Self.known.contains(name) {
            if !seen.insert(name).inserted { repeated.insert(name) }
            if !value.isEmpty { values[name] = value }
        }
        for name in repeated { values[name] = nil }
        self.values = values
        self.repeated = repeated
    }

    /// The value of a parameter that was given once.
    public subscript(name: String) -> String? { values[name] }

    /// Tags of the languages that the person prefers, best first.
    package var locales: [String] { (self["ui_locales"] ?? "").split(separator: " ").prefix(16).map(String.init) }

    /// Whether the parameters are more than the service keeps.
    package var isTooLarge: Bool {
        values.reduce(0) { $0 + $1.key.utf8.count + Self.storedBytes($1.value) } > Self.maximumBytes
    }

    /// The bytes of a value in JSON, which escapes control characters, quotation marks and backslashes.
    private static func storedBytes(_ value: String) -> Int {
        value.utf8.reduce(0) { $0 + ($1 < 0x20 ? 6 : [0x22, 0x5C].contains($1) ? 2 : 1) }
    }
}
