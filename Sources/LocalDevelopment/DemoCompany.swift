import Canonical
import Crypto
import ErrorCodes
import Foundation
import TenureAPI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A demonstration tenant: a security admin, three employees, an external contractor, a pending device key, and an
/// employee who needed three attempts. It is created once, through the public API.
package struct DemoCompany: Sendable {
    package static let name = "harbour.example"
    package static let summary = "1 security admin, 3 employees, 1 contractor, 1 key waiting"

    let caller: DemoCaller
    /// The file that records the demo accounts.
    let file: String
    /// Finds the mails that the service has sent so far.
    let mails: @Sendable () -> [Mail]
    /// Confirms the address of a link of a mail.
    let confirm: @Sendable (String) async throws -> Void

    /// A mail to one of the people.
    package struct Mail: Sendable {
        package let recipient: String
        package let links: [String]

        package init(recipient: String, links: [String]) {
            self.recipient = recipient
            self.links = links
        }
    }

    /// The demonstration tenant of a development service.
    ///
    /// - Parameters:
    ///   - mails: Finds the mails that the service has sent so far.
    ///   - confirm: Confirms the address of a link of a mail, whose page nobody looks at here.
    package init(
        _ environment: DevelopmentEnvironment, in state: StateDirectory,
        mails: @escaping @Sendable () -> [Mail] = { [] }, confirm: @escaping @Sendable (String) async throws -> Void
    ) {
        self.mails = mails
        self.confirm = confirm
        caller = DemoCaller(environment)
        file = Self.file(in: state)
    }

    /// Founds the tenant, or completes an interrupted run.
    ///
    /// - Parameter willBegin: Called if there is something to do.
    package func found(willBegin: () -> Void) async throws {
        var record = DemoRecord(file: file) ?? Self.planned
        guard !record.isComplete else { return }
        willBegin()
        try record.write(to: file)
        do {
            try await register(record.people)
            try await confirmAddresses(of: record.people)
        } catch let refusal as DemoRefusal {
            throw DevelopmentFailure(
                .failure, "the demo company could not be founded: \(refusal.problem.code)",
                remedy: "Look for request \(refusal.problem.requestId) in the service's log.")
        }
        record.isComplete = true
        try record.write(to: file)
    }

    /// Registers the accounts. The first one founds the tenant as its security admin; the app authorizes the device
    /// keys of the others.
    private func register(_ people: [DemoPerson]) async throws {
        let flows = DemoFlows(caller: caller, company: Self.name)
        for person in people {
            guard case .authorizationPending(_, let fingerprint, _) = try await flows.enter(person) else { continue }
            try await flows.authorize(person, fingerprint: fingerprint)
        }
        guard people.count > 2 else { return }
        // The second account gets a second, pending device. The third one succeeds at the third attempt.
        _ = try await flows.logIn(people[1], from: P256.Signing.PrivateKey())
        _ = try await flows.logIn(people[2], from: people[2].device, slips: 2)
    }

    /// Lets the people confirm their addresses by the links of mails, so that a mail can vouch for their next device.
    /// An address whose mail does not come stays as it is.
    private func confirmAddresses(of people: [DemoPerson]) async throws {
        let flows = DemoFlows(caller: caller, company: Self.name)
        var waiting: Set<String> = []
        for person in people {
            let outcome = try await flows.logIn(person, from: person.device)
            guard case .success(let session, _, _) = outcome else { continue }
            let answer: EmailVerificationResponse = try await caller.by(session.accessToken).call(.verifyMyEmail)
            if answer.outcome == .sent { waiting.insert(person.email) }
        }
        for _ in 0..<40 where !waiting.isEmpty {
            try await Task.sleep(for: .milliseconds(250))
            for mail in mails() {
                guard waiting.contains(mail.recipient),
                    let link = mail.links.first(where: { $0.contains("/verify-email/") })
                else { continue }
                try await confirm(link)
                waiting.remove(mail.recipient)
            }
        }
    }

    /// A person of the company, with what a demonstration tells of them.
    package struct Person: Sendable {
        package let employeeId: String
        package let email: String
        /// `security admin`, `employee` or `contractor`.
        package let role: String
        /// The questions from the published list, with the answers.
        package let answers: [(question: String, answer: String)]
        /// The passphrase, which is asked for instead of the answers; `nil` for none.
        package let passphrase: String?
    }

    /// The people that the demonstration has recorded; none before it was founded.
    package static func people(in state: StateDirectory) -> [Person] {
        let people = DemoRecord(file: file(in: state))?.people ?? []
        return people.enumerated().map { index, person in
            let role = index == 0 ? "security admin" : person.isCompanyOwnedEmail ? "employee" : "contractor"
            return Person(
                employeeId: person.employeeId, email: person.email, role: role,
                answers: zip(DemoPerson.questions, person.answers).map { ($0, $1) }, passphrase: person.passphrase)
        }
    }

    private static func file(in state: StateDirectory) -> String { state.path + "/demo.json" }

    private static var planned: DemoRecord {
        var employees = ["anna", "bruno", "chiara", "daniel"].map { id in
            DemoPerson(employeeId: id, email: "\(id)@\(name)", isCompanyOwnedEmail: true)
        }
        employees[3].passphrase = "four lanterns beyond the harbour wall"
        let contractor = DemoPerson(
            employeeId: "contractor-7", email: "elif@studio.example", isCompanyOwnedEmail: false)
        return DemoRecord(companyName: name, people: employees + [contractor], isComplete: false)
    }
}

