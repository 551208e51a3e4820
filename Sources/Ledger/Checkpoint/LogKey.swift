import Canonical
public import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The public half of the key that signs the checkpoints of all ledgers of an installation.
///
/// In notes it goes by the origin of each ledger, so its text, which is that of the system ledger, tells the key and the
/// name of the installation.
public struct LogKey: Sendable, Equatable, CustomStringConvertible {
    /// The name of the installation, which origins start with.
    public let name: String
    /// The key.
    public let publicKey: Curve25519.Signing.PublicKey

    /// Names a key; nil when origins of that name could not be names of keys.
    public init?(name: String, publicKey: Curve25519.Signing.PublicKey) {
        guard (1...255).contains(name.utf8.count),
            NoteKey(name: Self.origin(name, .system), publicKey: publicKey) != nil
        else {
            return nil
        }
        self.name = name
        self.publicKey = publicKey
    }

    /// Reads `name+id+key` of any ledger of the installation; nil for any other spelling.
    public init?(_ text: String) {
        guard let key = NoteKey(text), let ledger = Self.ledger(ofOrigin: key.name) else { return nil }
        self.init(name: String(key.name.dropLast(ledger.description.count + 1)), publicKey: key.publicKey)
    }

    /// The key as the checkpoints of the system ledger name it.
    public var description: String { text(for: .system) }

    /// The key as the checkpoints of a ledger name it: what other tools take to verify them.
    public func text(for ledger: LedgerID) -> String { noteKey(origin: origin(of: ledger))?.description ?? "" }

    /// The first line of a ledger's checkpoints.
    public func origin(of ledger: LedgerID) -> String { Self.origin(name, ledger) }

    func noteKey(origin: String) -> NoteKey? { NoteKey(name: origin, publicKey: publicKey) }

    /// Whether both are the same name and key.
    public static func == (left: LogKey, right: LogKey) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8)
            && left.publicKey.rawRepresentation == right.publicKey.rawRepresentation
    }

    private static func origin(_ name: String, _ ledger: LedgerID) -> String { "\(name)/\(ledger)" }

    /// The ledger an origin ends with, or nil when it does not name one.
    static func ledger(ofOrigin origin: String) -> LedgerID? {
        guard let slash = origin.lastIndex(of: "/"), slash != origin.startIndex else { return nil }
        return UUID(lowercased: String(origin[origin.index(after: slash)...])).map { LedgerID($0) }
    }
}
