/// The keys that wrap all others, by version; they never touch the database.
///
/// New keys are wrapped under the current version; older versions are kept only to open what was wrapped under them
/// and is not re-wrapped yet.
public struct MasterKeys: Sendable, Equatable {
    /// The least and the greatest number of a version: what an `integer` column holds.
    public static let versions = 1...Int(Int32.max)

    /// The version that wraps.
    public let current: Int
    private let keys: [Int: SecretKey]

    /// Makes master keys.
    ///
    /// - Throws: ``KeysError/Code/masterKeysInvalid`` when the current version has no key, a version is out of
    ///   ``versions``, or two versions share one key (rotating between them would change nothing).
    public init(current: Int, keys: [Int: SecretKey]) throws(KeysError) {
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

    /// Makes version 1 from random numbers.
    public static func random() -> MasterKeys { MasterKeys(trusted: [1: SecretKey()], current: 1) }

    /// The versions held, in order.
    public var heldVersions: [Int] { keys.keys.sorted() }

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

    /// The same keys with a fresh random one, a version above all others, as the current one.
    ///
    /// - Throws: ``KeysError/Code/masterKeysInvalid`` when there is no version left.
    public func addingVersion() throws(KeysError) -> MasterKeys {
        let next = (keys.keys.max() ?? 0) + 1
        return try MasterKeys(current: next, keys: keys.merging([next: SecretKey()]) { old, _ in old })
    }

    /// The same keys without a version, once nothing is wrapped under it any more: what completes an erasure.
    ///
    /// - Throws: ``KeysError/Code/masterKeysInvalid`` for the current version, and
    ///   ``KeysError/Code/masterVersionUnknown`` for one that is not held.
    public func removing(version: Int) throws(KeysError) -> MasterKeys {
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

extension MasterKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The versions, and no key.
    public var description: String { "master keys \(heldVersions), current \(current) [redacted]" }
    /// The versions, and no key.
    public var debugDescription: String { description }
    /// Without children, so that `dump` finds no key either.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
