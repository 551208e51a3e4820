public import Canonical

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a bundle holds: its file `manifest.json`, canonical JSON.
///
/// Nothing in it has to be believed: checkpoints are signed, entries lead to their roots, and counts are counted again.
public struct BundleManifest: Sendable, Equatable {
    /// How the entries of a ledger are there.
    public enum Content: String, Sendable {
        /// All entries of the checkpoint, as a tiled log (C2SP tlog-tiles) in a directory of its own.
        case whole
        /// Some entries, each with its inclusion proof.
        case part
    }

    /// One ledger of a bundle.
    public struct Part: Sendable, Equatable {
        /// The ledger.
        public let ledger: LedgerID
        /// How its entries are there.
        public let content: Content
        /// The size of the checkpoint that they lead to.
        public let size: Int64
        /// How many entries are there.
        public let entries: Int64
    }

    /// The version of the format.
    static let version: Int64 = 1
    static let fileName = "manifest.json"
    static let maximumLength = 64 << 20

    /// The key that signed the checkpoints, as the maker of the bundle says: to be compared with one known otherwise.
    public let key: LogKey
    /// When the bundle was made.
    public let made: Timestamp
    /// What was asked for, in the words of its maker: an object.
    public let filter: JSONValue
    /// The ledgers, in the order of their ids.
    public let parts: [Part]

    var bytes: [UInt8] {
        let parts = parts.map { part -> JSONValue in
            .object([
                "ledger": .uuid(part.ledger.uuid), "content": .string(part.content.rawValue),
                "size": .integer(part.size), "entries": .integer(part.entries),
            ])
        }
        return JSONValue.object([
            "format": "tenure-bundle", "version": .integer(Self.version), "key": .string(key.description),
            "made": .timestamp(made), "filter": filter, "ledgers": .array(parts),
        ]).canonicalBytes()
    }

    init(key: LogKey, made: Timestamp, filter: JSONValue, parts: [Part]) {
        self.key = key
        self.made = made
        self.filter = filter
        self.parts = parts
    }

    init(parsing bytes: [UInt8]) throws(ProofError) {
        do {
            try self.init(reading: CanonicalJSON.parse(bytes, limits: .init(bytes: Self.maximumLength)))
        } catch {
            throw ProofError(.bundleInvalid, "the manifest is not one of a bundle: \(error)")
        }
    }

    private init(reading value: JSONValue) throws(JSONError) {
        var reader = try ObjectReader(value)
        guard try reader.string("format") == "tenure-bundle" else {
            throw reader.invalid("format", "tenure-bundle is expected")
        }
        _ = try reader.integer("version", in: Self.version...Self.version)
        guard let key = LogKey(try reader.string("key")) else { throw reader.invalid("key", "a key is expected") }
        self.key = key
        made = try reader.timestamp("made")
        filter = try reader.value("filter")
        var parts: [Part] = []
        for var part in try reader.objects("ledgers") {
            let ledger = LedgerID(try part.uuid("ledger"))
            guard let content = Content(rawValue: try part.string("content")) else {
                throw part.invalid("content", "whole or part is expected")
            }
            let size = try part.integer("size", in: 1...JSONValue.integerRange.upperBound)
            let least = content == .whole ? size : 0
            parts.append(
                Part(
                    ledger: ledger, content: content, size: size,
                    entries: try part.integer("entries", in: least...size)))
            try part.finish()
        }
        // The order is fixed, so no ledger can be there twice.
        for (one, next) in zip(parts, parts.dropFirst()) where !(one.ledger < next.ledger) {
            throw reader.invalid("ledgers", "ledgers in order are expected, each once")
        }
        self.parts = parts
        try reader.finish()
    }
}
