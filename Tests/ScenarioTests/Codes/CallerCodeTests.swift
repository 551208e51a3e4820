import Canonical
import Foundation
import IdentityService
import Testing

@Suite(.onServer, .sharedWorld)
struct `Codes of status 401` {
    @Test func `are told to an app that is unknown or has another secret`() async throws {
        let client = try sharedWorld().client
        let start = Person("e", at: "callers.example").login(Device())
        let unknown = TestApp(appId: UUID().uuidString.lowercased(), secret: client.app.secret, salt: "")
        try expectProblem(try await client.by(unknown).post("/v1/logins", start), "app.unknown")
        try expectProblem(try await client.post("/v1/logins", start, by: .nobody), "app.unknown")
        for garbled in ["Basic", "Basic !", "Basic " + Base64.encode(Array("no colon".utf8)), "Digest x=y", ""] {
            try expectProblem(try await client.post("/v1/logins", start, by: .raw(garbled)), "app.unknown")
        }
        for secret in [client.app.secret + "x", String(client.app.secret.dropLast()), "x", client.app.salt] {
            try expectProblem(
                try await client.with(secret: secret).post("/v1/logins", start), "app.secret_invalid")
        }
    }

    @Test func `are told to an employee whose token is none`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("tokens.example")
        var flipped = Array(founder.accessToken)
        flipped[flipped.count / 2] = flipped[flipped.count / 2] == "A" ? "B" : "A"
        for token in ["x", String(flipped), founder.refreshToken, String(repeating: "A", count: 86)] {
            try expectProblem(try await client.get("/v1/sessions", by: .session(token)), "session.invalid")
        }
        try expectProblem(try await client.get("/v1/sessions", by: .nobody), "session.invalid")
        try expectProblem(try await client.get("/v1/sessions"), "session.invalid")
    }
}

@Suite(.onServer, .sharedWorld { $0.settings.accessLifetime = .seconds(1) })
struct `A session that has expired` {
    @Test func `is told so and can be refreshed`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("expired.example")
        try await Task.sleep(for: .milliseconds(1_200))
        try expectProblem(try await client.get("/v1/sessions", by: founder.session), "session.expired")
        // A second is short on a busy machine: the new session may have expired, too, before it is used.
        var refreshToken = founder.refreshToken
        var reply: HTTPReply?
        for _ in 0..<50 where reply?.status != 200 {
            let refreshed = try await client.post(
                "/v1/sessions/refresh", ["refreshToken": .string(refreshToken)], by: .nobody)
            try #require(refreshed.status == 200, "\(refreshed)")
            refreshToken = try #require(refreshed["refreshToken"]?.text)
            let token = try #require(refreshed["accessToken"]?.text)
            reply = try await client.get("/v1/sessions", by: .session(token))
            #expect(reply?.status == 200 || reply?.code == "session.expired")
        }
        #expect(reply?.status == 200)
    }
}
