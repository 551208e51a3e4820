import Canonical
import ErrorCodes
import TenureAPI

/// The schemas of the contract: of a table of members with the texts about it, or written by hand.
///
/// Texts about a member are its description, or keywords that are added to those of the table. Keywords with `$ref`,
/// `oneOf` or `type` stand instead of those of the table.
struct ContractSchemas {
    private let tables: [String: any WireObject.Type]
    private let prose: ContractNode

    /// The words that a later version may add to, by the schema that names them.
    private static let knownValues = [
        "Code": ErrorCode.all.map(\.rawValue), "AppRole": AppLinkRequest.Role.allCases.map(\.rawValue),
        "Role": RoleRequest.Role.allCases.map(\.rawValue),
    ]

    init(_ prose: ContractProse) throws {
        self.prose = try prose.section("schemas")
        tables = Dictionary(uniqueKeysWithValues: WireObjects.all.map { ($0.outline.name, $0) })
    }

    private static func name(ofTable name: String) -> String {
        name.hasSuffix("Response") ? String(name.dropLast("Response".count)) : name
    }

    /// A schema, and the names of the tables that are written inside of it.
    func node(_ name: String) throws -> (ContractNode, tables: Set<String>) {
        var inside: Set<String> = []
        if let table = tables[name] ?? tables[name + "Response"] {
            return (try object(table, texts: prose[name], &inside).open, inside)
        }
        if prose[name] == nil, let page = page(name) { return (page, ["Page"]) }
        guard let node = prose[name] else { throw ContractFault("schemas has no \(name), and no table has this name") }
        var object = ContractObject(entries: node.members, isOpen: true)
        if let values = Self.knownValues[name] { object["x-known-values"] = .list(values.map { .literal($0) }) }
        if let alternatives = node["oneOf"]?.elements { object["discriminator"] = discriminator(of: alternatives) }
        return (.object(object), [])
    }

    /// What tells alternatives apart: a member `outcome` that is another word in each; `nil` without one.
    private func discriminator(of alternatives: [ContractNode]) -> ContractNode? {
        var mapping = ContractObject(entries: [])
        for alternative in alternatives {
            guard let reference = alternative["$ref"]?.scalar, let name = reference.split(separator: "/").last,
                let word = prose[String(name)]?["properties"]?["outcome"]?["const"]?.scalar
            else { return nil }
            mapping[word] = .quoted(reference)
        }
        return .object(["propertyName": "outcome", "mapping": .object(mapping)])
    }

    /// A page or a whole list of the objects of a table, by the name of both such as `EmployeePage`.
    private func page(_ name: String) -> ContractNode? {
        let element = String(name.dropLast(4)), isPage = name.hasSuffix("Page")
        guard isPage || name.hasSuffix("List"), tables[element] != nil || tables[element + "Response"] != nil else {
            return nil
        }
        let items: ContractObject = ["type": "array", "items": .object(Self.reference(element))]
        var properties = ContractObject(entries: [.init(name: "items", node: .object(items))], isOpen: true)
        if isPage {
            properties["next"] = Self.node(["type": "integer"], texts: prose["Page"]?["members"]?["next"])
        }
        if name == "EventPage" {
            properties["since"] = Self.node(Self.reference("Time"), texts: prose["Page"]?["members"]?["since"])
        }
        let page: ContractObject = [
            "type": "object", "required": .list(["items"]), "properties": .object(properties),
        ]
        return page.open
    }

