import Canonical
import Foundation
import IdentityService
import Keys
import Ledger
import TestSupport
import TenureServer
import Testing

/// `tenure key rotate --tokens`, beside a running service.
@Suite(.onServer)
struct `The keys of ID tokens` {
    private func rotate(_ more: [String] = [], _ world: TenureWorld) async throws {
        let environment = [
            "TENURE_DATABASE_URL": world.database.url(as: .application),
            "TENURE_READER_DATABASE_URL": world.database.url(as: .reader),
            "TENURE_MASTER_KEY_FILE": world.keyFile.path, "TENURE_OPERATOR_KEY_FILE": world.operatorKeyFile,
            "SWIFT_BACKTRACE": "enable=no",
        ]
        let ended = try await ChildProcess(
            "tenure", ["key", "rotate", "--tokens"] + more, environment: environment
        ).finish()
        try #require(ended.status == 0, "\(ended.lines)")
    }

    @Test func `are replaced with an event, and an old token is a hint unless its key is compromised`() async throws {
        try await inTurn { world in
            let member = try await world.client.found("keys.example")
            let party = try await RelyingParty.make(world, of: ["keys.example"])
            let cookie = try await party.cookie(of: member)
            let tokens = try await party.tokens(cookie: cookie)
            let before = try await party.world.client.get("/.well-known/jwks.json", by: .nobody)["keys"]?.items ?? []
            try await rotate([], world)
            #expect(try await world.count("TokenKeysRotated") == 1)
            try await rotate([], world)
            #expect(try await world.count("TokenKeysRotated") == 1, "the keys of the first rotation still wait")
            let parameters = [(name: "id_token_hint", value: tokens.id)]
            let soon = Call(requestId: "hint", time: Timestamp.now().adding(.seconds(31)))
            let published = try await world.service.run(ReadTokenKeys(), soon)["keys"]?.items ?? []
            #expect(published.count == 2 * before.count, "every use has a next key")
            #expect(try await party.tokens(cookie: cookie).header == tokens.header, "which does not sign yet")

            try await rotate(["--compromised"], world)
            #expect(try await world.count("TokenKeysRotated") == 2)
            let signed = try await party.tokens(cookie: cookie)
            #expect(try signed.header != tokens.header, "the command is done, and so is the old key")
            let later = Call(requestId: "hint", time: Timestamp.now().adding(.seconds(62)))
            guard case .ask = try await world.service.run(LogOut(parameters, cookie: cookie), later) else {
                Issue.record("a token of a compromised key ended a session")
                return
            }
            let request = VerifyRequest(key: try await world.logKey(), ledger: .system)
            let report = try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
                try await VerifyLog(pool: pool, request: request).run()
            }
            #expect(report.violations == [], "\(report.violations)")
        }
    }
}
