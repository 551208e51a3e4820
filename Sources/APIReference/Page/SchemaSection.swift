/// The section of all named schemas.
struct SchemaSection: Sendable {
    let contract: ReferenceContract
    let summary: SchemaSummary

    var html: Markup {
        """
        <section class="group" id="schemas">
        <h2>Schemas</h2>
        \(contract.schemas.map(section).joined())
        </section>
        """
    }

    private func section(_ schema: ContractValue.Member) -> Markup {
        let text = schema.value["description"]?.string.map(summary.prose.blocks)
        let limits = SchemaSummary.isStructured(schema.value) ? [] : summary.constraints(of: schema.value)
        let line: Markup? = limits.isEmpty ? nil : "<p>\(limits.joined(separator: " "))</p>"
        let anchor = SchemaSummary.anchor(schema.name)
        return """
            <section class="schema" id="\(anchor)" data-search="\(schema.name.lowercased())">
            <h3><a href="#\(anchor)">\(schema.name)</a> <span class="type">\(summary.type(of: schema.value))</span></h3>
            \(text)
            \(line)
            \(SchemaMembers(summary: summary).body(schema.value))
            </section>
            """
    }
}
