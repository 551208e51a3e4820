import Mustache

/// What a template shows, or a part of that: a value whose stored properties the template names.
///
/// A name that a part lacks is looked for around it. So `PageTemplateTests` demands the names of an item in the item,
/// and holds every name of a template against the properties.
protocol PagePart: MustacheParent, Sendable {}

/// All that a template shows within the frame.
protocol PageContent: PagePart {
    static var template: PageTemplate { get }
}

/// The content of a page of an account, whose template shows ``AccountFrame`` as `me`.
protocol AccountContent: PageContent {}

extension PagePart {
    /// Returns the value of a property as templates use it, with texts that their escaping covers.
    func child(named name: String) -> Any? {
        Mirror(reflecting: self).children.first { $0.label == name }.flatMap { Self.shown($0.value) }
    }

    static func shown(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional { return mirror.children.first.flatMap { shown($0.value) } }
        return switch value {
        case let text as String: text.escapable
        case let texts as [String]: texts.map(\.escapable)
        default: value
        }
    }
}

/// Where a form is sent to, and its hidden fields.
struct FormPart: PagePart {
    let action: String
    let token: String
    /// What the form of a session is about.
    var request: String?
    /// What makes the forms of two pages differ.
    var once: String?
    /// The token of a page whose button is armed.
    var page: String?
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
