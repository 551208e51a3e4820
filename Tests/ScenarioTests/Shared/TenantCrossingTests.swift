import Canonical
import TenureAPI
import Testing

/// Calls each route for the records of another tenant. The routes are those of the service: a new one is tested as soon
/// as it exists, and a capture without a value fails the test.
@Suite(.onServer)
struct `A route called for another tenant` {
    private static let ofTenants = Endpoint.all.filter { $0.template.captures.contains("companyName") }
    private static let ofFlows = Endpoint.all.filter { $0.template.captures.contains("flow") }
    private static let ofOthers = Endpoint.all.filter { endpoint in
        let captures = endpoint.template.captures
        return !captures.isEmpty && !captures.contains("companyName") && !captures.contains("flow")
    }

    @Test func `answers as for a tenant that does not exist`() async throws {
        try await withMPinKeys { world in
            let scene = try await CrossingScene(world), before = try await scene.state(world)
            var calls = 0
            for endpoint in Self.ofTenants {
                for (name, caller) in scene.callers(of: endpoint) {
                    let reply = try await send(endpoint, .victim, by: caller, scene)
                    let absent = try await send(endpoint, .absentTenant, by: caller, scene)
                    try expectSame(reply, absent, "\(endpoint) by \(name)")
                    calls += 1
                }
            }
            #expect(calls >= Self.ofTenants.count, "each route has a caller")
            #expect(try await scene.state(world) == before, "the other tenant changed something")
        }
    }

    @Test func `answers for another tenant's employee as for an unknown one`() async throws {
        try await withMPinKeys { world in
            let scene = try await CrossingScene(world), before = try await scene.state(world)
            let ofEmployees = Self.ofTenants.filter { $0.template.captures.contains("companyEmployeeId") }
            #expect(ofEmployees.count >= 12)
            for endpoint in ofEmployees {
                let admin = scene.intruder.session
                let reply = try await send(endpoint, .underOwnName, by: admin, scene)
                let absent = try await send(endpoint, .absentUnderOwnName, by: admin, scene)
                try expectSame(reply, absent, "\(endpoint)")
            }
            #expect(try await scene.state(world) == before, "the other tenant changed something")
        }
    }

    @Test func `answers for another app's flow as for an unknown one`() async throws {
        try await withMPinKeys { world in
            let scene = try await CrossingScene(world), before = try await scene.state(world)
            #expect(Self.ofFlows.count >= 17)
            for endpoint in Self.ofFlows {
                for (name, caller) in scene.callers(of: endpoint) {
                    let reply = try await send(endpoint, .victim, by: caller, scene)
                    let absent = try await send(endpoint, .absentUnderOwnName, by: caller, scene)
                    try expectSame(reply, absent, "\(endpoint) by \(name)")
                }
            }
            #expect(try await scene.state(world) == before, "the other app changed something")
        }
    }

    @Test func `answers for another person's device as for an unknown one`() async throws {
        try await withMPinKeys { world in
            let scene = try await CrossingScene(world), before = try await scene.state(world)
            for endpoint in Self.ofOthers {
                for (name, caller) in scene.callers(of: endpoint) {
                    let reply = try await send(endpoint, .victim, by: caller, scene)
                    let absent = try await send(endpoint, .absentUnderOwnName, by: caller, scene)
                    // To end what is not open, or is somebody else's, succeeds and ends nothing.
                    guard endpoint != .endGrant || reply.status != 204 else {
                        #expect(absent.status == 204, "\(endpoint) by \(name): \(absent)")
                        continue
                    }
                    try expectSame(reply, absent, "\(endpoint) by \(name)")
                }
            }
            #expect(try await scene.state(world) == before, "the other person changed something")
        }
    }

    @Test func `reveals nothing of another tenant if it names none`() async throws {
        try await withMPinKeys { world in
            let scene = try await CrossingScene(world)
            let reads = Endpoint.all.filter { $0.method == "GET" && $0.template.captures.isEmpty }
            #expect(reads.count >= 2)
            for endpoint in reads {
                for caller in [Caller.app(scene.stranger.app), scene.intruder.session, .nobody] {
                    let request = scene.client.request("GET", endpoint.template.text, by: caller)
                    let text = String(decoding: try await scene.client.send(request).body, as: UTF8.self)
                    for mark in scene.marks { #expect(!text.contains(mark), "\(mark) in \(endpoint)") }
                }
            }
        }
    }

    /// The calls above would be refused for anybody if they were malformed.
    @Test func `answers its own tenant`() async throws {
        try await withMPinKeys { world in
            let scene = try await CrossingScene(world)
            for endpoint in Self.ofTenants where endpoint.method == "GET" {
                let path = try scene.path(endpoint, .victim)
                let caller = endpoint.access == .app ? Caller.app(scene.client.app) : scene.owner.session
                var reply = try await scene.client.get(path, by: caller)
                // The first seal of a new tenant is due within seconds, and the reply says to come again.
                for _ in 1...120 where endpoint == .readCheckpoint && reply.status == 503 {
                    try await Task.sleep(for: .milliseconds(500))
                    reply = try await scene.client.get(path, by: scene.owner.session)
                }
                // Without the token of the registration there is no key, and without the code of a mail no page of it.
                if endpoint == .confirmMPin { #expect(reply.code == "mpin.unknown", "\(endpoint): \(reply)") }
                let links: [Endpoint] = [.showMPinLink, .showReturnLink, .showReturnCancellation]
                if links.contains(endpoint) { #expect(reply.status == 400, "\(endpoint): \(reply)") }
                let needsMore: [Endpoint] = [.readTile, .proveEvent, .confirmMPin] + links
                let isKnown = reply.status == 200 || needsMore.contains(endpoint)
                #expect(isKnown && reply.code != "company.unknown", "\(endpoint): \(reply)")
            }
        }
    }

    /// Runs `body` with a world that offers M-Pin.
    private func withMPinKeys(_ body: (TenureWorld) async throws -> Void) async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        var options = WorldOptions()
        options.mpinKeys = try TestKeySource(files, MPinClock())
        try await inTurn(options, body)
    }

    private func send(
        _ endpoint: Endpoint, _ target: CrossingScene.Target, by caller: Caller, _ scene: CrossingScene
    ) async throws -> HTTPReply {
        let path = try scene.path(endpoint, target)
        return try await scene.client.send(
            scene.client.request(endpoint.method, path, scene.body(of: endpoint), by: caller))
    }

    /// Two refusals that tell nothing apart, and that are about the caller and not about the form of the request.
    private func expectSame(_ reply: HTTPReply, _ absent: HTTPReply, _ what: String) throws {
        #expect(reply.status == absent.status && reply.code == absent.code, "\(what): \(reply), but \(absent)")
        #expect((400..<500).contains(reply.status), "\(what): \(reply)")
        #expect(reply.code != "request.invalid" && reply.status != 405, "\(what): \(reply) is about the request")
        let (members, others) = (try reply.json.members.keys.sorted(), try absent.json.members.keys.sorted())
        #expect(members == others, "\(what)")
    }
}
