/// The names of the header fields that are this API's own.
public enum HeaderName {
    /// The id of a request, in and out: `[A-Za-z0-9._-]{1,64}`.
    public static let requestId = "X-Request-Id"
    /// Makes a POST safe to send again: 1 to 255 visible ASCII characters.
    public static let idempotencyKey = "Idempotency-Key"
    /// The position that the call appended at in that company's ledger.
    public static let position = "Tenure-Position"
    /// The position that the views of a read must have reached.
    public static let waitFor = "Tenure-Wait-For"
}