/// An account of the demo tenant, with secrets that only a demonstration writes to a file.
struct DemoPerson: Sendable {
    let employeeId: String
    let email: String
    let isCompanyOwnedEmail: Bool
    /// The passphrase, which is asked for instead of the answers; `nil` for none.
    var passphrase: String?
    /// The account's device key.
    let device: P256.Signing.PrivateKey

    /// The five questions from the published list, the same for every account.
    static let questions = [
        "What is the name of the street you grew up on?", "What was the name of your first teacher?",
        "In what city did your parents meet?", "What did you want to become as a child?",
        "Which book have you read more than once?",
    ]

    /// The answers, in the order of the questions.
    var answers: [String] {
        ["Quay", "Lindqvist", "Night train", "Lighthouse keeper", "Atlas"].map { "\($0) of \(employeeId)" }
    }

    /// The 65-byte X9.63 point of a device key.
    static func point(of device: P256.Signing.PrivateKey) -> [UInt8] { Array(device.publicKey.x963Representation) }

    /// The data needed to log in as this account.
    var json: JSONValue {
        .objectOmittingNil([
            "passphrase": passphrase.map(JSONValue.string),
            "companyEmployeeId": .string(employeeId), "email": .string(email),
            "isCompanyOwnedEmail": .bool(isCompanyOwnedEmail),
            "devicePrivateKeyPEM": .string(device.pemRepresentation),
            "employeePublicKey": .string(Base64.encode(Self.point(of: device))),
            "answers": .object(
                Dictionary(uniqueKeysWithValues: zip(Self.questions, answers.map { JSONValue.string($0) }))),
        ])
    }

    init(employeeId: String, email: String, isCompanyOwnedEmail: Bool) {
        self.employeeId = employeeId
        self.email = email
        self.isCompanyOwnedEmail = isCompanyOwnedEmail
        device = P256.Signing.PrivateKey()
    }

    /// Reads a value of ``json``.
    init(json: JSONValue) throws {
        var reader = try ObjectReader(json)
        employeeId = try reader.string("companyEmployeeId")
        email = try reader.string("email")
        isCompanyOwnedEmail = try reader.bool("isCompanyOwnedEmail")
        passphrase = try reader.optionalString("passphrase")
        device = try P256.Signing.PrivateKey(pemRepresentation: try reader.string("devicePrivateKeyPEM"))
    }
}

/// The file that records the demo accounts. It is written before they register, so that the next run can complete an
/// interrupted one with the same devices.
struct DemoRecord: Sendable {
    var companyName: String
    var people: [DemoPerson]
    /// Whether all accounts have registered.
    var isComplete: Bool

    init(companyName: String, people: [DemoPerson], isComplete: Bool) {
        self.companyName = companyName
        self.people = people
        self.isComplete = isComplete
    }

    /// Reads the file; `nil` if it does not exist or is not a demo record.
    init?(file: String) {
        guard let data = FileManager.default.contents(atPath: file), let json = try? StrictJSON.parse(data),
            var reader = try? ObjectReader(json), let name = try? reader.string("companyName"),
            let isComplete = try? reader.bool("isComplete"), let array = try? reader.array("people"),
            let people = try? array.map(DemoPerson.init(json:))
        else { return nil }
        self.init(companyName: name, people: people, isComplete: isComplete)
    }

    /// Writes the file with mode 0600.
    func write(to file: String) throws {
        let document = JSONValue.object([
            "companyName": .string(companyName), "isComplete": .bool(isComplete), "people": .array(people.map(\.json)),
        ])
        try SecretFile.replace(
            at: file, with: String(decoding: document.canonicalBytes(), as: UTF8.self) + "\n")
    }
}

/// Registers the demo accounts and logs them in, in direct mode.
struct DemoFlows: Sendable {
    let caller: DemoCaller
    let company: String

    /// Registers an account, or logs it in if it is already registered.
    func enter(_ person: DemoPerson) async throws -> FlowOutcomeResponse {
        do {
            return try await register(person)
        } catch let refusal as DemoRefusal where refusal.problem.knownCode == .employeeAlreadyRegistered {
            return try await logIn(person, from: person.device)
        }
    }

