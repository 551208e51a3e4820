import Canonical
import Credentials
import Crypto
import Foundation
import Testing

/// Somebody with an account: what they call themselves and what they know.
///
/// Everything a person knows is random, so that it can be looked for afterwards.
struct Person: Sendable {
    var company: String
    var id: String
    var email: String
    var isCompanyOwnedEmail = false
    var questions: [(question: String, answer: String)]
    var passphrase: String?
    var questionsWithPassphrase: Bool?

    /// Somebody with a passphrase and five questions; cheap to register, because ten copies need not be sealed.
    init(_ id: String, at company: String, email: String? = nil) {
        self.company = company
        self.id = id
        self.email = email ?? "\(Person.word())@mail.example"
        questions = QuestionList.current.suggestions().map {
            ($0.text(in: .english), "\(Person.word()) \(Person.word())")
        }
        passphrase = "Correct \(Person.word()) horse \(Person.word())"
    }

    /// Somebody with five questions and no passphrase.
    static func withQuestions(_ id: String, at company: String, email: String? = nil) -> Person {
        var person = Person(id, at: company, email: email)
        person.passphrase = nil
        return person
    }

    /// The same person with questions of their own, for an app that allows them.
    func withOwnQuestions() -> Person {
        var person = self
        for place in person.questions.indices { person.questions[place].question = "\(Person.word()) (own)?" }
        return person
    }

    /// The same human as an employee of another company, or under another id.
    func also(_ id: String, at company: String) -> Person {
        var person = self
        person.id = id
        person.company = company
        person.isCompanyOwnedEmail = false
        return person
    }

    /// The body that starts a registration.
    func registration(_ device: Device) -> JSONValue {
        [
            "companyName": .string(company), "companyEmployeeId": .string(id), "email": .string(email),
            "isCompanyOwnedEmail": .bool(isCompanyOwnedEmail), "employeePublicKey": .string(device.publicKey),
        ]
    }

    /// The body that starts a login.
    func login(_ device: Device) -> JSONValue {
        [
            "companyName": .string(company), "companyEmployeeId": .string(id),
            "employeePublicKey": .string(device.publicKey),
        ]
    }

    /// The body that sets credentials.
    var credentials: JSONValue {
        .objectOmittingNil([
            "securityQuestions": .array(
                questions.map { ["question": .string($0.question), "answer": .string($0.answer)] }),
            "passphrase": passphrase.map(JSONValue.string),
            "questionsWithPassphrase": questionsWithPassphrase.map(JSONValue.bool),
        ])
    }

    /// The body with answers to the questions that were shown; `change` may spoil an answer by its place.
    func answers(
        to shown: [JSONValue], change: (Int, String) -> String = { _, answer in answer }
    ) -> JSONValue {
        let items = shown.enumerated().map { place, item -> JSONValue in
            let known = questions.first { $0.question == item["question"]?.text }?.answer ?? "unknown question"
            return ["questionId": item["questionId"] ?? .null, "answer": .string(change(place, known))]
        }
        return ["answers": .array(items)]
    }

    /// Twelve random lower-case letters: never part of another text by accident, and no digits to be confused with hex.
    static func word() -> String {
        String((0..<12).map { _ in "bcdfghjklmnpqrstvwxz".randomElement() ?? "x" })
    }
}

/// A device with its own key pair.
struct Device: Sendable {
    /// The form in which a signature is handed in.
    enum Form: Sendable, CaseIterable {
        case der
        case raw
    }

    private let privateKey = P256.Signing.PrivateKey()

    /// The 65-byte X9.63 point.
    var point: [UInt8] { Array(privateKey.publicKey.x963Representation) }
    /// The point as it goes over the wire.
    var publicKey: String { Base64.encode(point) }
    /// Lower-case hex SHA-256 of the point.
    var fingerprint: String { Hex.encode(Array(SHA256.hash(data: point))) }

    /// A signature over bytes, in base64.
    func sign(_ bytes: [UInt8], _ form: Form = .der) throws -> String {
        let signature = try privateKey.signature(for: bytes)
        return Base64.encode(Array(form == .der ? signature.derRepresentation : signature.rawRepresentation))
    }

    /// A signature over the decoded bytes of a challenge or a statement.
    func sign(base64 text: String?, _ form: Form = .der) throws -> String {
        try sign(try bytes(base64: text), form)
    }
}
