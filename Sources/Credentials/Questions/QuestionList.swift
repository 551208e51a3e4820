import Text

/// One version of the published list of security questions.
///
/// Employees choose from the list, and decoys draw from it, so that the questions shown for a name do not reveal
/// whether the employee exists. A version never changes, because its texts, order and weights decide what decoys show.
///
/// ```swift
/// for question in QuestionList.current.questions {
///     print(question.number, question.text(in: .german))
/// }
/// ```
public struct QuestionList: Sendable {
    /// A question in every language, with the weight by which it is drawn.
    struct Entry: Sendable, Hashable {
        let weight: UInt64
        let en: String
        let de: String
        let fr: String
    }

    /// The version, counted from 1.
    public let version: Int
    /// The questions in the order of their numbers.
    public let questions: [ListedQuestion]

    /// Version 1: 48 questions. Texts, order and weights are frozen; a test compares their hash.
    ///
    /// The weights are an estimate of how often users choose a question, not a measurement.
    static let version1 = QuestionList(version: 1)

    /// Reads the file of a version: for each question a line with its weight and its texts in English, German and
    /// French, separated by tabs.
    private init(version: Int) {
        self.version = version
        let entries = EmbeddedLists.lines(of: "Questions/questions-\(version).tsv").compactMap { line -> Entry? in
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count == 4, let weight = UInt64(fields[0]) else { return nil }
            return Entry(weight: weight, en: fields[1], de: fields[2], fr: fields[3])
        }
        questions = zip(1..., entries).map { ListedQuestion(version: version, number: $0, entry: $1) }
    }

    /// The version that set-ups choose from and decoys draw from.
    public static let current = version1

    /// Returns the list of a version, or `nil` if there is none.
    public static func of(version: Int) -> QuestionList? { version == version1.version ? version1 : nil }

    /// Draws different questions by their weights, as suggestions in prompts. The distribution is that of decoys.
    public func suggestions(_ count: Int = 5, random: Randomness = .system) -> [ListedQuestion] {
        draw(count, by: random.bytes(count * 8))
    }

    /// Draws `count` different questions. Each takes a 64-bit big-endian number modulo the remaining weight.
    func draw(_ count: Int, by bytes: [UInt8]) -> [ListedQuestion] {
        var left = questions
        return (0..<min(count, left.count)).map { index in
            let number = bytes[(index * 8)..<(index * 8 + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            var rest = number % left.reduce(0) { $0 + $1.entry.weight }
            var place = 0
            while rest >= left[place].entry.weight {
                rest -= left[place].entry.weight
                place += 1
            }
            return left.remove(at: place)
        }
    }
}

/// A question of the published list.
public struct ListedQuestion: Sendable, Hashable {
    /// The version of the list.
    public let version: Int
    /// The number in the list, counted from 1.
    public let number: Int
    let entry: QuestionList.Entry

    init(version: Int, number: Int, entry: QuestionList.Entry) {
        self.version = version
        self.number = number
        self.entry = entry
    }

    /// The question with a number.
    ///
    /// - Parameter version: The list's version, or `nil` for the current one.
    /// - Returns: `nil` if there is no such version or number.
    public init?(number: Int, version: Int? = nil) {
        guard let list = QuestionList.of(version: version ?? QuestionList.current.version),
            (1...list.questions.count).contains(number)
        else { return nil }
        self = list.questions[number - 1]
    }

    /// The text in one language.
    public func text(in locale: QuestionLocale) -> String {
        switch locale {
        case .english: entry.en
        case .german: entry.de
        case .french: entry.fr
        }
    }
}

/// A security question: one of the published list, or a text of the user's own.
public enum Question: Sendable, Hashable {
    /// A question of the published list.
    case listed(ListedQuestion)
    /// A text of the user's own.
    case own(String)

    /// The question with a text.
    ///
    /// A text that equals a listed one in any language, after folding, becomes that listed question.
    public init(_ text: String) {
        let folded = try? TextRule.foldedText.secretBytes(of: text, maximumBytes: QuestionText.maximumByteCount)
        if let folded, let listed = Self.byText[folded] { self = .listed(listed) } else { self = .own(text) }
    }

    /// The listed question, or `nil` for a text of the user's own.
    public var listed: ListedQuestion? {
        if case .listed(let question) = self { question } else { nil }
    }

    /// Returns the text to show: of a listed question in `locale`, of the user's own question as entered.
    public func text(in locale: QuestionLocale) -> String {
        switch self {
        case .listed(let question): question.text(in: locale)
        case .own(let text): text
        }
    }

    /// The text in every language, or the user's own text.
    var texts: [String] {
        switch self {
        case .listed(let question): QuestionLocale.allCases.map { question.text(in: $0) }
        case .own(let text): [text]
        }
    }

    /// Every listed text in canonical form.
    private static let byText: [[UInt8]: ListedQuestion] = {
        var questions: [[UInt8]: ListedQuestion] = [:]
        for question in QuestionList.current.questions {
            for locale in QuestionLocale.allCases {
                let text = question.text(in: locale)
                let folded = try? TextRule.foldedText.secretBytes(
                    of: text, maximumBytes: QuestionText.maximumByteCount)
                if let folded { questions[folded] = question }
            }
        }
        return questions
    }()
}

/// A language in which listed questions are published.
public enum QuestionLocale: String, Sendable, Hashable, CaseIterable {
    case english = "en"
    case german = "de"
    case french = "fr"

    /// The language of a tag such as `de`, `de-AT` or `de_AT.UTF-8`. Returns `nil` if the list does not have it.
    public init?(tag: String) {
        let primary = tag.prefix { $0 != "-" && $0 != "_" && $0 != "." && $0 != "@" }
        self.init(rawValue: primary.lowercased())
    }

    /// The first language of `tags` that the list has, or English if it has none of them.
    public init(preferring tags: [String]) {
        self = tags.lazy.compactMap { QuestionLocale(tag: $0) }.first ?? .english
    }
}
