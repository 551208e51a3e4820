/// What `NOTIFY` sent: a hint to look, which is lost while nobody listens.
public struct PostgresNotification: Sendable, Hashable {
    /// The channel.
    public let channel: String
    /// The payload, at most 8000 bytes; empty when none was given.
    public let payload: String
    /// The process id of the sender's session.
    public let processID: Int32
}
