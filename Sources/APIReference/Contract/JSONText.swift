/// A value of the contract as indented JSON.
struct JSONText: CustomStringConvertible {
    private static let width = 64

    let description: String

    init(_ value: ContractValue) { description = Self.text(value, indentation: "") }

    private static func text(_ value: ContractValue, indentation: String) -> String {
        let line = compact(value)
        if line.count + indentation.count <= width, isFlat(value) { return line }
        let inner = indentation + "  "
        switch value {
        case .list(let items) where !items.isEmpty:
            let lines = items.map { inner + text($0, indentation: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n" + indentation + "]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { inner + quoted($0.name) + ": " + text($0.value, indentation: inner) }
            return "{\n" + lines.joined(separator: ",\n") + "\n" + indentation + "}"
        default: return line
        }
    }

    /// Whether a value may stand on one line: no object with several members, and nothing nested in a list.
    private static func isFlat(_ value: ContractValue) -> Bool {
        switch value {
        case .list(let items): items.allSatisfy { $0.items.isEmpty && $0.members.isEmpty }
        case .object(let members):
            members.count < 2 && members.allSatisfy { $0.value.items.isEmpty && $0.value.members.isEmpty }
        default: true
        }
    }

    private static func compact(_ value: ContractValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let text): text
        case .string(let text): quoted(text)
        case .list(let items): "[" + items.map(compact).joined(separator: ", ") + "]"
        case .object(let members):
            members.isEmpty
                ? "{}"
                : "{ " + members.map { quoted($0.name) + ": " + compact($0.value) }.joined(separator: ", ") + " }"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
