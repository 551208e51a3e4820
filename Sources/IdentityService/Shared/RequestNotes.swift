package import FoundationEssentials
import Identity
import Synchronization

/// What the log and the metrics say about the current request besides its reply. No caller sees it.
///
/// It holds ids of what is registered and words of this program, never a text that came with the request.
package final class RequestNotes: Sendable {
    /// The notes of the current task's request; `nil` outside of one.
    @TaskLocal package static var current: RequestNotes?

    /// What is noted. The latest note counts.
    package struct Facts: Sendable, Equatable {
        /// The registered client of the OpenID provider that the request is about.
        package var client: UUID?
        /// The client that the request names, if none is registered under the id.
        package var unknownClient: UUID?
        /// The app that presented its secret to an endpoint which needs none, or a wrong one.
        package var app: UUID?
        /// Why the request was refused, or what it waits for: one of a closed set of names.
        package var cause: String?

        package init() {}
    }

    private let noted = Mutex(Facts())

    package init() {}

    /// What was noted so far.
    package var facts: Facts { noted.withLock { $0 } }

    /// Changes the notes of the current request.
    package static func note(_ change: (inout Facts) -> Void) {
        guard let current else { return }
        current.noted.withLock { change(&$0) }
    }

    /// Notes a cause that is no matter of the OpenID provider's rules.
    package static func note(_ cause: StaticString) { note { $0.cause = "\(cause)" } }

    static func note(_ cause: OpenIDCause) { note { $0.cause = cause.name } }

    /// Notes why there is nothing, and returns `nil`.
    static func nothing<Value>(_ cause: OpenIDCause) -> Value? {
        note(cause)
        return nil
    }
}
