/// A context and its sealed copies: all that opening needs beside the secrets and the seed, for real people and decoys.
public struct SealedCredentials: Sendable, Hashable {
    /// What the copies are bound to.
    public let context: OpeningContext
    /// Ten copies of 60 bytes in the frozen order of subsets, or none when the answers do not open the credential.
    public let answerCopies: [[UInt8]]
    /// The copy under the passphrase, 60 bytes, when there is one.
    public let passphraseCopy: [UInt8]?

    init(
        context: OpeningContext, answerCopies: [[UInt8]], passphraseCopy: [UInt8]?
    ) throws(CredentialsError) {
        guard answerCopies.count == (context.acceptsAnswers ? AnswerSubset.all.count : 0),
            (passphraseCopy != nil) == context.acceptsPassphrase,
            (answerCopies + [passphraseCopy].compactMap { $0 }).allSatisfy({ $0.count == SealedCopy.byteCount })
        else { throw CredentialsError(.recordInvalid) }
        self.context = context
        self.answerCopies = answerCopies
        self.passphraseCopy = passphraseCopy
    }

    /// The context of a decoy whose copies nobody asked for; each is refused as not stored.
    init(withoutCopies context: OpeningContext) {
        self.context = context
        answerCopies = []
        passphraseCopy = nil
    }

    /// The copy in `slot`, 60 bytes: what a blind client is given with the evaluation for that slot.
    ///
    /// - Throws: ``CredentialsError/Code/notStored``.
    public func copy(in slot: CopySlot) throws(CredentialsError) -> [UInt8] {
        switch slot {
        case .answers(let subset):
            guard answerCopies.indices.contains(Int(subset.index)) else { throw CredentialsError(.notStored) }
            return answerCopies[Int(subset.index)]
        case .passphrase:
            guard let passphraseCopy else { throw CredentialsError(.notStored) }
            return passphraseCopy
        }
    }
}
