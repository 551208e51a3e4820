import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Names a ledger: the unit of order, isolation, integrity and distribution.
public struct LedgerID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The identifier in the database and in entries.
    public let uuid: UUID

    /// Wraps an identifier; a tenant's ledger is named by the tenant's id.
    public init(_ uuid: UUID) { self.uuid = uuid }

    /// The one ledger of the installation itself: apps and checkpoints.
    public static let system = LedgerID(fixed: 0, 0)

    /// The ledger of all users whose id starts with this byte, and of all claims whose key does. Fixed for ever.
    public static func directory(_ byte: UInt8) -> LedgerID { LedgerID(fixed: 1, byte) }

    /// All 256 directory ledgers, in order.
    public static let directories: [LedgerID] = (0...255).map { directory(UInt8($0)) }

    /// Whether it is one of the directories.
    public var isDirectory: Bool { self == .directory(uuid.uuid.15) }

    /// Fixed ids are UUIDs of version 8 (RFC 9562 §5.8), so that no random or hashed id can be one of them.
    private init(fixed kind: UInt8, _ byte: UInt8) {
        uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0, kind, byte))
    }

    /// The order in which the database locks ledgers: that of the bytes.
    public static func < (left: LedgerID, right: LedgerID) -> Bool {
        left.uuid < right.uuid
    }

    /// The canonical text of the identifier.
    public var description: String { uuid.lowercased }
}
