import Canonical
import Identity
import Keys
import Postgres

/// The row of a key that signs tokens. All its columns are covered by its code, so that nobody makes an old key sign
/// again.
struct SigningKeyRow: Sendable {
    var id: String
    var use: SigningKeyUse
    var sealed: [UInt8]
    var createdAt: Timestamp
    var signsFrom: Timestamp
    var code: [UInt8]?

    private static let tokenKeys = RowTable<SigningKeyRow>(
        "token_key",
        { id, sealed, created, start, code in
            SigningKeyRow(
                id: id, use: .accessToken, sealed: sealed, createdAt: created, signsFrom: start, code: code)
        },
        Column(key: "key_id", \.id), Column("sealed", \.sealed), Column("created_at", \.createdAt),
        Column("signs_from", \.signsFrom), .code(\.code))
    private static let idTokenKeys = RowTable<SigningKeyRow>(
        "id_token_key", SigningKeyRow.init,
        Column(key: "key_id", \.id),
        Column("algorithm", { $0.use.idTokenAlgorithm?.rawValue }) { algorithm in
            algorithm.flatMap { IDTokenAlgorithm(rawValue: $0) }.map(SigningKeyUse.init)
        },
        Column("sealed", \.sealed), Column("created_at", \.createdAt), Column("signs_from", \.signsFrom),
        .code(\.code))

    static func table(_ use: SigningKeyUse) -> RowTable<SigningKeyRow> {
        use == .accessToken ? tokenKeys : idTokenKeys
    }

    /// Whether the service wrote the row as it is.
    func isAuthentic(_ rows: RowAuthentication) -> Bool {
        rows.accepts(code, Self.table(use).coded, Self.table(use).values(self))
    }

    /// The private key; `nil` if it does not open: the row is of another backup than the purpose keys.
    func key<Key: StoredSigningKey>(_ ring: KeyRing) -> Key? {
        guard let clear = use.open(sealed, keyID: id, ring), let key = Key(stored: clear, use), key.keyID == id
        else { return nil }
        return key
    }

    /// The statement that writes the row.
    func insertion(_ ring: KeyRing) -> SQL { Self.table(use).insertion(self, ring) }
}

extension SigningKeyRow {
    /// The row of a new key.
    init(
        of key: some StoredSigningKey, _ use: SigningKeyUse, createdAt: Timestamp, signsFrom: Timestamp,
        _ ring: KeyRing
    ) throws(KeysError) {
        self.init(
            id: key.keyID, use: use, sealed: try use.seal(key.stored, keyID: key.keyID, ring), createdAt: createdAt,
            signsFrom: signsFrom)
    }
}
