/// Credentials that were just made: the record but for the device's signature, and what is kept beside it.
public struct NewCredentials: Sendable, Redacted {
    /// The new user key, to sign the flow's challenge with; it is dropped after that.
    public let userKey: UserKey
    /// The record's content.
    public let content: CredentialsContent
    /// By the new user key over ``deviceMessage``.
    public let selfSignature: Signature
    /// The five questions in the record's order: ``QuestionText/plaintext`` is sealed under the person's key.
    public let questions: [QuestionText]

    init(
        _ setUp: CredentialSetUp, outputs: [(CopySlot, SecretBytes)], authority: SetUpAuthority, random: Randomness
    ) throws(CredentialsError) {
        let plan = setUp.plan
        let userKey = try UserKey.generate(random)
        let context = try OpeningContext(
            credentialId: plan.credentialId, userId: plan.userId, userPublicKey: userKey.publicKey,
            oprfAnswers: plan.oprfAnswers, oprfPassphrase: setUp.passphrase == nil ? nil : plan.oprfPassphrase,
            kdf: plan.kdf, rules: .version1, flags: setUp.flags, questionIds: setUp.questionIds)
        var answerCopies: [[UInt8]] = []
        var passphraseCopy: [UInt8]?
        for (slot, output) in outputs {
            let copy = try SealedCopy.seal(userKey, under: output, slot: slot, context: context, random: random)
            switch slot {
            case .answers: answerCopies.append(copy)
            case .passphrase: passphraseCopy = copy
            }
        }
        content = try CredentialsContent(
            previous: plan.previous, authority: authority, mode: plan.mode,
            sealed: try SealedCredentials(
                context: context, answerCopies: answerCopies, passphraseCopy: passphraseCopy),
            commitments: setUp.questions.map(\.commitment))
        self.userKey = userKey
        selfSignature = try userKey.sign(content.signedMessage)
        questions = setUp.questions
    }

    /// The bytes that the device signs in blind mode: tag line and content.
    public var deviceMessage: [UInt8] { content.signedMessage }

    /// The finished record.
    ///
    /// - Parameters:
    ///   - deviceSignature: The device's signature over ``deviceMessage``, raw or DER; required in blind mode. In
    ///     direct mode the device never sees the record and has signed the flow's challenge instead.
    ///   - employeeKey: The device's key.
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` or ``CredentialsError/Code/recordInvalid``.
    public func record(
        deviceSignature: [UInt8]?, employeeKey: EmployeePublicKey
    ) throws(CredentialsError) -> CredentialsRecord {
        var signature: Signature?
        if let deviceSignature {
            signature = try KeyProof.verify(deviceSignature, over: deviceMessage, by: employeeKey)
        }
        return try CredentialsRecord(content: content, selfSignature: selfSignature, deviceSignature: signature)
    }
}
