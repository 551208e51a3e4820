/// HTML in which every interpolated text is escaped.
///
/// A string literal is markup. An interpolated `String` is text and gets escaped; an interpolated `Markup` is inserted
/// as it is.
struct Markup: Sendable, ExpressibleByStringInterpolation {
    var html: String

    init(stringLiteral value: String) { html = value }

    init(stringInterpolation: Interpolation) { html = stringInterpolation.html }

    /// Escapes a text for use as content and as a quoted attribute value.
    init(text: String) { html = Self.escape(text) }

    /// Collects the parts of a literal.
    struct Interpolation: StringInterpolationProtocol {
        var html = ""

        init(literalCapacity: Int, interpolationCount: Int) { html.reserveCapacity(literalCapacity * 2) }

        mutating func appendLiteral(_ literal: String) { html += literal }
        mutating func appendInterpolation(_ text: String) { html += Markup.escape(text) }
        mutating func appendInterpolation(_ number: Int) { html += String(number) }
        mutating func appendInterpolation(_ markup: Markup) { html += markup.html }
        mutating func appendInterpolation(_ markup: Markup?) { html += markup?.html ?? "" }
    }

    var isEmpty: Bool { html.isEmpty }

    static func += (left: inout Markup, right: Markup) { left.html += right.html }

    private static func escape(_ text: String) -> String {
        guard text.utf8.contains(where: { "<>&\"'".utf8.contains($0) }) else { return text }
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "&": escaped += "&amp;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension Sequence where Element == Markup {
    func joined(separator: String = "\n") -> Markup {
        var joined: Markup = ""
        joined.html = map(\.html).joined(separator: separator)
        return joined
    }
}
