public import Canonical

/// The body of `POST /v1/…/{flow}/evaluations`.
///
/// At set-up it holds the elements of all copies: ten subsets, the passphrase, or both. Otherwise it holds either one
/// element, which charges an attempt, or the other nine elements of the attempt charged last.
public struct EvaluationsRequest: Sendable, Equatable, RequestObject {
    /// The blinded elements.
    public var elements: [Element]

    /// Describes a list of blinded elements.
    public init(elements: [Element]) { self.elements = elements }

    /// The members on the wire.
    public static let members = WireMembers<EvaluationsRequest>(
        "EvaluationsRequest", EvaluationsRequest.init, Member("elements", \.elements, .list()))

    /// One blinded element.
    public struct Element: Sendable, Equatable, RequestObject {
        /// The copy that the element is for: 0 (questions 1, 2, 3) to 9 (3, 4, 5), or 255 for the passphrase.
        public var slot: Int64
        /// The compressed P-384 point, 49 bytes; padded base64 on the wire.
        public var element: [UInt8]

        /// Pairs an element with its copy.
        public init(slot: Int64, element: [UInt8]) {
            self.slot = slot
            self.element = element
        }

        /// The members on the wire.
        public static let members = WireMembers<Element>(
            "EvaluationsRequest.Element", Element.init, Member("slot", \.slot, .number()),
            Member("element", \.element, .base64))
    }
}

/// The response to `POST /v1/…/{flow}/evaluations`.
public struct EvaluationsResponse: Sendable, Equatable, ResponseObject {
    /// One evaluation for each element, in the order of the request.
    public var evaluations: [Evaluation]

    package init(evaluations: [Evaluation]) { self.evaluations = evaluations }

    /// The members on the wire.
    public static let members = WireMembers<EvaluationsResponse>(
        "EvaluationsResponse", EvaluationsResponse.init, Member("evaluations", \.evaluations, .list()))

    /// One evaluated element.
    public struct Evaluation: Sendable, Equatable, ResponseObject {
        /// The copy that the evaluation is for.
        public var slot: Int64
        /// The evaluated element (49 bytes) ‖ c (48 bytes) ‖ s (48 bytes).
        public var evaluation: [UInt8]
        /// The sealed copy in that slot, 60 bytes; `nil` at set-up.
        public var sealedCopy: [UInt8]?

        package init(slot: Int64, evaluation: [UInt8], sealedCopy: [UInt8]? = nil) {
            self.slot = slot
            self.evaluation = evaluation
            self.sealedCopy = sealedCopy
        }

        /// The members on the wire.
        public static let members = WireMembers<Evaluation>(
            "EvaluationsResponse.Evaluation", Evaluation.init, Member("slot", \.slot, .number()),
            Member("evaluation", \.evaluation, .base64), Member(optional: "sealedCopy", \.sealedCopy, .base64))
    }
}

/// The data that a client needs to open a credential in blind mode.
public struct OpeningResponse: Sendable, Equatable, ResponseObject {
    /// The opening context, 240 or 289 bytes; padded base64 on the wire.
    public var context: [UInt8]
    /// The hash of the credential's record, 32 bytes.
    public var recordHash: [UInt8]

    package init(context: [UInt8], recordHash: [UInt8]) {
        self.context = context
        self.recordHash = recordHash
    }

    /// The members on the wire.
    public static let members = WireMembers<OpeningResponse>(
        "OpeningResponse", OpeningResponse.init, Member("context", \.context, .base64),
        Member("recordHash", \.recordHash, .base64))
}

/// The body of `POST /v1/…/{flow}/proof`.
public struct ProofRequest: Sendable, Equatable, RequestObject {
    /// The user key's signature over `tenure/v1/validation`, newline and the challenge that the device signed, DER or
    /// 64 raw bytes; padded base64 on the wire.
    public var userSignature: [UInt8]
    /// The new credentials, at set-up.
    public var credentials: Credentials?

    /// Describes a proof.
    public init(userSignature: [UInt8], credentials: Credentials? = nil) {
        self.userSignature = userSignature
        self.credentials = credentials
    }

    /// The members on the wire.
    public static let members = WireMembers<ProofRequest>(
        "ProofRequest", ProofRequest.init, Member("userSignature", \.userSignature, .base64),
        .credentials(\.credentials))

    /// New credentials that a client built.
    public struct Credentials: Sendable, Equatable {
        /// The bytes of the record, without encrypted texts.
        public var record: [UInt8]
        /// The five questions in the order of the record.
        public var questions: [Question]

        /// Describes new credentials.
        public init(record: [UInt8], questions: [Question]) {
            self.record = record
            self.questions = questions
        }
    }

    /// A question, and the salt of the record's commitment to the question.
    public struct Question: Sendable, Equatable, RequestObject {
        /// The question in the form that the record commits to.
        public var choice: QuestionChoice
        /// 32 random bytes; padded base64 on the wire.
        public var salt: [UInt8]

        /// Pairs a question with its salt.
        public init(_ choice: QuestionChoice, salt: [UInt8]) {
            self.choice = choice
            self.salt = salt
        }

        /// Pairs a text that the record commits to with the salt of the commitment.
        public init(question: String, salt: [UInt8]) { self.init(.text(question), salt: salt) }

        /// The members on the wire.
        public static let members = WireMembers<Question>(
            "ProofRequest.Question", Question.init(_:salt:), .choice(\.choice), Member("salt", \.salt, .base64))
    }
}

extension Member<ProofRequest, Void, ProofRequest.Credentials?> {
    /// A record and its questions, or neither.
    fileprivate static func credentials(_ get: @escaping @Sendable (Object) -> Value) -> Member {
        let record = MemberDescription(optional: "record", .string(format: "byte"))
        let questions = MemberDescription(
            optional: "questions", .array(.object(name: ProofRequest.Question.members.name), count: 0...Int.max))
        return Member(together: [record, questions], get) { (reader) throws(JSONError) in
            let record = try reader.optionalBase64("record")
            let questions: [ProofRequest.Question]? = try reader.optionalWire("questions")
            switch (record, questions) {
            case (nil, nil): return nil
            case (let record?, let questions?): return Value(.init(record: record, questions: questions))
            case (nil, _): throw reader.invalid("record", "questions need a record")
            case (_, nil): throw reader.invalid("questions", "a record needs questions")
            }
        } write: { credentials in
            guard let credentials else { return [:] }
            return ["record": .base64(credentials.record), "questions": credentials.questions.json]
        }
    }
}
