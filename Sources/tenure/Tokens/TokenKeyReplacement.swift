import Canonical
import IdentityService

/// Replaces the keys that sign tokens, and says what happens when.
struct TokenKeyReplacement {
    let settings: Settings

    /// - Parameter atOnce: Whether the old keys must not be used any more.
    func run(atOnce: Bool) async throws {
        let keys = try await OperatorSession.run(settings) { try await $0.rotateTokenKeys(atOnce: atOnce) }
        let words = Output.standardError()
        for line in Self.lines(keys, atOnce: atOnce) { words.line(line) }
        guard atOnce, keys.contains(where: \.isNew) else { return }
        let wait = OperatorUseCases.tokenKeysTakeover
        words.line("Waiting \(wait.components.seconds) seconds: until then a running process may use the old keys …")
        try await Task.sleep(for: wait)
        words.line(
            "No process signs with the old keys or accepts them any more. Back ends refuse them when their copy of the"
                + " keys expires, usually within five minutes. Sessions go on: apps refresh their tokens.")
    }

    /// The report of a replacement, as soon as it is recorded.
    static func lines(_ keys: [NewSigningKey], atOnce: Bool) -> [String] {
        let each = keys.map { key in
            let start = TimeText.short(key.signsFrom)
            guard key.isNew else {
                return "The key \(key.keyID) for \(key.use) waits already: it is published, and signs from \(start) on."
            }
            return atOnce
                ? "The new key \(key.keyID) for \(key.use) signs, and every older one is deleted."
                : "The new key \(key.keyID) for \(key.use) is published now and signs from \(start) on."
        }
        guard keys.contains(where: \.isNew) else { return each }
        guard !atOnce else { return each }
        return each + ["The old keys stay published until their last tokens have expired. Nothing else is to do."]
    }
}
