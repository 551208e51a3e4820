import Mustache

/// The named values that a template shows.
struct PageContent: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// A value. The template escapes texts.
    enum Value: Sendable, Equatable {
        case text(String)
        case list([PageContent])
    }

    private(set) var values: [String: Value]

    init(dictionaryLiteral elements: (String, Value)...) {
        values = Dictionary(elements) { _, last in last }
    }

    /// The value of a name; `nil` without one, which leaves out the section of that name.
    subscript(name: String) -> Value? {
        get { values[name] }
        set { values[name] = newValue }
    }
}

extension PageContent: MustacheParent {
    /// Returns the value of a name as templates use it, with texts that their escaping covers.
    func child(named name: String) -> Any? {
        switch values[name] {
        case .text(let text): text.escapable
        case .list(let contents): contents
        case nil: nil
        }
    }
}

extension PageContent.Value: ExpressibleByStringInterpolation {
    init(stringLiteral value: String) { self = .text(value) }
}

extension String {
    /// The text with a zero-width space around each character of markup that is part of a larger grapheme cluster.
    ///
    /// Templates escape whole characters of Swift. A quotation mark with a combining accent is another character to
    /// them and would stay, but to a browser it is a quotation mark, which ends the attribute.
    var escapable: String {
        guard contains(where: { $0.unicodeScalars.count > 1 && $0.unicodeScalars.contains(where: \.isMarkup) }) else {
            return self
        }
        var scalars = String.UnicodeScalarView()
        for character in self {
            let parts = character.unicodeScalars
            for scalar in parts {
                let isApart = parts.count > 1 && scalar.isMarkup
                if isApart { scalars.append("\u{200B}") }
                scalars.append(scalar)
                if isApart { scalars.append("\u{200B}") }
            }
        }
        return String(scalars)
    }
}

extension Unicode.Scalar {
    /// Whether HTML gives the character a meaning.
    fileprivate var isMarkup: Bool { ["<", ">", "&", "\"", "'"].contains(self) }
}
