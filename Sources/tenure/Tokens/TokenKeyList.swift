import Canonical
import IdentityService

/// Lists the keys that sign tokens.
struct TokenKeyList {
    let settings: Settings
    let json: Bool

    func run() async throws {
        let keys = try await KeySession.reading(settings) { try await SigningKeyView.all($0, at: .now()) }
        let output = Output.standardOutput()
        if json {
            for key in keys { try output.write(JSONLines.line(Self.json(key))) }
        } else {
            try output.write(Self.table(keys, at: .now()).rendered(on: output.terminal))
        }
    }

    private static func table(_ keys: [SigningKeyView], at time: Timestamp) -> Table {
        var table = Table([.init(title: "Signs"), .init(title: "Key"), .init(title: "State"), .init(title: "From")])
        for key in keys {
            let state = key.signs ? "signs" : key.signsFrom > time ? "waits" : "replaced"
            table.add([key.use, key.keyID, state, TimeText.short(key.signsFrom)])
        }
        return table
    }

    private static func json(_ key: SigningKeyView) -> JSONValue {
        [
            "use": .string(key.use), "keyId": .string(key.keyID), "signs": .bool(key.signs),
            "createdAt": .timestamp(key.createdAt), "signsFrom": .timestamp(key.signsFrom),
        ]
    }
}
