extension JSONParser {
    mutating func array() throws(JSONError) -> JSONValue {
        try enter()
        var elements: [JSONValue] = []
        if next == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            path.append(.index(elements.count))
            try skipSpace()
            elements.append(try value())
            try skipSpace()
            path.removeLast()
            if try isLast(closing: UInt8(ascii: "]")) { return .array(elements) }
        }
    }

    mutating func object() throws(JSONError) -> JSONValue {
        try enter()
        var members: [String: JSONValue] = [:]
        if next == UInt8(ascii: "}") {
            position += 1
            return .object(members)
        }
        // Those of an entry; growing step by step hashes every name again at each step.
        if path.isEmpty { members.reserveCapacity(13) }
        var previous: String?
        while true {
            try skipSpace()
            let start = position
            let name = try memberName()
            path.append(.member(name))
            let isInOrder = previous.map { CanonicalForm.precedes($0, name) } ?? true
            // A name in ASCII that is in order is not there yet: those equivalent to it come behind it.
            if !canonical || !isInOrder || !name.utf8.allSatisfy({ $0 < 0x80 }) {
                guard members.index(forKey: name) == nil else {
                    throw refusal(.duplicateMember, "a second member of the same name", at: start)
                }
            }
            if canonical, !isInOrder { throw refusal(.notCanonical, "members are not in order", at: start) }
            previous = name
            members[name] = try value()
            try skipSpace()
            path.removeLast()
            if try isLast(closing: UInt8(ascii: "}")) { return .object(members) }
        }
    }

    /// Reads a name, the colon behind it and the space around that.
    private mutating func memberName() throws(JSONError) -> String {
        guard let byte = next else { throw refusal(.unexpectedEnd, "a member name is missing") }
        guard byte == UInt8(ascii: "\"") else { throw refusal(.unexpectedByte, "a member name starts with a quote") }
        let name = try string()
        try skipSpace()
        guard let colon = next else { throw refusal(.unexpectedEnd, "a colon is missing") }
        guard colon == UInt8(ascii: ":") else { throw refusal(.unexpectedByte, "a colon is missing") }
        position += 1
        try skipSpace()
        return name
    }

    /// Steps over an opening bracket and the space behind it.
    ///
    /// The steps on the path are the containers around this one, so their number is its depth less one.
    private mutating func enter() throws(JSONError) {
        guard path.count < limits.depth else {
            throw refusal(.tooDeep, "nested deeper than \(limits.depth)")
        }
        position += 1
        try skipSpace()
    }

    /// Steps over a comma (false) or the closing bracket (true).
    private mutating func isLast(closing: UInt8) throws(JSONError) -> Bool {
        guard let byte = next else { throw refusal(.unexpectedEnd, "an array or object is not closed") }
        guard byte == closing || byte == UInt8(ascii: ",") else {
            throw refusal(.unexpectedByte, "a comma or a closing bracket is missing")
        }
        position += 1
        return byte == closing
    }
}
