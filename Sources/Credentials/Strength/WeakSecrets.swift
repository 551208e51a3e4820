import Canonical
import Crypto
import Text

/// The rules for new answers and passphrases, shared by the service and the client library.
///
/// Secrets are compared in canonical form, so case and white space make no difference.
public enum WeakSecrets {
    /// Returns why an answer is weak, given the earlier answers.
    ///
    /// - Parameter earlier: The answers before it, in any form.
    /// - Returns: `nil` if it is not weak, or if the text is invalid, which another error reports.
    public static func reason(
        against answer: String, to question: Question, after earlier: [String] = []
    ) -> Weakness.Reason? {
        guard let canonical = folded(answer) else { return nil }
        if earlier.contains(where: { folded($0) == canonical }) { return .repeatedAnswer }
        if forbidden(by: question).contains(canonical) { return .partOfQuestion }
        return CommonAnswers.contain(canonical) ? .commonAnswer : nil
    }

    /// Returns why a passphrase is weak.
    ///
    /// - Returns: `nil` if it is not among the most common ones, or if the text is invalid, which another error
    ///   reports.
    public static func reason(against passphrase: String) -> Weakness.Reason? {
        guard let canonical = folded(passphrase, maximumBytes: Passphrase.maximumByteCount) else { return nil }
        return CommonPassphrases.contain(canonical) ? .commonPassphrase : nil
    }

    /// Returns all weaknesses of new credentials in the order of entry, at most one for each secret.
    public static func weaknesses(
        of questions: [(question: Question, answer: String)], passphrase: String?
    ) -> [Weakness] {
        var found: [Weakness] = []
        var earlier: [String] = []
        for (index, item) in questions.enumerated() {
            if let reason = reason(against: item.answer, to: item.question, after: earlier) {
                found.append(Weakness(place: .answer(index), reason: reason))
            }
            earlier.append(item.answer)
        }
        if let passphrase, let reason = reason(against: passphrase) {
            found.append(Weakness(place: .passphrase, reason: reason))
        }
        return found
    }

    /// Returns a question in every language and its words, in canonical form.
    private static func forbidden(by question: Question) -> Set<String> {
        var forbidden: Set<String> = []
        for text in question.texts.compactMap({ folded($0) }) {
            forbidden.insert(text)
            for part in text.split(separator: " ") { forbidden.insert(String(part)) }
            for word in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) { forbidden.insert(String(word)) }
        }
        return forbidden
    }

    /// Returns the canonical form, or `nil` for text that the rule refuses.
    static func folded(
        _ text: String, maximumBytes: Int = SuppliedAnswers.maximumByteCount
    ) -> String? {
        let bytes = try? TextRule.foldedText.secretBytes(of: text, maximumBytes: maximumBytes)
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The reason why a new answer or passphrase is refused, and where it was entered.
public struct Weakness: Sendable, Hashable {
    /// The reasons why a secret is weak.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// It equals an earlier answer.
        case repeatedAnswer
        /// It is its question, or a word of it, in a language of the list.
        case partOfQuestion
        /// It is in ``CommonAnswers``.
        case commonAnswer
        /// It is one of the 10,000 most common passphrases.
        case commonPassphrase
    }

    /// Where the weak secret was entered.
    public let place: EntryPlace
    /// The reason why it is weak.
    public let reason: Reason

    /// The problem and the remedy in words, without the secret.
    public var advice: String { reason.advice }
}

extension Weakness.Reason {
    /// The problem and the remedy in words, without the secret.
    public var advice: String {
        switch self {
        case .repeatedAnswer: "The answer is the same as an earlier one. Give a different answer to each question."
        case .partOfQuestion: "The answer is a word of its question. Give an answer that the question does not contain."
        case .commonAnswer: "The answer is one of the most common. Give an answer that few people would give."
        case .commonPassphrase:
            "The passphrase is one of the 10,000 most common. Choose another, for example four random words."
        }
    }
}

