@_spi(Reflection) import Swift

@testable import HTTPAPI
import IdentityService

/// What a template may name in a value, as the type alone tells: the stored properties, and theirs.
struct PageShape: Sendable {
    enum Kind: Sendable {
        case text
        case flag
        case part(String, [String: PageShape])
    }

    let kind: Kind
    var isOptional = false
    var isList = false

    init(_ kind: Kind, isOptional: Bool = false, isList: Bool = false) {
        self.kind = kind
        self.isOptional = isOptional
        self.isList = isList
    }

    /// The shape of a type of the pages; `nil` for one that no template can show.
    init?(_ type: Any.Type) {
        if type == String.self {
            self.init(.text)
        } else if type == Bool.self {
            self.init(.flag)
        } else if let outer = type as? any PageWrapper.Type {
            guard let inner = PageShape(outer.wrapped) else { return nil }
            self = inner
            if outer.isList { isList = true } else { isOptional = true }
        } else if type == FieldProblems.self {
            // The texts of the fields are named by the fields, which the table of problems has.
            let fields = (FieldProblem.table.map(\.field) + [.way, .repeated, .send]).map(\.name)
            var members = Dictionary(fields.map { ($0, PageShape(.text, isOptional: true)) }) { first, _ in first }
            members["items"] = PageShape([FieldProblems.Item].self)
            self.init(.part("FieldProblems", members))
        } else if type is any PagePart.Type {
            var members: [String: PageShape] = [:], isWhole = true
            _ = _forEachField(of: type) { name, _, type, _ in
                members[String(cString: name)] = PageShape(type)
                isWhole = isWhole && PageShape(type) != nil
                return true
            }
            guard isWhole else { return nil }
            self.init(.part("\(type)", members))
        } else {
            return nil
        }
    }

    /// The shape of a page: of its content, and of what every template may name.
    init?(page: any PageContent.Type) {
        guard let content = PageShape(page), case .part(let name, var members) = content.kind else { return nil }
        members["title"] = PageShape(.text)
        members["tab"] = PageShape(.text)
        members["language"] = PageShape(.text)
        members["tab"] = PageShape(.text)
        if page is any AccountContent.Type { members["me"] = PageShape(AccountFrame.self) }
        self.init(.part(name, members))
    }

    /// A value of the shape, in which every text is the same, every flag is set and every list has an item.
    ///
    /// - Parameter path: The path of the shape, for a value in which every text is its own path, in `⟦⟧`.
    func filled(with text: String, at path: String? = nil) -> Any? {
        let value: Any? =
            switch kind {
            case .text: FilledPart.shown(path.map { "⟦\($0)⟧" } ?? text)
            case .flag: true
            case .part(_, let members): FilledPart(members: members, text: text, path: path)
            }
        return isList ? [value as Any] : value
    }
}

/// A value that is made of its shape alone.
struct FilledPart: PagePart {
    let members: [String: PageShape]
    let text: String
    let path: String?

    func child(named name: String) -> Any? {
        switch name {
        case "w": PageWords(language: .english)
        case "asset": PageAsset.Paths()
        case "brand": PageFrame.Shown(frame: .current, language: .english)
        default: members[name]?.filled(with: text, at: path.map { $0.isEmpty ? name : "\($0).\(name)" })
        }
    }
}

private protocol PageWrapper {
    static var wrapped: Any.Type { get }
    static var isList: Bool { get }
}

extension Optional: PageWrapper {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
    fileprivate static var isList: Bool { false }
}

extension Array: PageWrapper {
    fileprivate static var wrapped: Any.Type { Element.self }
    fileprivate static var isList: Bool { true }
}

/// Reads the names of a template as the renderer does, and tells those that a page does not have.
struct PageNames {
    private(set) var offences: [String] = []
    /// The names that were found, each as `Type.name`.
    private(set) var used: Set<String> = []
    private let sources: [String: String]

    /// - Parameter sources: The texts of the templates by their names.
    init(_ template: String, of page: PageShape, in sources: [String: String]) {
        self.sources = sources
        var scopes = [Scope(shape: page, isItem: false)]
        read(template, &scopes)
    }

