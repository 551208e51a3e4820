import Canonical
import ErrorCodes
import IdentityService
import TenureServer

/// The reply to a call with an `Idempotency-Key`, as a test that passes by HTTP sees it.
struct KeptReply<Answer: Sendable>: Sendable, Equatable {
    /// The answer, if the use case ran; `nil` if the call repeated an earlier one.
    let answer: Answer?
    /// The bytes that the first call and every repeated call get.
    let bytes: [UInt8]

    static func == (one: Self, other: Self) -> Bool { one.bytes == other.bytes }
}

extension UseCaseRunner {
    /// Authenticates the world's app.
    func caller(_ app: TestApp) async throws -> AppCaller {
        try await run(
            AuthenticateApp(appId: app.appId, secret: app.secret), Call(requestId: Person.word()))
    }

    /// Runs a use case at most once per key, with a form that shows all members of the answer.
    ///
    /// - Throws: The refusal, also if the call repeats one that was refused.
    func reply<Request: RepeatableUseCase>(to request: Request, _ call: Call) async throws -> KeptReply<Request.Answer>
    {
        let form = WireForm<Request.Answer>(
            answer: { StoredReply(status: 200, headers: [:], body: Self.shown($0)) },
            refusal: { StoredReply(status: $0.code.status, headers: [:], body: $0.code.rawValue) })
        switch try await reply(to: request, call, as: form) {
        case .answered(let answer): return KeptReply(answer: answer, bytes: Array(Self.shown(answer).utf8))
        case .repeated(let reply):
            if reply.status >= 400, let code = ErrorCode(rawValue: reply.body) { throw ServiceError(code) }
            return KeptReply(answer: nil, bytes: Array(reply.body.utf8))
        }
    }

    private static func shown(_ answer: some Sendable) -> String {
        var text = ""
        dump(answer, to: &text)
        return text
    }
}
