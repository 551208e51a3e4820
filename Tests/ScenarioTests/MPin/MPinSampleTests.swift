import Canonical
import Foundation
import MPinAuthority
import TenureClient
import Testing

/// Requests for the second D-TA go to the one in this process.
private struct SampleTransport: Transport {
    let keys: TestKeySource
    let base = URLSessionTransport()

    func send(_ request: WireRequest) async throws -> WireResponse {
        let prefix = keys.clientURL + "clientSecret?"
        guard request.url.hasPrefix(prefix) else { return try await base.send(request) }
        let answer = keys.secondAnswer(to: String(request.url.dropFirst(prefix.count)))
        return WireResponse(status: answer.status, headers: ["content-type": "application/json"], body: answer.body)
    }
}

@Suite(.onServer)
struct `The samples of Milagro's page` {
    @Test func `register two users against the service`() async throws {
        try await withMPin { scene in
            let secret = try await scene.world.issueSecret(for: scene.client.app, roles: ["ACCESS", "CREATION"])
            let base = scene.world.baseURL.absoluteString
            let samples = MPinSamples(
                backend: "\(base)/mpin/\(scene.company)",
                appCredentials: AppCredentials(
                    appId: scene.client.app.appId, appSecret: secret, appSalt: scene.client.app.salt, baseURL: base)
            ) { user in
                let id = try #require(user.identityId).uuidString.lowercased()
                let path = scene.client.path(scene.company, "/mpin/identities/\(id)/verification")
                expectOutcome(try await scene.client.post(path, [:]), "done")
            }
            let users = try await samples.run(transport: SampleTransport(keys: scene.keys))
            #expect(users.map { $0.getState() } == [.registered, .registered])
            #expect(try await scene.world.count("MPinRegistered") == 2)
            #expect(try await scene.world.count("MPinAuthenticated") == 2)
        }
    }
}
