import TenureAPI

@testable import TenureClient

/// Answers what it was told to, in order, and keeps what it was sent.
actor StubTransport: Transport {
    /// One step of the script.
    enum Step: Sendable {
        case answer(WireResponse)
        case lose
    }

    struct Lost: Error {}

    private var script: [Step]
    private(set) var sent: [WireRequest] = []

    init(_ script: [Step]) { self.script = script }

    func send(_ request: WireRequest) async throws -> WireResponse {
        sent.append(request)
        guard !script.isEmpty else { throw Lost() }
        switch script.removeFirst() {
        case .answer(let response): return response
        case .lose: throw Lost()
        }
    }

    static func json(_ value: some JSONConvertible, status: Int = 200) -> Step {
        .answer(WireResponse(status: status, body: value.bytes))
    }

    static func problem(_ code: String, retryAfter: Int? = nil) -> Step {
        guard let code = ErrorCode(rawValue: code) else { return .lose }
        let headers = retryAfter.map { ["retry-after": String($0)] } ?? [:]
        return .answer(
            WireResponse(status: code.status, headers: headers, body: Problem(code, requestId: "r").bytes))
    }
}

extension TenureClient {
    /// A client that waits next to nothing between tries.
    init(_ transport: StubTransport, attempts: Int = 3) {
        self.init(
            baseURL: "https://id.example/", appCredentials: AppCredentials(appId: "app", secret: "s:c"),
            transport: transport, retries: RetryPolicy(attempts: attempts, firstWait: .milliseconds(1)))
    }
}
