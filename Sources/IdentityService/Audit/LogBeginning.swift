import EventCoding
package import Identity
package import Keys
package import Ledger

/// The beginning of an installation's log: the operator key, and the keys that write the log.
package struct LogBeginning: Sendable, Equatable {
    /// The public half of the operator key.
    package let operatorKey: PublicKeyBytes
    /// The check value of the keys that write the log, 32 bytes.
    let keyCheck: [UInt8]
    /// The leaf hash of the event, which every statement of the operator names as authority.
    let leaf: [UInt8]

    /// The beginning that a recorded event describes; `nil` for any other event.
    init?(_ event: RecordedEvent) {
        guard event.type == SystemFounded.type, event.stream == .system,
            let founded = try? EventCodec.payload(of: event) as? SystemFounded
        else { return nil }
        operatorKey = founded.operatorKey
        keyCheck = founded.keyCheck.bytes
        leaf = event.leaf
    }

    /// Reads how a log begins; `nil` if it was not founded. Rows behind the first event of the stream do not matter.
    ///
    /// - Throws: ``LedgerError``.
    package static func read(_ reader: LedgerReader) async throws -> LogBeginning? {
        try await reader.rows(of: .system, after: 0, limit: 1).first.flatMap { LogBeginning(try $0.event()) }
    }

    /// Reads how a log begins, and refuses keys that did not write it.
    ///
    /// - Throws: `KeysError` with the code `keys.wrong_keys`, or ``LedgerError``.
    package static func read(_ reader: LedgerReader, by ring: KeyRing) async throws -> LogBeginning? {
        do {
            try await reader.refreshDisowned()
            let beginning = try await read(reader)
            if let beginning { try ring.check(beginning.keyCheck) }
            guard !reader.codes.isReplaced else {
                throw KeysError(
                    code: .wrongKeys,
                    reason: "the key of the codes of events was replaced, and the database has the old one",
                    remedy: "restore the row `events` of tenure.purpose_key from a backup made after the replacement")
            }
            return beginning
        } catch let error as LedgerError where error.code == .foreignEntry {
            // Other keys find no code right; who has them learns that.
            let found = try await read(reader.checking(.unchecked))
            if let found { try ring.check(found.keyCheck) }
            throw error
        }
    }
}
