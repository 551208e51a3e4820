/// The members of a schema as nested lists. Named schemas unfold where they are used.
struct SchemaMembers: Sendable {
    private static let deepest = 4

    let summary: SchemaSummary

    /// What a body in this schema looks like: an object's members, a choice's variants, an array's items.
    func body(_ schema: ContractValue) -> Markup {
        content(of: schema, inside: SchemaSummary.name(of: schema).map { [$0] } ?? [])
    }

    private func content(of schema: ContractValue, inside names: [String]) -> Markup {
        let schema = flattened(summary.contract.resolve(schema))
        var parts: [Markup] = []
        let required = Set(schema["required"]?.strings ?? [])
        let members = schema["properties"]?.members ?? []
        if !members.isEmpty {
            let rows = members.map { member($0, isRequired: required.contains($0.name), inside: names) }
            parts.append("<dl class=\"members\">\n\(rows.joined())\n</dl>")
        }
        let rules = rules(of: schema)
        if !rules.isEmpty { parts.append("<p class=\"rules\">\(rules.joined(separator: " "))</p>") }
        let variants = (schema["oneOf"] ?? schema["anyOf"])?.items ?? []
        if variants.contains(where: { isUnfoldable($0) }) {
            let items = variants.map { variant($0, of: schema, inside: names) }
            parts.append("<ul class=\"variants\">\n\(items.joined())\n</ul>")
        }
        if schema["type"]?.string == "array", let items = schema["items"] {
            parts.append(unfolded(items, label: "of an item", inside: names))
        }
        if let values = schema["additionalProperties"], !values.members.isEmpty {
            parts.append(unfolded(values, label: "of a value", inside: names))
        }
        return parts.filter { !$0.isEmpty }.joined()
    }

    private func member(_ member: ContractValue.Member, isRequired: Bool, inside names: [String]) -> Markup {
        let schema = member.value
        let resolved = summary.contract.resolve(schema)
        var text: [Markup] = []
        if let description = resolved["description"]?.string { text.append(summary.prose.line(description)) }
        text += summary.constraints(of: schema)
        let line: Markup = text.isEmpty ? "" : "<p>\(text.joined(separator: " "))</p>"
        let flag: Markup = isRequired ? " <span class=\"required\">required</span>" : ""
        let secret: Markup = resolved["writeOnly"]?.isTrue == true ? " <span class=\"flag\">secret</span>" : ""
        return """
            <dt><code>\(member.name)</code> <span class="type">\(summary.type(of: schema))</span>\(flag)\(secret)</dt>
            <dd>\(line)\(nested(schema, inside: names))</dd>
            """
    }

    /// The members of a member. An inline schema is shown; a named one unfolds.
    private func nested(_ schema: ContractValue, inside names: [String]) -> Markup {
        if SchemaSummary.name(of: schema) != nil { return unfolded(schema, label: "", inside: names) }
        if schema["type"]?.string == "array", let items = schema["items"] {
            return SchemaSummary.name(of: items) == nil
                ? (isUnfoldable(items) ? content(of: items, inside: names) : "")
                : unfolded(items, label: "of an item", inside: names)
        }
        return isUnfoldable(schema) ? content(of: schema, inside: names) : ""
    }

    private func unfolded(_ schema: ContractValue, label: String, inside names: [String]) -> Markup {
        guard isUnfoldable(schema) else { return "" }
        guard let name = SchemaSummary.name(of: schema) else { return content(of: schema, inside: names) }
        guard !names.contains(name), names.count < Self.deepest else { return "" }
        let inner = content(of: schema, inside: names + [name])
        guard !inner.isEmpty else { return "" }
        let title = label.isEmpty ? "Members of \(name)" : "Members \(label), \(name)"
        return "<details><summary>\(title)</summary>\n\(inner)\n</details>"
    }

    private func variant(_ schema: ContractValue, of parent: ContractValue, inside names: [String]) -> Markup {
        let property = parent["discriminator"]?["propertyName"]?.string ?? "outcome"
        let resolved = flattened(summary.contract.resolve(schema))
        let fixed = resolved["properties"]?[property]?["const"]
        let mark: Markup? = fixed.map { "<code>\(property): \(JSONText($0).description)</code>" }
        let name: Markup? = SchemaSummary.name(of: schema).map { _ in summary.type(of: schema) }
        guard mark != nil || name != nil || resolved["properties"] != nil else {
            let needed = resolved["required"]?.strings.map { "<code>\($0)</code>" as Markup } ?? []
            return "<li>With \(needed.joined(separator: ", "))</li>"
        }
        let title = [mark, name].compactMap(\.self).joined(separator: " ")
        let inner = name == nil ? content(of: schema, inside: names) : unfolded(schema, label: "", inside: names)
        return "<li>\(title.isEmpty ? "Variant" : title)\n\(inner)</li>"
    }

    private func isUnfoldable(_ schema: ContractValue) -> Bool {
        let schema = summary.contract.resolve(schema)
        if schema["type"]?.string == "array", let items = schema["items"] { return isUnfoldable(items) }
        return schema["properties"] != nil || schema["oneOf"] != nil || schema["anyOf"] != nil
            || schema["allOf"] != nil
    }

    /// Sentences about members that belong together and about other members.
    private func rules(of schema: ContractValue) -> [Markup] {
        var rules: [Markup] = []
        for member in schema["dependentRequired"]?.members ?? [] {
            let others = member.value.strings.map { "<code>\($0)</code>" as Markup }.joined(separator: ", ")
            rules.append("With <code>\(member.name)</code> also \(others).")
        }
        if schema["properties"] != nil {
            if let least = schema["minProperties"]?.scalar {
                rules.append("At least \(least) \(least == "1" ? "member" : "members").")
            }
            if schema["additionalProperties"] == .bool(false) { rules.append("Other members are refused.") }
        }
        return rules
    }

    /// A schema with the members of its `allOf` beside its own, which come last and take precedence.
    private func flattened(_ schema: ContractValue) -> ContractValue {
        guard let parts = schema["allOf"]?.items else { return schema }
        var properties: [ContractValue.Member] = []
        var required: [ContractValue] = []
        var rest: [ContractValue.Member] = []
        let own = ContractValue.object(schema.members.filter { $0.name != "allOf" })
        for part in parts.map({ flattened(summary.contract.resolve($0)) }) + [own] {
            for member in part["properties"]?.members ?? [] {
                if let index = properties.firstIndex(where: { $0.name == member.name }) {
                    properties[index] = member
                } else {
                    properties.append(member)
                }
            }
            required += part["required"]?.items ?? []
            for member in part.members where member.name != "properties" && member.name != "required" {
                rest.removeAll { $0.name == member.name }
                rest.append(member)
            }
        }
        return .object(
            rest + [
                .init(name: "properties", value: .object(properties)), .init(name: "required", value: .list(required)),
            ])
    }
}
