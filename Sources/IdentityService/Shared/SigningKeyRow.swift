import Canonical
import Identity
import Keys
import Postgres

/// The row of a key that signs tokens. All its columns are covered by its code, so that nobody makes an old key sign
/// again.
struct SigningKeyRow: Sendable {
    var use: SigningKeyUse
    var id: String
    var sealed: [UInt8]
    var createdAt: Timestamp
    var signsFrom: Timestamp
    var code: [UInt8]?

    static let columns: SQL = "key_id, sealed, created_at, signs_from, mac"

    init(_ row: PostgresRow, _ use: SigningKeyUse) throws(PostgresError) {
        let created: PostgresTimestamp, start: PostgresTimestamp
        (id, sealed, created, start, code) = try row.decode(
            String.self, [UInt8].self, PostgresTimestamp.self, PostgresTimestamp.self, [UInt8]?.self)
        createdAt = Timestamp(microseconds: created.microsecondsSinceUnixEpoch)
        signsFrom = Timestamp(microseconds: start.microsecondsSinceUnixEpoch)
        self.use = use
    }

    /// The row of a new key.
    init(
        of key: some StoredSigningKey, _ use: SigningKeyUse, createdAt: Timestamp, signsFrom: Timestamp,
        _ ring: KeyRing
    ) throws(KeysError) {
        self.use = use
        id = key.keyID
        sealed = try use.seal(key.stored, keyID: id, ring)
        self.createdAt = createdAt
        self.signsFrom = signsFrom
    }

    private var values: [RowValue] {
        let algorithm = use.idTokenAlgorithm.map { [RowValue.text($0.rawValue)] } ?? []
        return [.text(id)] + algorithm + [
            .bytes(sealed), .time(createdAt.microseconds), .time(signsFrom.microseconds),
        ]
    }

    private var table: CodedTable {
        use.idTokenAlgorithm == nil ? ProtectedRows.tokenKeys : ProtectedRows.idTokenKeys
    }

    /// The code that the row must have.
    func rightCode(_ ring: KeyRing) -> [UInt8] { ring.rowCode(table, values) }

    /// Whether the service wrote the row as it is.
    func isAuthentic(_ rows: RowAuthentication) -> Bool {
        rows.accepts(code, table, values)
    }

    /// The private key; `nil` if it does not open: the row is of another backup than the purpose keys.
    func key<Key: StoredSigningKey>(_ ring: KeyRing) -> Key? {
        guard let clear = use.open(sealed, keyID: id, ring), let key = Key(stored: clear, use), key.keyID == id
        else { return nil }
        return key
    }

    /// The statement that writes the row.
    func insertion(_ ring: KeyRing) -> SQL {
        let code = rightCode(ring)
        guard let algorithm = use.idTokenAlgorithm else {
            return """
                INSERT INTO tenure.token_key (key_id, sealed, created_at, signs_from, mac)
                VALUES (\(id), \(sealed), \(createdAt.postgres), \(signsFrom.postgres), \(code))
                """
        }
        return """
            INSERT INTO tenure.id_token_key (key_id, algorithm, sealed, created_at, signs_from, mac)
            VALUES (\(id), \(algorithm.rawValue), \(sealed), \(createdAt.postgres), \(signsFrom.postgres), \(code))
            """
    }
}
