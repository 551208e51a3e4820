public import Canonical

/// A decision that somebody with authority signs: a tag line and canonical JSON of random ids, keys, hashes and codes.
///
/// A statement holds no personal text, so that erasing a person leaves every signature verifiable.
public protocol Statement: Sendable, Hashable {
    /// The tags under which this kind is written, one per meaning.
    static var tags: [SignatureTag] { get }
    /// The tag of this statement.
    var tag: SignatureTag { get }
    /// Who decides, on which view of the ledger, until when.
    var context: StatementContext { get }
    /// The members beside those of the context.
    var members: [String: JSONValue] { get }
    /// Reads the members beside those of the context; the caller refuses what is left.
    init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws
    /// Throws ``CredentialsError/Code/statementInvalid`` with the name of the first member out of range.
    func check() throws(CredentialsError)
}

/// The greatest size of a statement in bytes.
public let maximumStatementByteCount = 4_096

extension Statement {
    /// The exact bytes to sign: tag, newline, canonical JSON (RFC 8785).
    public var bytes: [UInt8] {
        let all = members.merging(context.members) { own, _ in own }
        return tag.line + JSONValue.object(all).canonicalBytes()
    }

    /// Reads a statement that somebody asks to have signed or verified.
    ///
    /// - Parameters:
    ///   - bytes: The exact bytes.
    ///   - tag: The tag that the reader means; another is refused even when it is well formed.
    /// - Throws: ``CredentialsError/Code/unexpectedTag`` or ``CredentialsError/Code/statementInvalid``.
    public init(parsing bytes: [UInt8], expecting tag: SignatureTag) throws(CredentialsError) {
        guard Self.tags.contains(tag) else { throw CredentialsError(.unexpectedTag) }
        guard bytes.count <= maximumStatementByteCount else { throw CredentialsError(.statementInvalid) }
        let content = try tag.content(of: bytes)
        do {
            var reader = try ObjectReader(try CanonicalJSON.parse(content))
            let context = try StatementContext(members: &reader)
            try self.init(tag: tag, context: context, members: &reader)
            try reader.finish()
        } catch let error as CredentialsError where error.code == .statementInvalid {
            throw error
        } catch {
            throw CredentialsError(.statementInvalid)
        }
        try check()
        // What was read must be written again to the byte, so that the fields shown are the fields signed.
        guard self.bytes == bytes else { throw CredentialsError(.statementInvalid) }
    }

    /// Verifies a signature by the key that the statement names as its signer.
    ///
    /// Whether that key has the authority is another question, answered by the event the context names.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid``.
    public func verify(_ signature: Signature) throws(CredentialsError) {
        try context.signer.verify(signature, over: bytes)
    }

    /// Verifies a signature that came in raw or DER and returns the raw form to store.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid``.
    public func verify(proof: [UInt8]) throws(CredentialsError) -> Signature {
        try KeyProof.verify(proof, over: bytes, by: context.signer)
    }
}
