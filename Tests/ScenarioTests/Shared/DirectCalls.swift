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
        let refused = "refused "
        let form = WireForm<Request.Answer>(
            answer: { Self.shown($0) }, refusal: { Array((refused + $0.code.rawValue).utf8) })
        switch try await reply(to: request, call, as: form) {
        case .answered(let answer): return KeptReply(answer: answer, bytes: Self.shown(answer))
        case .repeated(let bytes):
            let text = String(decoding: bytes, as: UTF8.self)
            if text.hasPrefix(refused), let code = ErrorCode(rawValue: String(text.dropFirst(refused.count))) {
                throw ServiceError(code)
            }
            return KeptReply(answer: nil, bytes: bytes)
        }
    }

    private static func shown(_ answer: some Sendable) -> [UInt8] {
        var text = ""
        dump(answer, to: &text)
        return Array(text.utf8)
    }
}
