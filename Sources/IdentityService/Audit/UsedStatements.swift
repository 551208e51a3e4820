import Canonical
import Crypto
import FoundationEssentials
import Identity
import Ledger

/// The signed statements of one ledger that have decided something: each decides once.
///
/// The events of one append may share a statement: a reclaim has the cancellation with it, and one event for each
/// account, and an undone return revokes several device keys. The others name the first one as their cause, and have
/// other types, subjects or keys. Anything else with a known statement is a copy.
///
/// Memory grows by some 60 bytes for each decision.
struct UsedStatements: Sendable {
    /// What is known about an event's statement.
    enum Use: Sendable, Equatable {
        /// The event has no statement, or its statement decides for the first time.
        case first
        /// The statement decided something else before.
        case elsewhere
        /// The statement decided exactly this before. What follows is judged without it.
        case again
    }

    /// What is wrong with an event whose statement was used before.
    static let words = "the statement was used before"

    /// The first half of a SHA-256: a copy always has the same one.
    private struct Digest: Hashable {
        let first: UInt64
        let second: UInt64

        /// The digest of a statement as the entry spells it. Base64 is strict, so its bytes have no other spelling.
        init(statement text: String) {
            var hash = SHA256()
            var text = text
            text.withUTF8 { unsafe hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
            self.init(hash.finalize())
        }

        /// The digest of an effect of a statement.
        init(_ statement: Digest, _ event: RecordedEvent, _ subject: UUID) {
            var hash = SHA256()
            for half in [statement.first, statement.second] {
                unsafe withUnsafeBytes(of: half) { unsafe hash.update(bufferPointer: $0) }
            }
            for id in [event.stream.id, subject] {
                unsafe withUnsafeBytes(of: id.uuid) { unsafe hash.update(bufferPointer: $0) }
            }
            hash.update(data: Array("\(event.stream.kind) \(event.type)".utf8))
            // An undone return revokes several device keys of one account.
            if case .string(let key)? = event.data["key"] { hash.update(data: Array(" \(key)".utf8)) }
            self.init(hash.finalize())
        }

        private init(_ digest: SHA256.Digest) {
            (first, second) = unsafe digest.withUnsafeBytes { bytes in
                unsafe (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
        }
    }

    /// The first event with a statement.
    private struct First {
        let statement: Digest
        let id: UUID
        let time: Timestamp
        let position: Int64
    }

    /// The statements that decided something, and the effects of all.
    private var known: Set<Digest> = []
    /// The event with the latest statement.
    private var first: First?
    /// The first event with the statement of the event taken last; `nil` if that is the first one or has none.
    private(set) var leader: UUID?
    /// The position of the first event with the latest statement: an append is judged by what was before it.
    var runStart: Int64 { first?.position ?? 1 }

    /// Takes the next event of the ledger, and returns how its statement was used before.
    mutating func use(_ event: RecordedEvent) -> Use {
        leader = nil
        guard case .string(let text)? = event.data["by"]?["statement"] else { return .first }
        let statement = Digest(statement: text), subject = event.data["employeeId"]?.uuid ?? event.stream.id
        if let first, first.statement == statement, first.time == event.time, event.causes.contains(first.id) {
            leader = first.id
        }
        guard known.insert(Digest(statement, event, subject)).inserted else { return .again }
        let isKnown = !known.insert(statement).inserted
        if leader != nil { return .first }
        if isKnown { return .elsewhere }
        first = First(statement: statement, id: event.id, time: event.time, position: event.position)
        return .first
    }
}
