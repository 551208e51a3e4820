import Canonical
import Credentials
import Foundation
import Testing

/// The client's half of a flow in blind mode: what it sends, and what it makes of the replies.
struct BlindFlow: Sendable {
    let flow: Flow
    let device: Device
    /// The reply to the device's proof.
    let asked: HTTPReply

    /// Starts a flow and proves the device's key.
    static func start(_ kind: Flow.Kind, _ person: Person, _ device: Device, _ client: Client) async throws -> BlindFlow
    {
        let flow =
            switch kind {
            case .registrations: try await Flow.register(person, device, client)
            case .logins: try await Flow.logIn(person, device, client)
            case .changes: try await Flow.change(person, device, client)
            case .recoveries: try await Flow.recover(person, device, client)
            case .returns: try await Flow.comeBack(person, device, client)
            }
        return BlindFlow(flow: flow, device: device, asked: try await flow.prove(device))
    }

    /// Does whatever the service asked for as this person would; nil when no copy opened.
    func complete(_ person: Person, key: String? = nil) async throws -> HTTPReply? {
        if asked.outcome == "setCredentials" {
            return try await flow.step("proof", try await newCredentials(person), key: key)
        }
        let opening =
            asked.outcome == "validatePassphrase"
            ? try self.opening(passphrase: try #require(person.passphrase)) : try self.opening(answers: person)
        guard let userKey = try await open(opening) else { return nil }
        return try await flow.step("proof", try proof(by: userKey), key: key)
    }

    // MARK: Opening

    /// The context that the service told.
    var context: OpeningContext {
        get throws { try OpeningContext(bytes: try bytes(base64: asked["opening"]?["context"]?.text)) }
    }

    /// Answers to the questions that were shown; `change` may spoil an answer by its place.
    func opening(
        answers person: Person, change: (Int, String) -> String = { _, answer in answer }
    ) throws -> BlindOpening {
        let context = try context
        let body = person.answers(to: asked["questions"]?.items ?? [], change: change)
        let pairs = try (body["answers"]?.items ?? []).map { item in
            (
                questionId: try #require(UUID(bytes: try bytes(base64url: item["questionId"]?.text))),
                answer: item["answer"]?.text ?? ""
            )
        }
        return try BlindOpening(
            context: context, answers: try SuppliedAnswers(pairs, questionIds: context.questionIds))
    }

    func opening(passphrase: String) throws -> BlindOpening {
        try BlindOpening(context: try context, passphrase: try Passphrase(supplied: passphrase))
    }

    /// One subset first, the other nine when that does not open.
    func open(_ opening: BlindOpening) async throws -> UserKey? {
        let first = try opening.first()
        let reply = try await evaluate([(first.slot, first.element)])
        try #require(reply.status == 200, "\(reply)")
        if let key = try Self.opened([first], reply) { return key }
        let others = try opening.remaining()
        if others.isEmpty { return nil }
        let padding = try opening.padding().map { ($0.slot, $0.bytes) }
        let rest = try await evaluate(others.map { ($0.slot, $0.element) } + padding)
        try #require(rest.status == 200, "\(rest)")
        return try Self.opened(others, rest)
    }

    /// The call of `evaluations`.
    func evaluate(_ elements: [(slot: CopySlot, element: [UInt8])], key: String? = nil) async throws -> HTTPReply {
        try await flow.step("evaluations", Self.body(elements), key: key)
    }

    static func body(_ elements: [(slot: CopySlot, element: [UInt8])]) -> JSONValue {
        [
            "elements": .array(
                elements.map {
                    ["slot": .integer(Int64($0.slot.byte)), "element": .string(Base64.encode($0.element))]
                })
        ]
    }

    private static func opened(_ requests: [BlindedRequest], _ reply: HTTPReply) throws -> UserKey? {
        for (request, item) in zip(requests, reply["evaluations"]?.items ?? []) {
            try #require(item["slot"]?.number == Int64(request.slot.byte))
            let copy = try bytes(base64: item["sealedCopy"]?.text)
            let evaluation = try bytes(base64: item["evaluation"]?.text)
            if let key = try? request.open(evaluation: evaluation, copy: copy) { return key }
        }
        return nil
    }

    /// The body of `proof`: the user key's signature over the very challenge that the device signed.
    func proof(by userKey: UserKey) throws -> JSONValue {
        let challenge = try Challenge(parsing: try bytes(base64: flow.challenge))
        return ["userSignature": .string(Base64.encode(try userKey.sign(validationOf: challenge).bytes))]
    }

    // MARK: New credentials

    /// The plan that the service told.
    func plan(blindOnly: Bool = false) throws -> SetUpPlan {
        let told = try #require(asked["setUp"])
        func id(_ name: String) throws -> UUID { try #require(UUID(uuidString: told[name]?.text ?? "")) }
        return SetUpPlan(
            credentialId: try id("credentialId"), userId: try id("userId"), mode: .blind, blindOnly: blindOnly,
            oprfAnswers: try OPRFPublicKey(bytes: try bytes(base64: told["oprfAnswers"]?.text)),
            oprfPassphrase: try OPRFPublicKey(bytes: try bytes(base64: told["oprfPassphrase"]?.text)),
            kdf: try ScryptParameters(log2N: UInt8(try #require(told["kdf"]?["log2N"]?.number))))
    }

    /// What a person entered, checked as a client does.
    func setUp(_ person: Person, plan: SetUpPlan) throws -> CredentialSetUp {
        try CredentialSetUp(
            plan: plan, questions: person.questions.map { .init(question: $0.question, answer: $0.answer) },
            passphrase: person.passphrase, questionsWithPassphrase: person.questionsWithPassphrase ?? false)
    }

    /// Makes credentials with the service's evaluations.
    func make(_ person: Person, plan: SetUpPlan) async throws -> NewCredentials {
        let blinded = try setUp(person, plan: plan).blinded()
        let reply = try await evaluate(blinded.elements)
        try #require(reply.status == 200, "\(reply)")
        let evaluations = try (reply["evaluations"]?.items ?? []).map { try bytes(base64: $0["evaluation"]?.text) }
        return try blinded.complete(evaluations: evaluations)
    }

    /// The body of `proof` at set-up.
    func newCredentials(_ person: Person, blindOnly: Bool = false) async throws -> JSONValue {
        try body(try await make(person, plan: try plan(blindOnly: blindOnly)))
    }

    /// The body of `proof` for credentials; `change` may spoil the record.
    func body(_ new: NewCredentials, change: ([UInt8]) -> [UInt8] = { $0 }) throws -> JSONValue {
        let record = try new.record(
            deviceSignature: try bytes(base64: try device.sign(new.deviceMessage)),
            employeeKey: try EmployeePublicKey(bytes: device.point))
        return [
            "userSignature": try #require(try proof(by: new.userKey)["userSignature"]),
            "record": .string(Base64.encode(change(record.bytes))),
            "questions": .array(
                new.questions.map { item in
                    var members: [String: JSONValue] = ["salt": .string(Base64.encode(item.salt))]
                    switch item.question {
                    case .listed(let listed):
                        members["number"] = .integer(Int64(listed.number))
                        members["version"] = .integer(Int64(listed.version))
                    case .own(let text): members["question"] = .string(text)
                    }
                    return .object(members)
                }),
        ]
    }
}

extension Client {
    /// A whole registration in blind mode.
    func registerBlind(_ person: Person, _ device: Device) async throws -> HTTPReply {
        let flow = try await BlindFlow.start(.registrations, person, device, self)
        return flow.asked.status == 200 ? try #require(try await flow.complete(person)) : flow.asked
    }

    /// A whole login in blind mode.
    func logInBlind(_ person: Person, _ device: Device) async throws -> HTTPReply {
        let flow = try await BlindFlow.start(.logins, person, device, self)
        return flow.asked.status == 200 ? try #require(try await flow.complete(person)) : flow.asked
    }

    /// Registers the first employee of a company in blind mode.
    func foundBlind(_ company: String, by person: Person? = nil) async throws -> Member {
        let person = person ?? Person("founder", at: company)
        let device = Device()
        return try Member(person, device, try await registerBlind(person, device))
    }
}