    /// Registers an account with five questions and answers.
    private func register(_ person: DemoPerson) async throws -> FlowOutcomeResponse {
        let started: FlowStartedResponse = try await caller.call(
            .startRegistration,
            body: RegistrationRequest(
                companyName: company, companyEmployeeId: person.employeeId, email: person.email,
                isCompanyOwnedEmail: person.isCompanyOwnedEmail,
                employeePublicKey: DemoPerson.point(of: person.device)))
        let step = try await prove(.proveRegistrationKey, started, with: person.device)
        guard case .setCredentials = step else { return step }
        let questions = zip(DemoPerson.questions, person.answers).map { question, answer in
            NewSecurityQuestion(question: question, answer: answer)
        }
        return try await caller.call(
            .setCredentials, ["flow": started.flow],
            body: CredentialsRequest(securityQuestions: questions, passphrase: person.passphrase))
    }

    /// Logs an account in from a device. `slips` wrong attempts precede the correct one.
    func logIn(
        _ person: DemoPerson, from device: P256.Signing.PrivateKey, slips: Int = 0
    ) async throws -> FlowOutcomeResponse {
        let started: FlowStartedResponse = try await caller.call(
            .startLogin,
            body: LoginRequest(
                companyName: company, companyEmployeeId: person.employeeId,
                employeePublicKey: DemoPerson.point(of: device)))
        let step = try await prove(.proveLoginKey, started, with: device)
        if case .validatePassphrase = step, let passphrase = person.passphrase {
            return try await caller.call(
                .validateLoginPassphrase, ["flow": started.flow], body: PassphraseRequest(passphrase: passphrase))
        }
        guard case .validateAnswers(_, let questions, _) = step else { return step }
        for _ in 0..<slips {
            do {
                let wrong = questions.map { AnswersRequest.Answer(questionId: $0.questionId, answer: "I forgot") }
                return try await answer(started, wrong)
            } catch let refusal as DemoRefusal where refusal.problem.knownCode == .answersIncorrect {
                continue
            }
        }
        let known = Dictionary(uniqueKeysWithValues: zip(DemoPerson.questions, person.answers))
        return try await answer(
            started, questions.map { .init(questionId: $0.questionId, answer: known[$0.question] ?? "") })
    }

    /// Authorizes a device key with the app's authority.
    func authorize(_ person: DemoPerson, fingerprint: String) async throws {
        let _: DecisionResponse = try await caller.call(
            .authorizeKey,
            ["companyName": company, "companyEmployeeId": person.employeeId, "fingerprint": fingerprint])
    }

    private func answer(
        _ started: FlowStartedResponse, _ answers: [AnswersRequest.Answer]
    ) async throws -> FlowOutcomeResponse {
        try await caller.call(.validateLoginAnswers, ["flow": started.flow], body: AnswersRequest(answers: answers))
    }

    private func prove(
        _ endpoint: Endpoint, _ started: FlowStartedResponse, with device: P256.Signing.PrivateKey
    ) async throws -> FlowOutcomeResponse {
        let signature = try device.signature(for: started.challenge)
        return try await caller.call(
            endpoint, ["flow": started.flow], body: KeyProofRequest(keyProof: Array(signature.rawRepresentation)))
    }
}

/// Calls the API over HTTP as the demo app.
struct DemoCaller: Sendable {
    private let url: String
    private let authorization: String

    init(_ environment: DevelopmentEnvironment) {
        url = environment.url
        authorization = "Basic " + Base64.encode(Array("\(environment.appId):\(environment.appSecret)".utf8))
    }

    private init(url: String, authorization: String) {
        self.url = url
        self.authorization = authorization
    }

    /// The caller with the session of an access token.
    func by(_ token: String) -> DemoCaller { DemoCaller(url: url, authorization: "Bearer " + token) }

    /// Calls an endpoint.
    ///
    /// - Parameters:
    ///   - captures: The values of the path's captures.
    ///   - body: The body, if the endpoint takes one.
    /// - Throws: The service's `Problem` as ``DemoRefusal``.
    func call<Response: JSONConvertible>(
        _ endpoint: Endpoint, _ captures: [String: String] = [:], body: (any JSONConvertible)? = nil
    ) async throws -> Response {
        guard let address = URL(string: url + endpoint.template.path(captures)) else {
            throw DevelopmentFailure(.failure, "the demo data names a path that is not a URL")
        }
        var request = URLRequest(url: address)
        request.httpMethod = endpoint.method
        request.setValue(authorization, forHTTPHeaderField: "Authorization")
        // The demo uses the English questions; some systems would request the user's language.
        request.setValue("en", forHTTPHeaderField: "Accept-Language")
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body.bytes)
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let status = (response as? HTTPURLResponse)?.statusCode, (200..<300).contains(status) else {
            throw DemoRefusal(problem: try Problem(bytes: data))
        }
        return try Response(bytes: data)
    }
}

/// A problem document that the service sent while the demo tenant was founded.
struct DemoRefusal: Error, Sendable {
    let problem: Problem
}
