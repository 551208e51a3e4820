import Canonical
package import Postgres

/// The keys that wrap all others, by version. They never enter the database.
///
/// New keys are wrapped under the current version. Older versions are kept only to unwrap what is not rewrapped yet.
package struct MasterKeys: Sendable, Equatable, Redacted {
    /// The range of version numbers, which fits an `integer` column.
    package static let versions = 1...Int(Int32.max)

    /// The version that wraps new keys.
    package let current: Int
    private let keys: [Int: SecretKey]

    /// Master keys by version.
    ///
    /// - Throws: ``KeysError/Code/masterKeysInvalid`` if the current version has no key, a version is out of
    ///   ``versions``, or two versions share one key (rotating between them would change nothing).
    package init(current: Int, keys: [Int: SecretKey]) throws(KeysError) {
        guard keys[current] != nil else { throw Self.invalid("the current version has no key") }
        guard keys.keys.allSatisfy(Self.versions.contains) else { throw Self.invalid("a version is out of range") }
        let ordered = keys.sorted { $0.key < $1.key }.map(\.value)
        for (index, key) in ordered.enumerated() where ordered[..<index].contains(key) {
            throw Self.invalid("two versions share one key")
        }
        self.current = current
        self.keys = keys
    }

    private init(trusted keys: [Int: SecretKey], current: Int) {
        self.keys = keys
        self.current = current
    }

    /// Generates version 1.
    package static func random() -> MasterKeys { MasterKeys(trusted: [1: SecretKey()], current: 1) }

    /// The versions held, in order.
    package var heldVersions: [Int] { keys.keys.sorted() }

    /// The key of a version.
    ///
    /// - Throws: ``KeysError/Code/masterVersionUnknown``.
    func key(version: Int) throws(KeysError) -> SecretKey {
        guard let key = keys[version] else {
            throw KeysError(
                code: .masterVersionUnknown, reason: "the master keys hold no version \(version)",
                remedy: "start with the master keys that this database was last used with")
        }
        return key
    }

    /// Returns these keys with a new random one as the current version.
    ///
    /// - Throws: ``KeysError/Code/masterKeysInvalid`` if there is no version number left.
    package func addingVersion() throws(KeysError) -> MasterKeys {
        let next = (keys.keys.max() ?? 0) + 1
        return try MasterKeys(current: next, keys: keys.merging([next: SecretKey()]) { old, _ in old })
    }

    /// Returns these keys without a version that no longer wraps anything. This completes an erasure.
    ///
    /// - Throws: ``KeysError/Code/masterKeysInvalid`` for the current version, and
    ///   ``KeysError/Code/masterVersionUnknown`` for one that is not held.
    package func removing(version: Int) throws(KeysError) -> MasterKeys {
        _ = try key(version: version)
        guard version != current else { throw Self.invalid("the current version cannot be removed") }
        return MasterKeys(trusted: keys.filter { $0.key != version }, current: current)
    }

    static func invalid(_ reason: String) -> KeysError {
        KeysError(
            code: .masterKeysInvalid, reason: "the master keys are not usable: \(reason)",
            remedy: #"expected is {"current":1,"keys":{"1":"<base64 of 32 random bytes>"}}"#)
    }

    func encodedKeys() -> [(version: Int, key: SecretKey)] {
        keys.sorted { $0.key < $1.key }.map { (version: $0.key, key: $0.value) }
    }
}

extension MasterKeys {
    /// The versions, without the keys.
    package var description: String { "master keys \(heldVersions), current \(current) [redacted]" }
}

extension MasterKeys {
    /// Parses `{"current":n,"keys":{"n":"base64 of 32 bytes"}}`, the form in a file or an environment variable.
    ///
    /// White space is allowed, unknown members are not.
    ///
    /// - Throws: ``KeysError/Code/masterKeysInvalid``; the reason never repeats the input.
    package init(json bytes: some Collection<UInt8>) throws(KeysError) {
        let parsed: (current: Int, keys: [Int: SecretKey])
        do {
            parsed = try Self.parse(bytes)
        } catch {
            // A pointer could repeat a name, and a name could be a misplaced key. The error gives only the code and the
            // offset.
            let place = error.offset.map { " (byte \($0))" } ?? ""
            throw Self.invalid(error.code.rawValue + place)
        }
        try self.init(current: parsed.current, keys: parsed.keys)
    }

    /// Parses the same JSON from the value of an environment variable.
    ///
    /// - Throws: ``KeysError/Code/masterKeysInvalid``.
    package init(environment value: String) throws(KeysError) { try self.init(json: Array(value.utf8)) }

    /// The JSON of ``init(json:)`` with a final newline. It contains the keys in plaintext.
    package func json() -> [UInt8] {
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
            // The name must be the number's own spelling. Otherwise "1" and "01" would both name one version.
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

/// How many keys are wrapped under each version of the master keys.
package struct MasterKeyUse: Sendable, Equatable {
    /// The counts of one version.
    package struct Count: Sendable, Equatable {
        /// Bucket keys, of 256.
        package var buckets = 0
        /// Keys of the installation's purposes.
        package var purposes = 0

        /// A count of zero.
        package init() {}
    }

    /// The counts of all versions that wrap any key.
    package private(set) var versions: [Int: Count] = [:]

    /// Counts the wrapped keys over a pool of either role.
    ///
    /// - Throws: `PostgresError`.
    package static func count(on pool: PostgresPool) async throws -> MasterKeyUse {
        var statements = PipelinedStatements()
        let buckets = statements.add("SELECT master_version, count(*) FROM tenure.bucket_key GROUP BY master_version")
        let purposes = statements.add("SELECT master_version, count(*) FROM tenure.purpose_key GROUP BY master_version")
        let list = statements.list
        let answers = try await pool.withConnection { connection in try await connection.pipeline(list) }
        var use = MasterKeyUse()
        for row in try buckets.rows(in: answers) {
            let (version, count) = try row.decode(Int32.self, Int64.self)
            use.versions[Int(version), default: Count()].buckets = Int(count)
        }
        for row in try purposes.rows(in: answers) {
            let (version, count) = try row.decode(Int32.self, Int64.self)
            use.versions[Int(version), default: Count()].purposes = Int(count)
        }
        return use
    }
}