    private struct Scope {
        let shape: PageShape
        /// Whether it is an item of a list.
        let isItem: Bool

        func has(_ name: String) -> Bool {
            if case .part(_, let members) = shape.kind { members[name] != nil } else { false }
        }
    }

    private mutating func read(_ template: String, _ scopes: inout [Scope]) {
        guard let source = sources[template] else {
            offences.append("there is no template \(template)")
            return
        }
        /// For each open section whether it is a scope.
        var open: [Bool] = []
        for tag in source.matches(of: /\{\{\s*([#^\/<>$]?)\s*([^\s}]*)\s*\}\}/) {
            let name = String(tag.output.2)
            switch tag.output.1 {
            case "/": if open.popLast() == true { scopes.removeLast() }
            case ">": read(name, &scopes)
            case "<":
                read(name, &scopes)
                open.append(false)
            case "$", "^":
                if tag.output.1 == "^" { _ = find(name, scopes) }
                open.append(false)
            case "#":
                let shape = find(name, scopes)
                // A text or a flag is no scope: the names within are looked for around it.
                let isScope = shape.map { if case .part = $0.kind { true } else { $0.isList } } ?? false
                if let shape, isScope {
                    scopes.append(Scope(shape: PageShape(shape.kind), isItem: shape.isList))
                }
                open.append(isScope)
            default: _ = find(name, scopes)
            }
        }
    }

    private mutating func find(_ name: String, _ scopes: [Scope]) -> PageShape? {
        if name == "." {
            guard let last = scopes.last, case .text = last.shape.kind else {
                offences.append("{{.}} is no text")
                return nil
            }
            return last.shape
        }
        let path = name.split(separator: ".").map(String.init)
        switch path.first {
        case "w":
            if path.count != 3 || PageWords.of(.english)["\(path[1]).\(path[2])"] == nil { offences.append(name) }
            return PageShape(.text)
        case "asset":
            if path.count != 2 || PageAsset.Paths().child(named: path[1]) == nil { offences.append(name) }
            return PageShape(.text)
        case "brand": return frame(path, name)
        default: break
        }
        var isWithinItem = false
        for (index, scope) in scopes.enumerated().reversed() {
            guard case .part(let type, let members) = scope.shape.kind, let found = members[path[0]] else {
                isWithinItem = isWithinItem || scope.isItem
                continue
            }
            if isWithinItem { offences.append("\(name) is not in the item, but around it") }
            let outer = scopes[..<index].contains { $0.has(path[0]) }
            if found.isOptional, outer, scopes[...index].contains(where: \.isItem) {
                offences.append("\(name) may be missing in the item, and is around it too")
            }
            used.insert("\(type).\(path[0])")
            return member(path.dropFirst(), of: found, name)
        }
        offences.append(name)
        return nil
    }

    /// What a template may name of the frame, of an operator who has set everything.
    private mutating func frame(_ path: [String], _ name: String) -> PageShape? {
        var brand = Brand()
        (brand.contact, brand.imprint, brand.privacy) = ("mailto:a@b.example", "https://b.example", "https://c.example")
        let value =
            path.count == 2
            ? PageFrame.Shown(frame: PageFrame(brand: BrandAssets(brand)), language: .english).child(named: path[1])
            : nil
        if path.last == "languages" { return PageShape([PageFrame.Language].self) }
        if value == nil { offences.append(name) }
        return PageShape(.text)
    }

    private mutating func member(_ path: ArraySlice<String>, of shape: PageShape, _ name: String) -> PageShape? {
        guard let first = path.first else { return shape }
        guard !shape.isList, case .part(let type, let members) = shape.kind, let found = members[first] else {
            offences.append(name)
            return nil
        }
        used.insert("\(type).\(first)")
        return member(path.dropFirst(), of: found, name)
    }
}

extension PageShape {
    /// All names of the shape, each as `Type.name`, but those of what many pages have and show in part.
    var names: Set<String> {
        guard case .part(let type, let members) = kind else { return [] }
        let isShared = ["FormPart", "FieldProblems"].contains(type)
        return members.reduce(into: []) { names, member in
            if !isShared { names.insert("\(type).\(member.key)") }
            names.formUnion(member.value.names)
        }
    }
}
