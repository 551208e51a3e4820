import Canonical
public import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The codes that say that a service wrote an entry: 18 bytes beside each event.
///
/// A code is two bytes that name the key, and the first 16 bytes of HMAC-SHA-256 under that key over
/// `tenure/v1/event` ‖ the ledger's id (16) ‖ the event's id (16) ‖ the entry's leaf hash (32). Whoever may insert rows
/// but does not have the key cannot make one. Since an id is unique in its ledger, a copied entry has no right code either.
public struct EventCodes: Sendable {
    /// The length of a code in bytes.
    public static let byteCount = 18

    private let id: [UInt8]
    /// The HMAC after its key and the tag; a copy goes on.
    private let begun: HMAC<SHA256>
    private let checks: Bool
    /// The rows that count for nothing, as far as the process knows.
    public let disowned: DisownedEntries

    /// The codes under a key of 32 bytes.
    public init(key: SymmetricKey, disowned: DisownedEntries = DisownedEntries()) {
        self.init(key: key, checks: true, disowned)
    }

    private init(key: SymmetricKey, checks: Bool, _ disowned: DisownedEntries) {
        id = Array(HMAC<SHA256>.authenticationCode(for: Array("tenure/v1/event-key".utf8), using: key).prefix(2))
        var begun = HMAC<SHA256>(key: key)
        begun.update(data: Array("tenure/v1/event".utf8))
        self.begun = begun
        self.checks = checks
        self.disowned = disowned
    }

    /// For a reader without keys, such as an auditor: every code is right. What it makes is right nowhere.
    public static var unchecked: EventCodes { unchecked(disowned: DisownedEntries()) }

    /// ``unchecked`` for a reader that knows which rows count for nothing.
    public static func unchecked(disowned: DisownedEntries) -> EventCodes {
        EventCodes(key: SymmetricKey(size: .bits256), checks: false, disowned)
    }

    /// Whether ``isRight(_:ledger:id:leaf:)`` can refuse a code.
    public var areChecked: Bool { checks }

    /// Returns the code of an event.
    ///
    /// - Parameter leaf: The leaf hash of the entry, 32 bytes.
    public func code(ledger: LedgerID, id event: UUID, leaf: [UInt8]) -> [UInt8] {
        id + authenticate(ledger, event, leaf).prefix(Self.byteCount - id.count)
    }

    /// Whether a service wrote the event with this id and leaf hash into the ledger. The comparison takes constant time.
    public func isRight(_ code: [UInt8], ledger: LedgerID, id event: UUID, leaf: [UInt8]) -> Bool {
        guard checks else { return true }
        guard code.count == Self.byteCount, code.starts(with: id) else { return false }
        var difference: UInt8 = 0
        for (right, given) in zip(authenticate(ledger, event, leaf), code.dropFirst(id.count)) {
            difference |= right ^ given
        }
        return difference == 0
    }

    private func authenticate(_ ledger: LedgerID, _ event: UUID, _ leaf: [UInt8]) -> HMAC<SHA256>.MAC {
        var mac = begun, message: [UInt8] = []
        message.reserveCapacity(32 + leaf.count)
        ledger.uuid.append(to: &message)
        event.append(to: &message)
        message += leaf
        mac.update(data: message)
        return mac.finalize()
    }
}
