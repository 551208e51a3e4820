/// Tells whether somebody still waits for the answer of a call.
///
/// A task is not cancelled when its client leaves, because an append that was sent must end. Only work that nobody has
/// begun, and that nobody would hear of, is given up.
public struct CallerPresence: Sendable {
    /// The presence of the current task's caller; `nil` if it cannot leave.
    @TaskLocal public static var current: CallerPresence?

    private let watch: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter watch: Keeps a closure and calls it once the caller has left, at once if that was before.
    public init(_ watch: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.watch = watch }

    /// Calls `body` once the caller has left.
    func whenGone(_ body: @escaping @Sendable () -> Void) { watch(body) }
}
