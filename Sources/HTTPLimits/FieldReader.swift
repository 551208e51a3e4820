/// Reads the values of one header field as its RFC says.
///
/// Several lines of a field are one list. Empty elements of a list are ignored (RFC 9110 §5.6.1). A read of something
/// malformed returns `nil`, and the caller decides what that means.
///
/// ```swift
/// FieldReader(["gzip, deflate;q=0.5"]).weighted()
/// ```
package struct FieldReader: Sendable {
    private let lines: [String]

    package init(_ lines: [String]) { self.lines = lines }

    /// The elements of the list, without the spaces around them. A comma within quotation marks separates nothing.
    package var elements: [Substring] { elements(escapes: true) }

    /// The elements of a list whose grammar has no quoted strings, such as `X-Forwarded-For`: every comma separates,
    /// also after a quotation mark, so that one in an earlier element hides no later one.
    package var plainElements: [Substring] { lines.flatMap { Self.plainElements($0) } }

    /// - Parameter escapes: Whether a backslash within quotation marks escapes the next character.
    private func elements(escapes: Bool) -> [Substring] { lines.flatMap { Self.elements($0, escapes) } }

    /// The only line, without the spaces around it; `nil` without a line, and if there are several.
    private var single: Substring? { lines.count == 1 ? Self.trimmed(lines[0][...]) : nil }

    private static func plainElements(_ line: String) -> [Substring] {
        // By bytes: in a text, some characters join the comma after them.
        line.utf8.split(separator: UInt8(ascii: ",")).map { trimmed(Substring($0)) }.filter { !$0.isEmpty }
    }

    private static func elements(_ line: String, _ escapes: Bool) -> [Substring] { split(line, escapes).elements }

    /// The elements of one line, and whether its last quotation mark is closed.
    private static func split(_ line: String, _ escapes: Bool) -> (elements: [Substring], isClosed: Bool) {
        var elements: [Substring] = []
        var start = line.startIndex, isQuoted = false, isEscaped = false
        func add(_ element: Substring) {
            let element = trimmed(element)
            if !element.isEmpty { elements.append(element) }
        }
        for index in line.utf8.indices {
            switch line.utf8[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted && escapes: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                add(line[start..<index])
                start = line.utf8.index(after: index)
            default: break
            }
        }
        add(line[start...])
        return (elements, !isQuoted)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        guard let last = text.lastIndex(where: { !isSpace($0) }) else { return "" }
        return text[...last].drop(while: isSpace)
    }
}

extension FieldReader {
    /// The options of `Connection` (RFC 9110 §7.6.1) or the expectations of `Expect` (§10.1.1), in lower case.
    /// Malformed ones are ignored.
    package var options: Set<String> {
        Set(
            elements.compactMap { element in
                var scanner = FieldScanner(element)
                guard let option = scanner.token(), scanner.isAtEnd else { return nil }
                return option.lowercased()
            })
    }

    /// A scheme of `Authorization` with its credentials as one `token68` (RFC 9110 §11.6.2), or `nil` for credentials in
    /// another form. The scheme is in lower case.
    package var credentials: (scheme: String, token68: String?)? {
        guard let value = single else { return nil }
        var scanner = FieldScanner(value)
        guard let scheme = scanner.token()?.lowercased() else { return nil }
        guard scanner.take(" ") else { return (scheme, nil) }
        while scanner.take(" ") {}
        guard var token = scanner.take(while: Self.isToken68Byte) else { return (scheme, nil) }
        while scanner.take("=") { token += "=" }
        return (scheme, scanner.isAtEnd ? token : nil)
    }

