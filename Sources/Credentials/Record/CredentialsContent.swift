/// All fields of a record of credentials except the signatures and the encrypted question texts.
public struct CredentialsContent: Sendable, Hashable {
    /// What entitled somebody to set these credentials.
    public enum Authority: Sendable, Hashable {
        /// The first credentials of a user.
        case initial
        /// By the replaced user key, over ``CredentialsContent/changeMessage``.
        case changed(Signature)
        /// The hashes of two approval events, 32 bytes each, different.
        case recovered([UInt8], [UInt8])
    }

    /// 1 for the first record of a user, then one more each time.
    public let generation: UInt32
    /// The hash of the previous record, 32 bytes; zeros in the first.
    public let previousHash: [UInt8]
    /// What entitled somebody to set these credentials.
    public let authority: Authority
    /// Where the credentials were made.
    public let mode: CredentialMode
    /// The context and the copies.
    public let sealed: SealedCredentials
    /// The commitments to the five question texts, in the order of the question ids.
    public let commitments: [Commitment]

    init(
        generation: UInt32, previousHash: [UInt8], authority: Authority, mode: CredentialMode,
        sealed: SealedCredentials, commitments: [Commitment]
    ) throws(CredentialsError) {
        let isFirst = authority == .initial
        guard commitments.count == 5, previousHash.count == 32, generation >= 1, isFirst == (generation == 1),
            isFirst == previousHash.allSatisfy({ $0 == 0 }),
            mode == .blind || !sealed.context.flags.contains(.blindOnly)
        else { throw CredentialsError(.recordInvalid) }
        if case .recovered(let first, let second) = authority {
            guard first.count == 32, second.count == 32, first != second else {
                throw CredentialsError(.recordInvalid)
            }
        }
        self.generation = generation
        self.previousHash = previousHash
        self.authority = authority
        self.mode = mode
        self.sealed = sealed
        self.commitments = commitments
    }

    /// Makes the content of a new record, and lets the replaced key sign when that is the authority.
    init(
        previous: PreviousCredentials?, authority: SetUpAuthority, mode: CredentialMode, sealed: SealedCredentials,
        commitments: [Commitment]
    ) throws(CredentialsError) {
        func make(_ authority: Authority) throws(CredentialsError) -> CredentialsContent {
            try CredentialsContent(
                generation: (previous?.generation ?? 0) &+ 1,
                previousHash: previous?.hash ?? [UInt8](repeating: 0, count: 32), authority: authority, mode: mode,
                sealed: sealed, commitments: commitments)
        }
        switch authority {
        case .initial: self = try make(.initial)
        case .recovered(let first, let second): self = try make(.recovered(first, second))
        case .changed(let oldKey):
            guard oldKey.publicKey == previous?.userPublicKey else { throw CredentialsError(.recordInvalid) }
            // The message leaves the signature out, so a blank one stands in while it is made.
            let blank = try make(.changed(try Signature(raw: [UInt8](repeating: 0, count: 64))))
            self = try make(.changed(try oldKey.sign(blank.changeMessage)))
        }
    }

    /// What user key and device key sign: `tenure/v1/credentials-set`, newline, all fields but the encrypted texts.
    public var signedMessage: [UInt8] { SignatureTag.credentialsSet.line + encoded() }

    /// What the replaced user key signs: `tenure/v1/credentials-change`, newline, the same fields with the authority's
    /// kind but without its signature.
    public var changeMessage: [UInt8] {
        SignatureTag.credentialsChange.line + encoded(withAuthoritySignature: false)
    }
}
