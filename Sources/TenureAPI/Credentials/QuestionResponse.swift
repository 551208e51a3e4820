public import Canonical

/// The response to `GET /v1/questions`: the published list in one language.
public struct QuestionListResponse: Sendable, Equatable, ResponseObject {
    /// The version of the list.
    public var version: Int64
    /// The language of the texts, for example `en`.
    public var locale: String
    /// The languages in which the list is available.
    public var locales: [String]
    /// The questions in the order of their numbers.
    public var items: [Item]

    package init(version: Int64, locale: String, locales: [String], items: [Item]) {
        self.version = version
        self.locale = locale
        self.locales = locales
        self.items = items
    }

    /// The members on the wire.
    public static let members = WireMembers<QuestionListResponse>(
        "QuestionListResponse", QuestionListResponse.init, Member("version", \.version, .number()),
        Member("locale", \.locale), Member("locales", \.locales, .list()), Member("items", \.items, .list()))

    /// A question of the list.
    public struct Item: Sendable, Equatable, ResponseObject {
        /// The number, counted from 1.
        public var number: Int64
        /// The text.
        public var question: String

        package init(number: Int64, question: String) {
            self.number = number
            self.question = question
        }

        /// The members on the wire.
        public static let members = WireMembers<Item>(
            "QuestionListResponse.Item", Item.init, Member("number", \.number, .number()),
            Member("question", \.question))
    }
}

/// A question as the service shows it to the user.
public struct QuestionResponse: Sendable, Equatable, ResponseObject {
    /// Sixteen random bytes, unpadded base64url.
    public var questionId: String
    /// The text. A listed question is in the language of the request, any other as the user entered it.
    public var question: String
    /// The number of a listed question, or `nil` for a question that the user wrote.
    public var number: Int64?
    /// The version of the published list that contains the question, or `nil` for a question that the user wrote.
    public var version: Int64?

    package init(questionId: String, question: String, number: Int64? = nil, version: Int64? = nil) {
        self.questionId = questionId
        self.question = question
        self.number = number
        self.version = version
    }

    /// The members on the wire.
    public static let members = WireMembers<QuestionResponse>(
        "QuestionResponse", QuestionResponse.init, Member("questionId", \.questionId), Member("question", \.question),
        Member(optional: "number", \.number, .number()), Member(optional: "version", \.version, .number()))
}

/// A user's choice of a question at set-up: a text, or a number in the published list.
public enum QuestionChoice: Sendable, Hashable {
    /// A text. A text that equals a listed question in any language counts as that question.
    case text(String)
    /// A question of the published list. The current version of the list if `version` is `nil`.
    case listed(number: Int64, version: Int64? = nil)

    /// Reads either `question`, or `number` with an optional `version`.
    init(_ reader: inout ObjectReader) throws(JSONError) {
        let number = try reader.optionalInteger("number"), version = try reader.optionalInteger("version")
        guard let number else {
            guard version == nil else { throw reader.invalid("version", "a version needs a number") }
            self = .text(try reader.string("question"))
            return
        }
        guard reader.optionalValue("question") == nil else {
            throw reader.invalid("question", "either a text or a number is expected")
        }
        self = .listed(number: number, version: version)
    }

    /// The JSON members that name the question.
    var members: [String: JSONValue] {
        switch self {
        case .text(let text): ["question": .string(text)]
        case .listed(let number, nil): ["number": .integer(number)]
        case .listed(let number, let version?): ["number": .integer(number), "version": .integer(version)]
        }
    }
}

extension Member where Value == QuestionChoice {
    /// A question by its text, or by its number in the published list.
    static func choice(_ get: @escaping @Sendable (Object) -> Value) -> Member {
        let number = ValueDescription.integer(JSONValue.integerRange)
        let members = [
            MemberDescription(optional: "question", .string(format: "text")),
            MemberDescription(optional: "number", number), MemberDescription(optional: "version", number),
        ]
        return Member(together: members, get) { (reader) throws(JSONError) in
            try QuestionChoice(&reader)
        } write: { choice in
            choice.members
        }
    }
}