/// The answers that are refused because they are too common.
///
/// The list is deliberately short. It has the first names, places, colours, animals, brands and excuses that lead
/// published counts of security answers, in the languages of the list, and texts that are typed only to fill a field.
public enum CommonAnswers {
    /// The answers in canonical form.
    public static let all: Set<String> = Set(
        words.split { $0 == "," || $0.isNewline }.compactMap { WeakSecrets.folded(String($0)) })

    /// Whether the list contains an answer, which must be in canonical form.
    static func contain(_ canonical: String) -> Bool { all.contains(canonical) }

    private static let words = """
        none, no, yes, n/a, na, nothing, nobody, unknown, i don't know, dont know, don't know, idk, i forgot, forgot, test
        answer, secret, password, passwort, mot de passe, qwerty, azerty, qwertz, abc, abcd, abcdef, asdf, asdfgh, xxx, aaa
        1, 2, 3, 0, 12, 123, 1234, 12345, 123456, 1234567, 12345678, 123456789, 1111, 0000, 2000, x, a, b, c
        nein, ja, keine, keiner, nichts, niemand, unbekannt, weiß nicht, keine ahnung, geheim, antwort
        non, oui, aucun, aucune, rien, personne, inconnu, je ne sais pas, réponse
        red, blue, green, black, white, yellow, pink, purple, rot, blau, grün, schwarz, weiss, gelb, rouge, bleu, vert, noir
        pizza, pasta, chicken, steak, sushi, spaghetti, chocolate, ice cream, schnitzel, lasagne, pommes, frites, crêpes
        dog, cat, hund, katze, chien, chat, buddy, max, bella, charlie, lucky, rocky, princess, shadow, smokey, daisy, lucy
        molly, sam, jack, rex, bello, mimi, felix, minou, luna, simba, tiger, teddy, teddy bear, bear, teddybär, nounours
        london, paris, new york, new york city, los angeles, chicago, houston, berlin, hamburg, münchen, munich, köln
        wien, vienna, frankfurt, marseille, lyon, toulouse, rome, madrid, seoul, tokyo, mumbai, delhi
        smith, johnson, williams, brown, jones, miller, davis, garcia, lee, kim, müller, schmidt, schneider, fischer, weber
        martin, bernard, dubois, thomas, robert, petit, durand
        john, james, michael, david, mary, maria, marie, anna, anne, elizabeth, ann, lynn, lee ann, jean, pierre, peter, hans
        ford, toyota, honda, chevrolet, chevy, bmw, audi, mercedes, volkswagen, vw, vw golf, golf, opel, renault, peugeot
        citroën, fiat, nissan, nokia, samsung, apple, iphone
        main street, main st, hauptstraße, rue de la paix, high school, elementary school, primary school, grundschule
        home, school, work, church, hospital, beach, online, mom, dad, mother, father, mama, papa, mutter, vater, maman
        god, jesus, superman, batman, spiderman, messi, ronaldo, michael jackson, the beatles, beatles, star wars, titanic
        bible, the bible, harry potter, teacher, doctor, lehrer, arzt, football, soccer, fußball, basketball, baseball
        """
}

/// The 10,000 most common passphrases of at least eight characters, as a sorted table of digests.
///
/// `scripts/passphrases/generate.py` describes and generates the table.
enum CommonPassphrases {
    static let count = 10_000

    /// Whether the table contains a passphrase, which must be in canonical form.
    static func contain(_ canonical: String) -> Bool {
        let digest = SHA256.hash(data: Tag.commonPassphrase + Array(canonical.utf8))
        let wanted = digest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        var (low, high) = (0, digests.count)
        while low < high {
            let middle = (low + high) / 2
            if digests[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return low < digests.count && digests[low] == wanted
    }

    /// The digests in ascending order.
    static let digests: [UInt32] = {
        var text = EmbeddedLists.lines(of: "Strength/common-passphrases-10000.txt").joined()
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let bytes = Base64.decode(text) ?? []
        return stride(from: 0, to: bytes.count - bytes.count % 4, by: 4).map { start in
            bytes[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
    }()
}
