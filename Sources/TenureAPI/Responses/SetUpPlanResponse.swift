public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a flow fixes before credentials are set in blind mode: the record must repeat it.
public struct SetUpPlanResponse: Sendable, Equatable, JSONConvertible {
    /// The new credential's id.
    public var credentialId: UUID
    /// The new user's id.
    public var userId: UUID
    /// The VOPRF key for answers, 49 bytes.
    public var oprfAnswers: [UInt8]
    /// The VOPRF key for the passphrase, 49 bytes.
    public var oprfPassphrase: [UInt8]
    /// The logarithm of scrypt's N.
    public var log2N: Int64
    /// Scrypt's block size.
    public var r: Int64
    /// Scrypt's lanes.
    public var p: Int64
    /// What the new record has to follow; absent for a user's first credentials.
    public var previous: Previous?
    /// The decisions of a recovery that the new record has to name; absent otherwise.
    public var approvals: Approvals?

    /// Describes one.
    public init(
        credentialId: UUID, userId: UUID, oprfAnswers: [UInt8], oprfPassphrase: [UInt8], log2N: Int64, r: Int64,
        p: Int64, previous: Previous? = nil, approvals: Approvals? = nil
    ) {
        self.credentialId = credentialId
        self.userId = userId
        self.oprfAnswers = oprfAnswers
        self.oprfPassphrase = oprfPassphrase
        self.log2N = log2N
        self.r = r
        self.p = p
        self.previous = previous
        self.approvals = approvals
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        credentialId = try reader.uuid("credentialId")
        userId = try reader.uuid("userId")
        oprfAnswers = try reader.base64("oprfAnswers")
        oprfPassphrase = try reader.base64("oprfPassphrase")
        var kdf = try ObjectReader(try reader.value("kdf"), at: reader.pointer(of: "kdf"))
        log2N = try kdf.integer("log2N")
        r = try kdf.integer("r")
        p = try kdf.integer("p")
        previous = try reader.optionalWire("previous")
        approvals = try reader.optionalWire("approvals")
    }

    /// The response.
    public var json: JSONValue {
        .objectOmittingNil([
            "credentialId": .uuid(credentialId), "userId": .uuid(userId),
            "oprfAnswers": .base64(oprfAnswers), "oprfPassphrase": .base64(oprfPassphrase),
            "kdf": ["log2N": .integer(log2N), "r": .integer(r), "p": .integer(p)],
            "previous": previous?.json, "approvals": approvals?.json,
        ])
    }

    /// The hashes of the two events by which a recovery was approved.
    public struct Approvals: Sendable, Equatable, JSONConvertible {
        /// Of the event that opened it, 32 bytes.
        public var opened: [UInt8]
        /// Of the event that confirmed it, 32 bytes.
        public var confirmed: [UInt8]

        /// Describes them.
        public init(opened: [UInt8], confirmed: [UInt8]) {
            self.opened = opened
            self.confirmed = confirmed
        }

        /// Reads them; members it does not know are ignored.
        public init(json: JSONValue, at pointer: String) throws(JSONError) {
            var reader = try ObjectReader(json, at: pointer)
            opened = try reader.base64("opened")
            confirmed = try reader.base64("confirmed")
        }

        /// The two hashes.
        public var json: JSONValue { ["opened": .base64(opened), "confirmed": .base64(confirmed)] }
    }

    /// The record that is replaced.
    public struct Previous: Sendable, Equatable, JSONConvertible {
        /// Its hash, 32 bytes.
        public var recordHash: [UInt8]
        /// Its generation, 1 or more.
        public var generation: Int64

        /// Describes one.
        public init(recordHash: [UInt8], generation: Int64) {
            self.recordHash = recordHash
            self.generation = generation
        }

        /// Reads one; members it does not know are ignored.
        public init(json: JSONValue, at pointer: String) throws(JSONError) {
            var reader = try ObjectReader(json, at: pointer)
            recordHash = try reader.base64("recordHash")
            generation = try reader.integer("generation")
        }

        /// The record's place in the chain.
        public var json: JSONValue { ["recordHash": .base64(recordHash), "generation": .integer(generation)] }
    }
}
