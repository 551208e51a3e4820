import TenureAPI

/// The captured segments of a path, each percent-decoded exactly once.
struct PathCaptures: Sendable {
    private let values: [String: String]

    /// Decodes the segments.
    ///
    /// Bad escapes, bytes that are not UTF-8 and NUL are refused. So are `.` and `..` in every spelling: proxies and
    /// clients rewrite paths that hold them, so nobody could be sure which object was meant.
    init(_ raw: [String: Substring]) throws(Refusal) {
        var values: [String: String] = [:]
        for (name, segment) in raw.sorted(by: { $0.key < $1.key }) {
            guard let value = PercentEncoding.decode(segment) else {
                throw .invalid(.parameter(name), "percent-encoded UTF-8 is expected")
            }
            if value.utf8.contains(0) { throw .invalid(.parameter(name), "NUL is not allowed") }
            if value == "." || value == ".." { throw .invalid(.parameter(name), "a dot segment is not allowed") }
            values[name] = value
        }
        self.values = values
    }

    /// The value at a capture; empty when the pattern does not have it.
    subscript(name: String) -> String { values[name] ?? "" }

    /// All values by name.
    var all: [String: String] { values }
}
