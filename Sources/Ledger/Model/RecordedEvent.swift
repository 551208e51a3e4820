public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An event as it was recorded.
public struct RecordedEvent: Sendable, Equatable {
    /// Its place in its ledger: 1, 2, 3 … without gaps, in the order of commits.
    public let position: Int64
    /// The identifier its appender gave it.
    public let id: UUID
    /// The stream it belongs to.
    public let stream: StreamID
    /// Its place in its stream, from 1.
    public let streamVersion: Int
    /// What happened.
    public let type: String
    /// The version of the type's fields.
    public let schema: Int
    /// When; it never runs backwards within a ledger.
    public let time: Timestamp
    /// The user or employee who did it.
    public let actor: UUID?
    /// The app through which it was done.
    public let app: UUID?
    /// The request it was done in.
    public let requestId: String?
    /// Where the request came from, sealed.
    public let source: JSONValue?
    /// The events it follows from.
    public let causes: [UUID]
    /// What happened in detail: an object.
    public let data: JSONValue
    /// The canonical JSON that is hashed, exported and verified.
    public let entry: [UInt8]
    /// The leaf hash of the entry (RFC 6962 §2.1), 32 bytes.
    public let leaf: [UInt8]

    /// The ledger it belongs to.
    public var ledger: LedgerID { stream.ledger }
}
