/// Reads and writes `application/x-www-form-urlencoded`, the encoding of HTML forms.
public enum FormEncoding {
    /// The media type.
    public static let mediaType = "application/x-www-form-urlencoded"

    /// Encodes parameters. Every byte that is not unreserved (RFC 3986 §2.3) is percent-encoded, a space included.
    public static func encode(_ parameters: [(name: String, value: String)]) -> [UInt8] {
        let pairs = parameters.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
        return Array(pairs.joined(separator: "&").utf8)
    }
}

/// Reads the parameters of a form by name. Parameters that are not read are ignored (RFC 6749 §3.2).
public struct FormReader: Sendable {
    private var values: [String: [String]] = [:]

    /// Decodes a form: `+` is a space, and each name and each value is percent-decoded once.
    ///
    /// - Throws: ``FormError`` for an incomplete escape, for bytes that are not UTF-8, and for NUL.
    public init(_ bytes: some Collection<UInt8>) throws(FormError) {
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(parts[0]), let value = parts.count > 1 ? Self.decode(parts[1]) : "" else {
                throw FormError(parameter: nil, reason: "the form contains something that is not percent-encoded UTF-8")
            }
            values[name, default: []].append(value)
        }
    }

    /// Reads a parameter. Returns `nil` if it is absent or empty, which is the same (RFC 6749 §3.2).
    ///
    /// - Throws: ``FormError`` if the parameter is given twice.
    public func text(_ name: String) throws(FormError) -> String? {
        let found = values[name] ?? []
        guard found.count <= 1 else { throw FormError(parameter: name, reason: "the parameter is given twice") }
        return found.first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The names and the values, in no order. A name that is given twice comes twice.
    public var pairs: [(name: String, value: String)] {
        values.flatMap { name, values in values.map { (name: name, value: $0) } }
    }

    /// Decodes a name or a value; `nil` for an incomplete escape, for bytes that are not UTF-8, and for NUL.
    static func decode(_ bytes: some Collection<UInt8>) -> String? {
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let text = String(validating: spaced, as: UTF8.self), let decoded = PercentEncoding.decode(text),
            !decoded.utf8.contains(0)
        else { return nil }
        return decoded
    }
}

/// A fault in a form.
public struct FormError: Error, Sendable, Equatable {
    /// The name of the faulty parameter; `nil` if the form itself is faulty.
    public let parameter: String?
    /// A description of the fault, without the faulty value.
    public let reason: String

    package init(parameter: String?, reason: String) {
        self.parameter = parameter
        self.reason = reason
    }
}
