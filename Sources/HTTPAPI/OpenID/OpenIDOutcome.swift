import IdentityService

/// What an answer of the OpenID provider comes to, for log and metrics.
enum OpenIDOutcome: Sendable, Hashable {
    /// The client has what it asked for, or the person is logged out.
    case success
    /// A page asks the person something.
    case asked
    /// The client or the person is refused, with the code of the standard.
    case refused(String)

    /// The outcome of an answer that a browser brings to a client.
    init(_ answer: ClientAnswer) {
        self = answer.fields.first { $0.name == "error" }.map { .refused($0.value) } ?? .success
    }

    /// The code of a refusal; `nil` for another outcome.
    var code: String? { if case .refused(let code) = self { code } else { nil } }

    var label: String {
        switch self {
        case .success: "success"
        case .asked: "asked"
        case .refused(let code): code
        }
    }
}
