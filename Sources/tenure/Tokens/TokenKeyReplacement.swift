import Canonical
import IdentityService
import Keys

/// Replaces the key that signs access tokens, and says what happens when.
struct TokenKeyReplacement {
    let settings: Settings

    /// - Parameter atOnce: Whether the old key must not be used any more.
    func run(atOnce: Bool) async throws {
        let masters = try settings.masterKeyStore()
        let new = try await KeySession.run(settings) { pool in
            let rotation = TokenKeyRotation(pool: pool, ring: try await KeyRing.load(from: pool, masters: masters))
            return atOnce ? try await rotation.replaceAll(at: .now()) : try await rotation.rotate(at: .now())
        }
        for line in Self.lines(new, atOnce: atOnce) { Output.standardError().line(line) }
    }

    /// The report of a replacement.
    static func lines(_ new: TokenKeyRotation.NewKey, atOnce: Bool) -> [String] {
        let start = TimeText.short(new.signsFrom)
        guard new.isNew else {
            return ["The key \(new.keyID) waits already: it is published, and signs from \(start) on."]
        }
        guard atOnce else {
            return [
                "The new key \(new.keyID) is published now and signs from \(start) on.",
                "The old key stays published until its last token has expired. Nothing else is to do.",
            ]
        }
        return [
            "The new key \(new.keyID) signs from now on, and every older key is deleted.",
            "Running processes follow within half a minute. Back ends refuse the old key when their copy of the keys"
                + " expires, usually within five minutes. Sessions go on: apps refresh their tokens.",
        ]
    }
}
