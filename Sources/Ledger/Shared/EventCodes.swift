import Canonical
public import Crypto
public import FoundationEssentials

/// The codes that say that a service wrote an entry: 18 bytes beside each event.
///
/// A code is two bytes that name the key, and the first 16 bytes of HMAC-SHA-256 under that key over
/// `tenure/v1/event` ‖ the ledger's id (16) ‖ the event's id (16) ‖ the entry's leaf hash (32). Whoever may insert rows
/// but does not have the key cannot make one. Since an id is unique in its ledger, a copied entry has no right code either.
/// A code of a key that was replaced counts up to the size that the ledger had then, as the log records it.
public struct EventCodes: Sendable {
    /// The length of a code in bytes.
    public static let byteCount = 18

    /// A key: its two bytes, and the HMAC after it and the tag, of which a copy goes on.
    private struct Key: Sendable {
        let id: [UInt8]
        let begun: HMAC<SHA256>

        init(_ key: SymmetricKey) {
            id = Array(HMAC<SHA256>.authenticationCode(for: Array("tenure/v1/event-key".utf8), using: key).prefix(2))
            var begun = HMAC<SHA256>(key: key)
            begun.update(data: Array("tenure/v1/event".utf8))
            self.begun = begun
        }
    }

    private let key: Key
    private let older: [Key]
    private let checks: Bool
    /// The rows that count for nothing, as far as the process knows.
    public let disowned: DisownedEntries

    /// The codes under a key of 32 bytes.
    ///
    /// - Parameter older: The keys that were replaced.
    public init(key: SymmetricKey, older: [SymmetricKey] = [], disowned: DisownedEntries = DisownedEntries()) {
        self.init(key: key, older: older, checks: true, disowned)
    }

    private init(key: SymmetricKey, older: [SymmetricKey] = [], checks: Bool, _ disowned: DisownedEntries) {
        self.key = Key(key)
        self.older = older.map(Key.init)
        self.checks = checks
        self.disowned = disowned
    }

    /// The two bytes that name the key in the codes that it makes.
    public var keyID: [UInt8] { key.id }
    /// The same of all keys, replaced ones too.
    public var keyIDs: [[UInt8]] { [key.id] + older.map(\.id) }

    /// Whether the log, as far as it was read, ends the key that makes the codes: the database then has an old key.
    public var isReplaced: Bool { disowned.ends(key.id) }

    /// For a reader without keys, such as an auditor: every code is right. What it makes is right nowhere.
    public static var unchecked: EventCodes { unchecked(disowned: DisownedEntries()) }

    /// ``unchecked`` for a reader that knows which rows count for nothing.
    public static func unchecked(disowned: DisownedEntries) -> EventCodes {
        EventCodes(key: SymmetricKey(size: .bits256), checks: false, disowned)
    }

    /// Returns the code of an event.
    ///
    /// - Parameter leaf: The leaf hash of the entry, 32 bytes.
    public func code(ledger: LedgerID, id event: UUID, leaf: [UInt8]) -> [UInt8] {
        key.id + authenticate(key, ledger, event, leaf).prefix(Self.byteCount - key.id.count)
    }

    /// Whether a service wrote the event with this id and leaf hash into the ledger at this position. The comparison
    /// takes constant time.
    public func isRight(
        _ code: [UInt8], ledger: LedgerID, at position: Int64, id event: UUID, leaf: [UInt8]
    ) -> Bool {
        guard checks else { return true }
        guard code.count == Self.byteCount else { return false }
        if code.starts(with: key.id), isRight(code, key, ledger, event, leaf) { return true }
        return older.contains { older in
            code.starts(with: older.id) && disowned.reaches(older.id, position, in: ledger)
                && isRight(code, older, ledger, event, leaf)
        }
    }

    private func isRight(_ code: [UInt8], _ key: Key, _ ledger: LedgerID, _ event: UUID, _ leaf: [UInt8]) -> Bool {
        var difference: UInt8 = 0
        for (right, given) in zip(authenticate(key, ledger, event, leaf), code.dropFirst(key.id.count)) {
            difference |= right ^ given
        }
        return difference == 0
    }

    private func authenticate(_ key: Key, _ ledger: LedgerID, _ event: UUID, _ leaf: [UInt8]) -> HMAC<SHA256>.MAC {
        var mac = key.begun, message: [UInt8] = []
        message.reserveCapacity(32 + leaf.count)
        ledger.uuid.append(to: &message)
        event.append(to: &message)
        message += leaf
        mac.update(data: message)
        return mac.finalize()
    }
}
