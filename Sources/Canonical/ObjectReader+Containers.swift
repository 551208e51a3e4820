extension ObjectReader {
    /// A reader of an object member; the caller finishes it.
    public mutating func object(_ name: String) throws(JSONError) -> ObjectReader {
        try present(optionalObject(name), name)
    }

    /// A reader of an object member, or nil when it is absent.
    public mutating func optionalObject(_ name: String) throws(JSONError) -> ObjectReader? {
        guard let value = optionalValue(name) else { return nil }
        return try ObjectReader(value, at: pointer(of: name))
    }

    /// The elements of an array member.
    public mutating func array(_ name: String) throws(JSONError) -> [JSONValue] {
        try present(optionalArray(name), name)
    }

    /// The elements of an array member, or nil when it is absent.
    public mutating func optionalArray(_ name: String) throws(JSONError) -> [JSONValue]? {
        switch optionalValue(name) {
        case nil: return nil
        case .array(let elements): return elements
        default: throw mismatch(name, "an array")
        }
    }

    /// Readers of the elements of an array member that holds objects only; the caller finishes each.
    public mutating func objects(_ name: String) throws(JSONError) -> [ObjectReader] {
        var readers: [ObjectReader] = []
        for (index, element) in try array(name).enumerated() {
            readers.append(try ObjectReader(element, at: "\(pointer(of: name))/\(index)"))
        }
        return readers
    }

    /// The elements of an array member that holds strings only.
    public mutating func strings(_ name: String) throws(JSONError) -> [String] {
        var texts: [String] = []
        for (index, element) in try array(name).enumerated() {
            guard case .string(let text) = element else {
                throw JSONError(
                    code: .wrongType, pointer: "\(pointer(of: name))/\(index)", reason: "a string is expected")
            }
            texts.append(text)
        }
        return texts
    }
}
