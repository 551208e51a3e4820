/// The pattern of a path, such as `/v1/companies/{companyName}`; a capture is one whole segment, or at the end, where
/// the pattern says so, all that are left.
public struct PathTemplate: Sendable, Hashable, CustomStringConvertible {
    /// One segment of a pattern.
    enum Segment: Sendable, Hashable {
        case literal(String)
        case capture(String)
    }

    /// The pattern as it is written.
    public let text: String
    let segments: [Segment]
    /// Whether the last capture stands for one or more segments, slashes included.
    let takesRest: Bool

    /// Reads a pattern that starts with `/`.
    public init(_ text: String, takesRest: Bool = false) {
        self.text = text
        self.takesRest = takesRest
        segments = text.split(separator: "/").map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? .capture(String(part.dropFirst().dropLast())) : .literal(String(part))
        }
    }

    /// The pattern as it is written.
    public var description: String { text }

    /// The names of the captures in order.
    public var captures: [String] {
        segments.compactMap { segment in
            if case .capture(let name) = segment { return name }
            return nil
        }
    }

    /// The path with these values in place of the captures, each percent-encoded.
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

    /// The raw segments that stand at the captures of this pattern, or nil when the path is another one.
    ///
    /// The path is compared as it was sent: split at `/` before anything is decoded, so that an encoded slash stays
    /// part of its segment. Empty segments match nothing.
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

    /// The segments of a path as it was sent, or nil when it does not start with `/`.
    public static func segments(of rawPath: some StringProtocol) -> [Substring]? {
        guard rawPath.utf8.first == UInt8(ascii: "/") else { return nil }
        return Substring(rawPath).dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }
}
