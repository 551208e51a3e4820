import Text

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Three to five answers to a credential's questions in canonical form, checked before anything is charged.
public struct SuppliedAnswers: Sendable, Redacted {
    /// The longest answer in bytes of UTF-8, before and after canonicalisation.
    public static let maximumByteCount = 256
    /// The fewest answers that can open a copy.
    public static let minimumCount = 3

    /// The answers by the position of their question in the record, 0 to 4.
    let byPosition: [Int: SecretBytes]

    /// Canonicalises and checks answers.
    ///
    /// An answer that is empty after canonicalisation counts as not supplied.
    ///
    /// - Parameters:
    ///   - answers: The answers in any order, each with the id of its question.
    ///   - questionIds: The five ids of the credential, real or decoy, in the record's order.
    /// - Throws: ``CredentialsError/Code/questionTwice``, ``CredentialsError/Code/questionUnknown``,
    ///   ``CredentialsError/Code/tooLong``, ``CredentialsError/Code/textInvalid``,
    ///   ``CredentialsError/Code/atLeastThreeAnswersRequired``.
    public init(
        _ answers: [(questionId: UUID, answer: String)], questionIds: [UUID]
    ) throws(CredentialsError) {
        var seen: Set<UUID> = []
        for item in answers where !seen.insert(item.questionId).inserted {
            throw CredentialsError(.questionTwice)
        }
        var byPosition: [Int: SecretBytes] = [:]
        for item in answers {
            guard let position = questionIds.firstIndex(of: item.questionId) else {
                throw CredentialsError(.questionUnknown)
            }
            do {
                byPosition[position] = SecretBytes(
                    try TextRule.foldedText.secretBytes(of: item.answer, maximumBytes: Self.maximumByteCount))
            } catch {
                guard error.code == .incomplete else { throw error }
            }
        }
        guard byPosition.count >= Self.minimumCount else { throw CredentialsError(.atLeastThreeAnswersRequired) }
        self.byPosition = byPosition
    }

    /// How many answers there are, 3 to 5: the number of attempts is 1, 4 or 10.
    public var count: Int { byPosition.count }

    /// The inputs of all subsets that these answers cover, in the frozen order.
    func inputs(_ context: OpeningContext) -> [VOPRFInput] {
        AnswerSubset.within(Set(byPosition.keys)).map { subset in
            VOPRFInput(
                credentialId: context.credentialId, subset: subset,
                answers: subset.positions.compactMap { position in
                    byPosition[position].map { (context.questionIds[position], $0.bytes) }
                })
        }
    }
}
