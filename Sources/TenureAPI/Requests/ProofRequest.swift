public import Canonical

/// The body of `POST /v1/…/{flow}/proof`.
public struct ProofRequest: Sendable, Equatable, JSONConvertible {
    /// The user key's signature over `tenure/v1/validation`, newline and the challenge that the device signed, DER or 64
    /// raw bytes; padded base64 on the wire.
    public var userSignature: [UInt8]
    /// New credentials, at set-up.
    public var credentials: Credentials?

    /// Describes a proof.
    public init(userSignature: [UInt8], credentials: Credentials? = nil) {
        self.userSignature = userSignature
        self.credentials = credentials
    }

    /// Reads a request; unknown members are refused, and so is a record without questions or the other way round.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        userSignature = try reader.base64("userSignature")
        let record = try reader.optionalBase64("record")
        let questions: [Question]? = try reader.optionalWire("questions")
        switch (record, questions) {
        case (nil, nil): credentials = nil
        case (let record?, let questions?): credentials = Credentials(record: record, questions: questions)
        case (nil, _): throw reader.invalid("record", "a record is expected beside questions")
        case (_, nil): throw reader.invalid("questions", "questions are expected beside a record")
        }
        try reader.finish()
    }

    /// The body.
    public var json: JSONValue {
        .objectOmittingNil([
            "userSignature": .base64(userSignature), "record": credentials.map { .base64($0.record) },
            "questions": credentials?.questions.json,
        ])
    }

    /// New credentials as a client made them.
    public struct Credentials: Sendable, Equatable {
        /// The record's bytes without encrypted texts.
        public var record: [UInt8]
        /// The five questions in the record's order.
        public var questions: [Question]

        /// Describes new credentials.
        public init(record: [UInt8], questions: [Question]) {
            self.record = record
            self.questions = questions
        }
    }

    /// A question and the salt of the record's commitment to it.
    public struct Question: Sendable, Equatable, JSONConvertible {
        /// The text as entered.
        public var question: String
        /// 32 random bytes; padded base64 on the wire.
        public var salt: [UInt8]

        /// Pairs a text with its salt.
        public init(question: String, salt: [UInt8]) {
            self.question = question
            self.salt = salt
        }

        /// Reads a question; unknown members are refused.
        public init(json: JSONValue, at pointer: String) throws(JSONError) {
            var reader = try ObjectReader(json, at: pointer)
            question = try reader.string("question")
            salt = try reader.base64("salt")
            try reader.finish()
        }

        /// The question.
        public var json: JSONValue { ["question": .string(question), "salt": .base64(salt)] }
    }
}
