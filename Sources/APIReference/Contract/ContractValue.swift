internal import Yams

/// A value of the contract: what JSON can express, with members in the order of the document.
enum ContractValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number as it was written.
    case number(String)
    case string(String)
    case list([ContractValue])
    case object([Member])

    /// A member of an object.
    struct Member: Sendable, Equatable {
        let name: String
        let value: ContractValue
    }

    /// Parses a YAML document. Anchors and aliases are refused.
    init(yaml bytes: [UInt8]) throws(APIReferenceError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw APIReferenceError("The contract is not UTF-8.")
        }
        let node: Node?
        do {
            node = try Yams.compose(yaml: text)
        } catch {
            throw APIReferenceError("The contract is not YAML: \(error)")
        }
        guard let node else { throw APIReferenceError("The contract is empty.") }
        self = try Self(node, depth: 0)
    }

    private static let deepest = 64

    private init(_ node: Node, depth: Int) throws(APIReferenceError) {
        guard depth < Self.deepest else {
            throw APIReferenceError("The contract is nested more than \(Self.deepest) levels deep.")
        }
        switch node {
        case .scalar(let scalar):
            self = scalar.style == .plain ? Self(plain: scalar.string) : .string(scalar.string)
        case .sequence(let sequence):
            var items: [ContractValue] = []
            for item in sequence { items.append(try Self(item, depth: depth + 1)) }
            self = .list(items)
        case .mapping(let mapping):
            var members: [Member] = []
            for pair in mapping {
                guard case .scalar(let key) = pair.key else {
                    throw APIReferenceError("The contract has a key that is not a string.")
                }
                members.append(Member(name: key.string, value: try Self(pair.value, depth: depth + 1)))
            }
            self = .object(members)
        case .alias:
            throw APIReferenceError("The contract has an alias.")
        }
    }

    /// Resolves an unquoted scalar by the core schema of YAML 1.2, as far as JSON has such values.
    private init(plain text: String) {
        switch text {
        case "", "~", "null": self = .null
        case "true": self = .bool(true)
        case "false": self = .bool(false)
        default: self = Self.isNumber(text) ? .number(text) : .string(text)
        }
    }

    private static func isNumber(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard let first = digits.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        if first == UInt8(ascii: "0"), digits.count > 1, digits.dropFirst().first != UInt8(ascii: ".") { return false }
        return digits.allSatisfy { "0123456789.eE+-".utf8.contains($0) } && Double(text) != nil
    }
}

extension ContractValue {
    /// The value of a member, if this is an object that has it.
    subscript(name: String) -> ContractValue? { members.first { $0.name == name }?.value }

    /// The members of an object; empty for everything else.
    var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The items of a list; empty for everything else.
    var items: [ContractValue] {
        if case .list(let items) = self { items } else { [] }
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The text of a string, a number or a flag.
    var scalar: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .null, .list, .object: nil
        }
    }

    /// Whether this is the flag `true`.
    var isTrue: Bool { self == .bool(true) }

    var strings: [String] { items.compactMap(\.string) }
}