    private static func isToken68Byte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~+/".utf8.contains(byte)
        }
    }

    /// The type of `Content-Type` with its parameters (RFC 9110 §8.3.1). The type is in lower case.
    package var mediaType: (type: String, parameters: [FieldParameter])? {
        guard let value = single else { return nil }
        var scanner = FieldScanner(value)
        guard let type = scanner.token(), scanner.take("/"), let subtype = scanner.token(),
            let parameters = scanner.parameters(), scanner.isAtEnd
        else { return nil }
        return ("\(type)/\(subtype)".lowercased(), parameters)
    }

    /// The ranges of `Accept` or `Accept-Language` (RFC 9110 §12.5), the preferred first. Malformed ranges, and those of
    /// weight 0, are left out.
    package func weighted() -> [WeightedRange] {
        let ranges = elements.compactMap(Self.range)
        return ranges.indices.sorted { (-ranges[$0].weight, $0) < (-ranges[$1].weight, $1) }.map { ranges[$0] }
    }

    private static func range(_ element: Substring) -> WeightedRange? {
        var scanner = FieldScanner(element)
        guard var range = scanner.token() else { return nil }
        if scanner.take("/") {
            guard let subtype = scanner.token() else { return nil }
            range += "/" + subtype
        }
        guard var parameters = scanner.parameters(), scanner.isAtEnd else { return nil }
        var weight = 1_000
        if let place = parameters.firstIndex(where: { $0.name == "q" }) {
            // Older clients send extensions after the weight of a media range; a language has none (RFC 9110 §12.5.4).
            guard range.contains("/") || place == parameters.indices.last,
                let value = Self.weight(parameters[place].value)
            else { return nil }
            weight = value
            parameters.removeSubrange(place...)
        }
        return weight > 0 ? WeightedRange(range: range, parameters: parameters, weight: weight) : nil
    }

    /// A weight in thousandths: 0 to 1 with at most three digits after the point (RFC 9110 §12.4.2).
    private static func weight(_ text: String) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts[0] == "0" || parts[0] == "1" else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard fraction.utf8.count <= 3, fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let thousandths = Int(parts[0] + fraction + String(repeating: "0", count: 3 - fraction.utf8.count)),
            thousandths <= 1_000
        else { return nil }
        return thousandths
    }

    /// The tags of `If-None-Match` (RFC 9110 §13.1.2) without their weakness, or any tag.
    package var entityTags: EntityTagCondition? {
        // A tag has no escapes.
        let elements = elements(escapes: false)
        if elements == ["*"] { return .any }
        var tags: Set<String> = []
        for element in elements {
            var scanner = FieldScanner(element)
            if scanner.take("W") { guard scanner.take("/") else { return nil } }
            guard let tag = scanner.opaqueTag(), scanner.isAtEnd else { return nil }
            tags.insert(tag)
        }
        return tags.isEmpty ? nil : .tags(tags)
    }

    /// The hops of `Forwarded` (RFC 7239 §4), the nearest last. Each has one value for a name; one that is malformed is
    /// `nil`.
    ///
    /// Proxies append to the line that a client began. So a quotation mark that is never closed quotes nothing: such a
    /// line is split at every comma, and what the nearest proxy added can be read whatever stands before it.
    package var hops: [[String: String]?] {
        lines.flatMap { line in
            let (elements, isClosed) = Self.split(line, true)
            return (isClosed ? elements : Self.plainElements(line)).map { Self.hop($0) }
        }
    }

    private static func hop(_ element: Substring) -> [String: String]? {
        var scanner = FieldScanner(";" + element)
        guard let pairs = scanner.parameters(), scanner.isAtEnd else { return nil }
        var hop: [String: String] = [:]
        for pair in pairs where hop.updateValue(pair.value, forKey: pair.name) != nil { return nil }
        return hop
    }

    /// The preferences of `Prefer` (RFC 7240 §2) with their values; an empty text is no value. Of two with one name the
    /// first counts, and malformed ones are ignored.
    package var preferences: [String: String] {
        var preferences: [String: String] = [:]
        for element in elements {
            var scanner = FieldScanner(";" + element)
            guard let parameters = scanner.parameters(isValueOptional: true), scanner.isAtEnd,
                let preference = parameters.first, preferences[preference.name] == nil
            else { continue }
            preferences[preference.name] = preference.value
        }
        return preferences
    }
}

/// A range of `Accept` or `Accept-Language` with its weight.
package struct WeightedRange: Sendable, Equatable {
    /// The range, such as `text/*` or `de-AT`.
    package let range: String
    /// The parameters before the weight.
    package let parameters: [FieldParameter]
    /// The weight in thousandths, 1 to 1000.
    package let weight: Int
}

/// The condition of `If-None-Match`.
package enum EntityTagCondition: Sendable, Equatable {
    case any
    /// One of these opaque tags, without quotation marks.
    case tags(Set<String>)

    /// Whether a tag, with its quotation marks, meets the condition by weak comparison.
    package func matches(_ tag: String) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { tag == "\"\($0)\"" || tag == "W/\"\($0)\"" }
        }
    }
}
