/// A statement that a key signed.
public struct SignedStatement: Sendable, Hashable {
    /// The key that signed.
    public let key: PublicKeyBytes
    /// The exact bytes that were signed, tag included.
    public let statement: [UInt8]
    /// The signature over them.
    public let signature: SignatureBytes

    /// Makes a signed statement; the signature is verified where there is a curve.
    public init(key: PublicKeyBytes, statement: [UInt8], signature: SignatureBytes) {
        self.key = key
        self.statement = statement
        self.signature = signature
    }
}

/// Who decided: the member `by` of an event.
public enum Authority: Sendable, Hashable {
    /// Nobody: the first account of a company needs no one.
    case founding
    /// The tenant's policy.
    case policy
    /// An app, by one of its secrets.
    case app(AppID, secret: SecretID, SignedStatement?)
    /// An employee; without a statement where a session is enough.
    case employee(EmployeeID, SignedStatement?)
    /// Whoever operates the service, on its command line.
    case `operator`
}
