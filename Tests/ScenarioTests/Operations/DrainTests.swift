import Foundation
import Testing
import TestSupport

/// What clients and load balancers see while a service stops.
@Suite(.onServer)
struct `A service that stops` {
    @Test func `is not ready, and still serves while it drains`() async throws {
        try await inTurn { world in
            let founder = try await world.client.found("draining.example")
            try await ServiceProcess.with(1, in: world, settings: ["TENURE_DRAIN_SECONDS": "300"]) { processes in
                let process = processes[0], client = process.client
                process.terminate()
                var told: HTTPReply?
                try await world.until {
                    told = try await client.send(HTTPRequest("GET", "/readyz"))
                    return told?.status == 503
                }
                let words = told.map { String(decoding: $0.body, as: UTF8.self) } ?? ""
                #expect(words.contains("the service is shutting down"), "\(words)")
                #expect(try await client.send(HTTPRequest("GET", "/healthz")).status == 200)
                let flow = try await Flow.logIn(founder.person, founder.device, client)
                expectOutcome(try await flow.prove(founder.device), "validatePassphrase")
                process.kill()
            }
        }
    }

    @Test func `ends by itself after it has drained`() async throws {
        try await inTurn { world in
            for seconds in ["0", "1"] {
                try await ServiceProcess.with(1, in: world, settings: ["TENURE_DRAIN_SECONDS": seconds]) { processes in
                    processes[0].terminate()
                    #expect(await processes[0].status() == 0)
                }
            }
        }
    }
}