    private func object(
        _ table: any WireObject.Type, texts: ContractNode?, _ inside: inout Set<String>
    ) throws -> ContractObject {
        let hidden = Set(texts?["without"]?.elements.compactMap(\.scalar) ?? [])
        let members = table.outline.members.filter { !hidden.contains($0.name) }
        let constants = table.constants.sorted { $0.key < $1.key }
        let names = Set(members.map(\.name)).union(constants.map(\.key))
        for text in texts?["members"]?.members ?? [] where !names.contains(text.name) {
            throw ContractFault("schemas/\(table.outline.name) has no member \(text.name)")
        }
        var object: ContractObject = ["type": "object"]
        if let description = texts?["description"] { object["description"] = description }
        if table is any RequestObject.Type { object["additionalProperties"] = .literal("false") }
        let required = members.filter(\.isRequired).map(\.name) + constants.map(\.key)
        if !required.isEmpty { object["required"] = .list(required.map { .text($0) }) }
        if names.isSuperset(of: ["statement", "signature"]), table is any RequestObject.Type {
            object["dependentRequired"] = .object([
                "statement": .list(["signature"]), "signature": .list(["statement"]),
            ])
        }
        for entry in texts?.members ?? [] where !["description", "members", "without"].contains(entry.name) {
            object[entry.name] = entry.node
        }
        var properties = ContractObject(entries: [], isOpen: true)
        for member in members {
            let base = try value(member.value, &inside)
            properties[member.name] = Self.node(base, texts: texts?["members"]?[member.name])
        }
        for (name, value) in constants {
            properties[name] = Self.node(Self.constant(value), texts: texts?["members"]?[name])
        }
        object["properties"] = .object(properties)
        return object
    }

    private static func node(_ base: ContractObject, texts: ContractNode?) -> ContractNode {
        guard let texts else { return .object(base) }
        if texts.scalar != nil { return .object(base.merging([.init(name: "description", node: texts)])) }
        if ["$ref", "oneOf", "type"].contains(where: { texts[$0] != nil }) { return texts }
        return .object(base.merging(texts.members))
    }

    private func value(_ value: ValueDescription, _ inside: inout Set<String>) throws -> ContractObject {
        switch value {
        case .boolean: return ["type": "boolean"]
        case .integer(let range): return Self.integer(range)
        case .string("byte"): return Self.reference("Bytes")
        case .string("date-time"): return Self.reference("Time")
        case .string("text"): return ["type": "string"]
        case .string(let format): return ["type": "string", "format": .text(format)]
        case .word(let words): return ["type": "string", "enum": .list(words.map { .text($0) })]
        case .bytes: return ["type": "string", "contentEncoding": "base64url"]
        case .array(let element, let count):
            var array: ContractObject = ["type": "array"]
            if count.lowerBound > 0 { array["minItems"] = .literal(String(count.lowerBound)) }
            if count.upperBound < Int.max { array["maxItems"] = .literal(String(count.upperBound)) }
            array["items"] = .object(try self.value(element, &inside))
            return array
        case .object(let name):
            guard let table = tables[name] else { return ["type": "object"] }
            guard name.contains(".") else { return Self.reference(Self.name(ofTable: name)) }
            inside.insert(name)
            return try object(table, texts: prose[name], &inside)
        }
    }

    private static func reference(_ name: String) -> ContractObject {
        ["$ref": .quoted("#/components/schemas/\(name)")]
    }

    static func parameter(_ parameter: QueryParameter) -> ContractObject {
        var schema: ContractObject =
            switch parameter.value {
            case .integer(let range): integer(range)
            case .string("date-time"): reference("Time")
            case .word(let words): ["type": "string", "enum": .list(words.map { .text($0) })]
            default: ["type": "string"]
            }
        switch parameter.absent {
        case .integer(let number): schema["default"] = .literal(String(number))
        case .string(let text): schema["default"] = .text(text)
        default: break
        }
        return schema
    }

    private static func integer(_ range: ClosedRange<Int64>) -> ContractObject {
        var integer: ContractObject = ["type": "integer"]
        let whole = JSONValue.integerRange
        if range.lowerBound > whole.lowerBound { integer["minimum"] = .literal(String(range.lowerBound)) }
        if range.upperBound < whole.upperBound { integer["maximum"] = .literal(String(range.upperBound)) }
        return integer
    }

    private static func constant(_ value: JSONValue) -> ContractObject {
        switch value {
        case .bool(let flag): ["type": "boolean", "const": .literal(String(flag))]
        case .integer(let number): ["type": "integer", "const": .literal(String(number))]
        case .string(let text): ["type": "string", "const": .text(text)]
        case .array: ["type": "array", "items": .object(["type": "string"])]
        case .object, .null: ["type": "object"]
        }
    }
}
