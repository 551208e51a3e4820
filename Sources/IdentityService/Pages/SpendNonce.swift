import Canonical

/// Takes the nonce of a page's form, once: a second form with it is none.
package struct SpendNonce: UseCase, Redacted {
    /// The time for which a used nonce is known, which is longer than one is valid.
    private static let memory: Duration = .seconds(120)
    /// The nonce, as the page sent it.
    package let nonce: String

    package init(_ nonce: String) { self.nonce = nonce }

    /// Returns whether this is the first use.
    package func run(_ run: UseCaseRun<Bool>) async throws -> Bool {
        try await run.context.takeOnce("page-nonce", Array(nonce.utf8), for: Self.memory, at: run.call.time)
    }
}
