/// Why the development service cannot go on, with a remedy.
package struct DevelopmentFailure: Error, Sendable, Equatable {
    /// What failed, as far as a command tells it apart by its exit code.
    package enum Kind: Sendable {
        case failure, usage, unreachable, notPermitted, notFound, busy
    }

    package var kind: Kind
    /// The message: one sentence, without a full stop if it ends in a value.
    package var message: String
    /// The next thing to do, or `nil`.
    package var remedy: String?

    package init(_ kind: Kind, _ message: String, remedy: String? = nil) {
        self.kind = kind
        self.message = message
        self.remedy = remedy
    }
}
