import Foundation
import IdentityService
import TenureAPI
import Testing

/// Calls every operation as every kind of caller, and compares who is admitted with the contract and the page of it.
@Suite(.onServer)
struct `Every operation` {
    /// The codes that are about the caller. `company.unknown` hides a company.
    private static let refusals: Set<String> = [
        "app.unknown", "app.secret_invalid", "app.role_missing", "app.not_linked", "session.invalid", "session.expired",
        "authorization.not_permitted", "company.unknown",
    ]
    /// The operations that answer 503 until the first checkpoint is signed.
    private static let ofCheckpoints: [Endpoint] = [.readCheckpoint, .readTile, .proveEvent, .anchor, .readiness]

    @Test func `admits exactly the callers that the contract names`() async throws {
        try await withCallers { scene in
            var scene = scene
            let contract = try await scene.client.get("/openapi.yaml", by: .nobody)
            let table = CallerTable(contract: String(decoding: contract.body, as: UTF8.self))
            #expect(Set(table.stated.keys) == Set(Endpoint.all.map(\.description)))
            var admitted: [String: Set<CallerKind>] = [:]
            for (number, endpoint) in Endpoint.all.enumerated() {
                if number % 24 == 23 { try await scene.logInAgain() }
                let callers = table.stated[endpoint.description] ?? []
                for kind in CallerKind.inOrderOfCalls {
                    let reply = try await scene.call(endpoint, as: kind)
                    expectNoFault(reply, endpoint, kind)
                    let isDocumented = reply.problemCode.map { table.codes[endpoint.description]?.contains($0) == true }
                    #expect(isDocumented != false, "\(endpoint): \(reply) is not in the contract")
                    let isAdmitted = !Self.refusals.contains(reply.problemCode ?? "")
                    if isAdmitted { admitted[endpoint.description, default: []].insert(kind) }
                    let isExpected = kind.isExpected(at: endpoint, callers)
                    #expect(isAdmitted == isExpected, "\(endpoint) as \(kind): \(reply), of \(callers.sorted())")
                }
            }
            try compare(CallerTable.markdown(admitted))
        }
    }

    /// A failure of the service tells nothing about the caller.
    private func expectNoFault(_ reply: HTTPReply, _ endpoint: Endpoint, _ kind: CallerKind) {
        let isEarly = Self.ofCheckpoints.contains(endpoint) && reply.status == 503
        let isFine = reply.status < 500 || isEarly || reply.code == "mail.unavailable"
        #expect(isFine, "\(endpoint) as \(kind): \(reply)")
        #expect(reply.code != "request.rate_limited" || endpoint == .restartMPin, "\(endpoint) as \(kind)")
    }

    private func compare(_ page: String) throws {
        if ProcessInfo.processInfo.environment["TENURE_WRITE_CALLERS"] != nil {
            try Data(page.utf8).write(to: CallerTable.page)
        }
        let committed = try String(contentsOf: CallerTable.page, encoding: .utf8)
        #expect(committed == page, "docs/callers.md differs; write it again with TENURE_WRITE_CALLERS=1")
    }

    /// Runs `body` with a company and a caller of every kind, in a world that offers M-Pin.
    private func withCallers(_ body: (CallerScene) async throws -> Void) async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        var options = WorldOptions()
        // The service and the D-TAs have one clock.
        let clock = MPinClock()
        options.settings.now = { clock.now }
        options.mpinKeys = try TestKeySource(files, clock)
        try await inTurn(options) { world in try await body(CallerScene(world)) }
    }
}

extension HTTPReply {
    /// The code of a problem document. Other bodies have members of that name too.
    fileprivate var problemCode: String? { headers["content-type"] == "application/problem+json" ? code : nil }
}
