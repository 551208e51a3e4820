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
    /// Returns the value of a name as templates use it.
    func child(named name: String) -> Any? {
        switch values[name] {
        case .text(let text): text
        case .list(let contents): contents
        case nil: nil
        }
    }
}

extension PageContent.Value: ExpressibleByStringInterpolation {
    init(stringLiteral value: String) { self = .text(value) }
}
