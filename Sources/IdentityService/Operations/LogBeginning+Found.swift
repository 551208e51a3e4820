package import Credentials
import EventCoding
import FoundationEssentials
import Identity
package import Keys
import Ledger
package import Postgres

extension LogBeginning {
    /// Founds a log: appends the operator's public key and the check value of the keys.
    ///
    /// - Parameter pool: Connections of the application role.
    /// - Throws: ``OperatorKeyError/Code/foundedMeanwhile`` if the log is founded already.
    package static func found(_ key: OperatorPublicKey, by ring: KeyRing, on pool: PostgresPool) async throws {
        guard let operatorKey = PublicKeyBytes(key.bytes), let keyCheck = Bytes32(ring.keyCheck) else {
            throw OperatorKeyError(.wrong)
        }
        let event = try EventCodec.encode(
            SystemFounded(operatorKey: operatorKey, keyCheck: keyCheck), id: UUID(), stream: .system, keys: [:],
            metadata: EventMetadata())
        let append = Append(events: [event], expectations: [.system: 0])
        let results = try await pool.withTransaction(in: [LedgerID.system], opening: [Appender.makingHeads([.system])])
        {
            connection, _ in
            try await Appender.append([append], codes: EventCodes(ring), on: &connection)
        }
        do { for result in results { _ = try result.get() } } catch {
            guard error.code == .versionConflict else { throw error }
            throw OperatorKeyError(.foundedMeanwhile)
        }
    }
}
