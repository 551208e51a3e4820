import Canonical

extension MasterKeys {
    /// Reads `{"current":n,"keys":{"n":"base64 of 32 bytes"}}`, as it is in a file or in an environment variable.
    ///
    /// White space around and within is allowed, unknown members are not.
    ///
    /// - Throws: ``KeysError/Code/masterKeysInvalid``; the reason never repeats what was read.
    public init(json bytes: some Collection<UInt8>) throws(KeysError) {
        let parsed: (current: Int, keys: [Int: SecretKey])
        do {
            parsed = try Self.parse(bytes)
        } catch {
            // A pointer could repeat a name, and a name could be a misplaced key: only the code and the byte are told.
            let place = error.offset.map { " (byte \($0))" } ?? ""
            throw Self.invalid(error.code.rawValue + place)
        }
        try self.init(current: parsed.current, keys: parsed.keys)
    }

    /// Reads the same JSON from the value of an environment variable.
    public init(environment value: String) throws(KeysError) { try self.init(json: Array(value.utf8)) }

    /// The same JSON, with a newline at the end: secret bytes in clear.
    public func json() -> [UInt8] {
        var members: [String: JSONValue] = [:]
        for (version, key) in encodedKeys() { members[String(version)] = .string(Base64.encode(key.bytes)) }
        let value = JSONValue.object(["current": .integer(Int64(current)), "keys": .object(members)])
        return value.canonicalBytes() + [UInt8(ascii: "\n")]
    }

    private static func parse(
        _ bytes: some Collection<UInt8>
    ) throws(JSONError) -> (current: Int, keys: [Int: SecretKey]) {
        var reader = try ObjectReader(try StrictJSON.parse(bytes))
        let current = try reader.integer("current")
        let value = try reader.value("keys")
        try reader.finish()
        guard case .object(let members) = value else {
            throw JSONError(code: .wrongType, pointer: "/keys", reason: "an object is expected")
        }
        var keys: [Int: SecretKey] = [:]
        for (name, member) in members {
            // The name must be how the number prints, or "1" and "01" would be two spellings of one version.
            guard let version = Int(name), String(version) == name, case .string(let text) = member,
                let key = Base64.decode(text).flatMap(SecretKey.init(bytes:))
            else {
                throw JSONError(code: .invalidValue, pointer: "/keys", reason: "a version and 32 bytes are expected")
            }
            keys[version] = key
        }
        return (Int(current), keys)
    }
}
