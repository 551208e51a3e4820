/// A path pattern such as `/v1/companies/{companyName}`.
///
/// A capture matches one whole segment. The last capture can match all remaining segments, see ``init(_:takesRest:)``.
public struct PathTemplate: Sendable, Hashable, CustomStringConvertible {
    /// One segment of a pattern.
    package enum Segment: Sendable, Hashable {
        case literal(String)
        case capture(String)
    }

    /// The text of the pattern.
    public let text: String
    package let segments: [Segment]
    /// Whether the last capture matches one or more segments, slashes included.
    package let takesRest: Bool

    /// Reads a pattern that starts with `/`.
    public init(_ text: String, takesRest: Bool = false) {
        self.text = text
        self.takesRest = takesRest
        segments = text.split(separator: "/").map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? .capture(String(part.dropFirst().dropLast())) : .literal(String(part))
        }
    }

    /// The text of the pattern.
    public var description: String { text }

    /// The names of the captures, in order.
    public var captures: [String] {
        segments.compactMap { segment in
            if case .capture(let name) = segment { return name }
            return nil
        }
    }

    /// Fills the captures with percent-encoded values.
    ///
    /// A capture without a value becomes an empty segment, which matches nothing.
    public func path(_ values: [String: String] = [:]) -> String {
        segments.reduce(into: "") { path, segment in
            switch segment {
            case .literal(let text): path += "/" + text
            case .capture(let name): path += "/" + PercentEncoding.encode(values[name] ?? "")
            }
        }
    }

    /// Returns the raw segments that the captures match, or `nil` if the path does not match.
    ///
    /// The path is compared as it was sent: it is split at `/` before decoding, so an encoded slash stays part of its
    /// segment. Empty segments match nothing.
    public func match(_ rawSegments: [Substring]) -> [String: Substring]? {
        let rest = takesRest ? max(rawSegments.count - segments.count, 0) : 0
        guard rawSegments.count == segments.count + rest else { return nil }
        var found: [String: Substring] = [:]
        for (segment, raw) in zip(segments, rawSegments) {
            switch segment {
            case .literal(let text):
                guard raw.utf8.elementsEqual(text.utf8) else { return nil }
            case .capture(let name):
                guard !raw.isEmpty else { return nil }
                found[name] = raw
            }
        }
        if rest > 0, case .capture(let name)? = segments.last, let first = found[name], let last = rawSegments.last {
            found[name] = first.base[first.startIndex..<last.endIndex][...]
        }
        return found
    }

    /// Splits a raw path into its segments, none for `/`; `nil` if it does not start with `/`.
    public static func segments(of rawPath: some StringProtocol) -> [Substring]? {
        guard rawPath.utf8.first == UInt8(ascii: "/") else { return nil }
        if rawPath.utf8.count == 1 { return [] }
        return Substring(rawPath).dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }
}

/// The percent-encoding of a path segment or a query value (RFC 3986 §2.1).
public enum PercentEncoding {
    private static let hex = Array("0123456789ABCDEF".utf8)

    /// Encodes every byte that is not unreserved (RFC 3986 §2.3). The result is ASCII without `/`.
    public static func encode(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Decodes a text exactly once; `nil` if an escape is incomplete or the bytes are not UTF-8. `+` is a literal plus.
    public static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
