/// Writes a node as YAML in one form: what fits into a line stands in a line.
struct ContractWriter {
    private static let width = 120
    private(set) var text = ""

    /// Writes the members of a mapping at an indentation.
    mutating func write(_ object: ContractObject, indent: Int = 0) {
        for entry in object.entries {
            text += String(repeating: " ", count: indent) + Self.key(entry.name) + ":"
            write(entry.node, after: indent + Self.key(entry.name).count + 1, indent: indent)
        }
    }

    private mutating func write(_ node: ContractNode, after column: Int, indent: Int) {
        if let line = Self.line(node), column + 1 + line.count <= Self.width || node.scalar?.contains(" ") == false {
            text += " " + line + "\n"
            return
        }
        switch node {
        case .text(let long): write(long, indent: indent + 2)
        case .quoted, .literal: text += " " + Self.scalar(node) + "\n"
        case .object(let object):
            text += "\n"
            write(object, indent: indent + 2)
        case .list(let elements):
            text += "\n"
            for element in elements { write(element: element, indent: indent + 2) }
        }
    }

    private mutating func write(element: ContractNode, indent: Int) {
        let dash = String(repeating: " ", count: indent) + "-"
        if let line = Self.line(element) {
            text += dash + " " + line + "\n"
        } else if case .object(let object) = element {
            var writer = ContractWriter()
            writer.write(object, indent: indent + 2)
            text += dash + " " + writer.text.dropFirst(indent + 2)
        } else {
            text += dash
            write(element, after: indent + 1, indent: indent)
        }
    }

    /// Writes a text of several lines as it is, and a long one folded between words.
    private mutating func write(_ long: String, indent: Int) {
        let margin = String(repeating: " ", count: indent)
        if long.contains("\n") {
            text += long.hasSuffix("\n") ? " |\n" : " |-\n"
            for line in long.split(separator: "\n", omittingEmptySubsequences: false).dropLast(
                long.hasSuffix("\n") ? 1 : 0)
            {
                text += line.isEmpty ? "\n" : margin + line + "\n"
            }
            return
        }
        guard !long.contains("  "), long.first != " ", long.last != " " else {
            text += " " + Self.scalar(.quoted(long)) + "\n"
            return
        }
        text += " >-\n"
        var line = margin
        for word in long.split(separator: " ") {
            if line.count + word.count + 1 > Self.width, line != margin {
                text += line + "\n"
                line = margin
            }
            line += (line == margin ? "" : " ") + word
        }
        text += line + "\n"
    }

    /// The node in one line; `nil` if it needs several.
    private static func line(_ node: ContractNode) -> String? {
        switch node {
        case .text(let text) where text.contains("\n"): return nil
        case .text, .quoted, .literal: return scalar(node)
        case .list(let elements):
            let members = elements.compactMap { line($0) }
            let text = "[" + members.joined(separator: ", ") + "]"
            return members.count == elements.count && text.count <= width ? text : nil
        case .object(let object):
            guard !object.isOpen || object.entries.isEmpty else { return nil }
            let members = object.entries.compactMap { entry in line(entry.node).map { key(entry.name) + ": " + $0 } }
            let text = "{" + members.joined(separator: ", ") + "}"
            return members.count == object.entries.count && text.count <= width ? text : nil
        }
    }

    private static func scalar(_ node: ContractNode) -> String {
        switch node {
        case .text(let text): isPlain(text) ? text : quoted(text)
        case .quoted(let text): quoted(text)
        case .literal(let text): text
        case .list, .object: ""
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
    }

    private static func key(_ name: String) -> String {
        isWord(name, "$_/", "_./{}+-$") ? name : quoted(name)
    }

    private static let reserved: Set = [
        "true", "false", "null", "yes", "no", "on", "off", "y", "n", "Y", "N", "True", "False", "Null", "Yes", "No",
        "On", "Off", "TRUE", "FALSE", "NULL", "YES", "NO", "ON", "OFF",
    ]

    /// Whether every reader of YAML takes a text without quotes for a text.
    private static func isPlain(_ text: String) -> Bool { isWord(text, "_", "_./-") }

    /// Whether a text has letters, and of other characters only some at its start and some behind it.
    private static func isWord(_ text: String, _ start: String, _ behind: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        guard let first = text.utf8.first, isLetter(first) || start.utf8.contains(first) else { return false }
        let isPlain = text.utf8.dropFirst().allSatisfy { isLetter($0) || isDigit($0) || behind.utf8.contains($0) }
        return isPlain && !reserved.contains(text)
    }
}
