/// The table of contents.
struct ContentsList: Sendable {
    let contract: ReferenceContract
    let codes: [ReferenceCode]

    /// The groups fold; the script unfolds the one that is being read.
    var html: Markup {
        """
        <nav id="contents" aria-label="Contents">
        <ul>
        <li><a href="#introduction">Introduction</a></li>
        <li><a href="#authentication">Authentication</a></li>
        </ul>
        \(contract.groups.map(group).joined())
        \(fold("codes", "Error codes", codes.map { (id: $0.name, label: Self.breakable($0.name)) }))
        \(fold("schemas", "Schemas", contract.schemas.map { (SchemaSummary.anchor($0.name), "\($0.name)") }))
        </nav>
        """
    }

    /// A code that may break after a dot or an underscore.
    private static func breakable(_ code: String) -> Markup {
        var label: Markup = "<code>"
        for character in code {
            label += Markup(text: String(character))
            if character == "." || character == "_" { label += "<wbr>" }
        }
        label += "</code>"
        return label
    }

    static func anchor(_ group: ReferenceContract.Group) -> String { "group-" + group.name }

    private func group(_ group: ReferenceContract.Group) -> Markup {
        fold(
            Self.anchor(group), group.title,
            group.operations.map { operation in
                let method = operation.method
                return (
                    id: operation.id,
                    label: "<span class=\"method \(method.lowercased())\">\(method)</span> \(operation.summary)"
                )
            })
    }

    private func fold(_ anchor: String, _ title: String, _ entries: [(id: String, label: Markup)]) -> Markup {
        let items = entries.map { "<li><a href=\"#\($0.id)\">\($0.label)</a></li>" as Markup }
        return """
            <details data-group="\(anchor)"><summary>\(title) <span class="count">\(entries.count)</span></summary>
            <ul>
            <li><a href="#\(anchor)">About \(title)</a></li>
            \(items.joined())
            </ul>
            </details>
            """
    }
}
