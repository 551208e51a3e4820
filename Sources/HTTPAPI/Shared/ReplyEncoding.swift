import IdentityService
import Synchronization

/// Encodes the answer of a call once: the reply that is stored for a repeated call is the one that is sent.
final class ReplyEncoding<Answer: Sendable>: Sendable {
    private let encode: @Sendable (Answer) -> Reply
    /// The reply that was encoded last. An attempt that could not be committed is followed by another one.
    private let last = Mutex<Reply?>(nil)

    init(_ encode: @escaping @Sendable (Answer) -> Reply) { self.encode = encode }

    /// Encodes an answer, and returns the form in which its reply is kept.
    func stored(_ answer: Answer) -> StoredReply {
        let reply = encode(answer)
        last.withLock { $0 = reply }
        return reply.stored
    }

    /// Returns the reply that was stored last. A call that stores nothing encodes its answer here.
    func reply(_ answer: Answer) -> Reply { last.withLock { $0 } ?? encode(answer) }
}
