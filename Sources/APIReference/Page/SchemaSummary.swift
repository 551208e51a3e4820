/// The type and the constraints of a schema, in a line each.
struct SchemaSummary: Sendable {
    let contract: ReferenceContract
    let prose: ReferenceProse

    /// The type, with links to named schemas: `array of Question`.
    func type(of schema: ContractValue) -> Markup {
        if let name = Self.name(of: schema) {
            let link: Markup = "<a href=\"#\(Self.anchor(name))\">\(name)</a>"
            let resolved = contract.resolve(schema)
            return Self.isStructured(resolved) ? link : "\(link) <span class=\"base\">\(plain(resolved))</span>"
        }
        if schema["allOf"] != nil { return "object" }
        if let variants = schema["oneOf"] ?? schema["anyOf"], schema["properties"] == nil {
            return variants.items.map { type(of: $0) }.joined(separator: " or ")
        }
        if schema["type"]?.string == "array" {
            guard let items = schema["items"] else { return "array" }
            return "array of \(type(of: items))"
        }
        if schema["type"]?.string == "object", let values = schema["additionalProperties"], !values.members.isEmpty {
            return "object of \(type(of: values))"
        }
        return plain(schema)
    }

    /// The type of a schema without members, such as `string, base64`.
    private func plain(_ schema: ContractValue) -> Markup {
        let types = schema["type"]?.string.map { [$0] } ?? schema["type"]?.strings ?? []
        var words = types.isEmpty ? [] : [types.joined(separator: " or ")]
        if let format = schema["format"]?.string ?? schema["contentEncoding"]?.string { words.append(format) }
        if let fixed = schema["const"] { return "always <code>\(JSONText(fixed).description)</code>" }
        return Markup(text: words.isEmpty ? "any value" : words.joined(separator: ", "))
    }

    /// The permitted values and limits, each a phrase.
    func constraints(of schema: ContractValue) -> [Markup] {
        let schema = Self.name(of: schema) == nil ? schema : withoutStructure(contract.resolve(schema))
        var phrases: [Markup] = []
        if let values = schema["enum"] { phrases += list(of: values.items).map { "One of \($0)." } }
        if let values = schema["x-known-values"] { phrases += list(of: values.items).map { "Known values: \($0)." } }
        phrases += limits(schema, "minLength", "maxLength", "characters")
        phrases += limits(schema, "minItems", "maxItems", "items")
        phrases += limits(schema, "minProperties", "maxProperties", "members")
        phrases += limits(schema, "minimum", "maximum", "")
        if schema["uniqueItems"]?.isTrue == true { phrases.append("No item twice.") }
        if let pattern = schema["pattern"]?.string { phrases.append("Matches <code>\(pattern)</code>.") }
        if let initial = schema["default"] {
            phrases.append("Default: <code>\(JSONText(initial).description)</code>.")
        }
        if schema["type"]?.string == "array", let items = schema["items"], items["properties"] == nil {
            phrases += constraints(of: items).map { "Items: \($0)" }
        }
        return phrases
    }

    /// The values, if they are few; otherwise nothing.
    private func list(of values: [ContractValue]) -> [Markup] {
        guard values.count <= 16 else { return [] }
        let codes = values.map { value -> Markup in
            value.string.map(prose.code) ?? "<code>\(JSONText(value).description)</code>"
        }
        return [codes.joined(separator: ", ")]
    }

    private func limits(_ schema: ContractValue, _ least: String, _ most: String, _ unit: String) -> [Markup] {
        // "1 item" and "2 items".
        let one = unit.isEmpty ? "" : " " + unit.dropLast()
        let unit = unit.isEmpty ? "" : " " + unit
        switch (schema[least]?.scalar, schema[most]?.scalar) {
        case (let low?, let high?) where low == high: return [Markup(text: "Exactly \(low)\(low == "1" ? one : unit).")]
        case (let low?, let high?): return [Markup(text: "\(low) to \(high)\(unit).")]
        case (let low?, nil): return [Markup(text: "At least \(low)\(low == "1" ? one : unit).")]
        case (nil, let high?): return [Markup(text: "At most \(high)\(high == "1" ? one : unit).")]
        case (nil, nil): return []
        }
    }

    /// A named schema with members explains its limits where it is described.
    private func withoutStructure(_ schema: ContractValue) -> ContractValue {
        Self.isStructured(schema) ? .object([]) : schema
    }

    /// The name of the schema that a reference leads to.
    static func name(of schema: ContractValue) -> String? {
        let prefix = "#/components/schemas/"
        guard let pointer = schema["$ref"]?.string, pointer.hasPrefix(prefix) else { return nil }
        return String(pointer.dropFirst(prefix.count))
    }

    static func anchor(_ name: String) -> String { "schema-" + name }

    /// Whether a schema has members or variants of its own.
    static func isStructured(_ schema: ContractValue) -> Bool {
        schema["properties"] != nil || schema["oneOf"] != nil || schema["anyOf"] != nil || schema["allOf"] != nil
            || schema["type"]?.string == "object" || schema["type"]?.string == "array"
    }
}
