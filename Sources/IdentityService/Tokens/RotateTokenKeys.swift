public import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger
public import Postgres

extension OperatorUseCases {
    /// Replaces the keys that sign tokens, and records that in the system ledger.
    ///
    /// - Parameter atOnce: Whether the old keys are deleted and the new ones sign at once, because somebody else may
    ///   know the old ones.
    /// - Returns: The new keys. Keys that an earlier rotation made and that do not sign yet stay, and are returned too.
    public func rotateTokenKeys(atOnce: Bool) async throws -> [NewSigningKey] {
        try await optimistic {
            let time = context.settings.now()
            let version = try await context.reader.read(StreamsQuery([.tokenKeys])).streams[.tokenKeys]?.count ?? 0
            var steps: [SigningKeyRotation.Step] = []
            for use in SigningKeyUse.allCases {
                let rotation = SigningKeyRotation(use, pool: context.pool, rows: context.rows)
                let step = try await atOnce ? rotation.replacement(at: time) : rotation.next(at: time)
                if let step { steps.append(step) }
            }
            let made = steps.map(\.key).filter(\.isNew)
            if let start = made.first?.signsFrom {
                try await append(
                    [TokenKeysRotated(keyIDs: made.map(\.keyID), signsFrom: start, isCompromised: atOnce)],
                    to: .tokenKeys, version: version, effects: steps.flatMap(\.statements))
            }
            return steps.map(\.key)
        }
    }
}

/// A key that signs tokens, as `tenure key status --tokens` lists it.
public struct SigningKeyView: Sendable, Equatable {
    /// What it signs: `access tokens`, `ID tokens (RS256)` or `ID tokens (ES256)`.
    public let use: String
    /// The id of the key.
    public let keyID: String
    /// When it was made.
    public let createdAt: Timestamp
    /// When it starts to sign.
    public let signsFrom: Timestamp
    /// Whether it is the key that signs now.
    public let signs: Bool

    /// Lists the keys, those of one use together, newest first.
    ///
    /// - Parameter pool: Connections of the reader role.
    public static func all(_ pool: PostgresPool, at time: Timestamp) async throws -> [SigningKeyView] {
        var views: [SigningKeyView] = []
        for use in SigningKeyUse.allCases {
            let rows = try await pool.withConnection { connection in
                try await connection.query(
                    """
                    SELECT key_id, created_at, signs_from FROM \(use.table) WHERE \(use.condition)
                    ORDER BY signs_from DESC, created_at DESC, key_id DESC
                    """)
            }
            var hasSigner = false
            for row in rows {
                let (id, created, start) = try row.decode(
                    String.self, PostgresTimestamp.self, PostgresTimestamp.self)
                let signsFrom = Timestamp(microseconds: start.microsecondsSinceUnixEpoch)
                let signs = signsFrom <= time && !hasSigner
                hasSigner = hasSigner || signs
                views.append(
                    SigningKeyView(
                        use: use.words, keyID: id,
                        createdAt: Timestamp(microseconds: created.microsecondsSinceUnixEpoch), signsFrom: signsFrom,
                        signs: signs))
            }
        }
        return views
    }
}
