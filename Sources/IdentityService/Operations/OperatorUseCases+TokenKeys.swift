import EventCoding
import Identity
import Ledger

extension OperatorUseCases {
    /// The time after which no running process signs with a key that ``rotateTokenKeys(atOnce:)`` deleted, or believes it.
    package static var tokenKeysTakeover: Duration { SigningKeyRotation.takeover }

    /// Replaces the keys that sign tokens, and records that in the system ledger.
    ///
    /// - Parameter atOnce: Whether the old keys are deleted and the new ones sign at once, because somebody else may
    ///   know the old ones.
    /// - Returns: The new keys. Keys that an earlier rotation made and that do not sign yet stay, and are returned too.
    package func rotateTokenKeys(atOnce: Bool) async throws -> [NewSigningKey] {
        try await optimistic {
            let time = context.settings.now()
            let version = try await context.reader.read(StreamsQuery([.tokenKeys])).streams[.tokenKeys]?.version ?? 0
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
