/// What the log may say about an error that nobody expected.
///
/// Errors of this project describe themselves without input. Of any other error only the type is told, because its
/// description may repeat what a caller sent.
struct RedactedError: CustomStringConvertible {
    let error: any Error

    private static let own: Set<String> = [
        "Canonical", "Text", "Postgres", "Ledger", "Keys", "Credentials", "Identity", "Projections", "IdentityService",
        "TenureAPI", "HTTPAPI",
    ]

    var description: String {
        let type = String(reflecting: Swift.type(of: error))
        guard let module = type.split(separator: ".").first, Self.own.contains(String(module)) else { return type }
        let shown = "\(error)".unicodeScalars.prefix(300).map { (0x20...0x7E).contains($0.value) ? $0 : "?" }
        return type + ": " + String(String.UnicodeScalarView(shown))
    }
}
