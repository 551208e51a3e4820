import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

/// A page with the form that begins a flow: of a log-in, a registration, or a way back to an account.
protocol BeginningForm: Sendable {
    /// What stands in the fields, by their names.
    typealias Input = [String: String]

    var visit: PageVisit { get }
    var language: PageLanguage { get }
    /// The fields, as refusals may be about them.
    var fields: [FieldProblem.Field] { get }
    /// Where the form is sent to.
    var sentTo: Endpoint { get }
    /// What is said about a field that must not be empty.
    var required: [(field: FieldProblem.Field, word: PageWord)] { get }
    /// What the page knows before anything is typed.
    var known: Input { get }
    /// The reply to a browser that gets no form; `nil` for others.
    var instead: Reply? { get throws }

    /// - Parameter visitor: The secret of the browser that the page's forms are bound to.
    func page(_ input: Input, _ problems: FieldProblems?, _ visitor: VisitorKey, status: Int) async throws -> HostedPage

    /// Whether a field that must not be empty is.
    func isMissing(_ field: FieldProblem.Field, in input: Input) -> Bool

    /// Begins the flow with the device key of the browser.
    ///
    /// - Parameter once: The form's ``VisitorForm/callKey``.
    func begin(_ input: Input, _ key: [UInt8], once: String) async throws -> Reply
}

extension BeginningForm {
    var language: PageLanguage { visit.language() }
    var instead: Reply? { nil }
    var known: Input { [:] }

    func isMissing(_ field: FieldProblem.Field, in input: Input) -> Bool { input[field.name]?.isBlank != false }

    /// The page with what was entered, and what is wrong.
    func reply(_ input: Input, _ problems: [FieldProblem] = []) async throws -> Reply {
        let visitor = visit.visitor
        return try await page(
            input, FieldProblems(problems, in: language), visitor,
            status: problems.first?.status ?? 200
        ).reply(visitor)
    }

    private func input(_ form: FormReader) -> Input {
        fields.reduce(into: [:]) { input, field in input[field.name] = try? form.text(field.name) }
    }

    fileprivate func taken() async throws -> Reply {
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch {
            return try await visit.refused(error) { try await reply(self.input($0), [.again]) }
        }
        let input = self.input(form.fields), key = form.text("key").flatMap { Base64URL.decode($0) }
        var problems = required.filter { isMissing($0.field, in: input) }
            .map { FieldProblem(field: $0.field, word: $0.word) }
        if key == nil { problems.append(.noKey) }
        if problems.isEmpty, let key {
            do { return try await begin(input, key, once: form.callKey) } catch let error as ServiceError {
                problems = FieldProblem.all(error, of: fields)
                if problems.isEmpty { throw error }
                var reply = try await reply(input, problems)
                reply.code = error.code.rawValue
                return reply
            }
        }
        return try await reply(input, problems)
    }
}

extension Route {
    /// The page with a form that begins a flow, and the form, both by themselves and for a flow of the browser.
    static func beginning(
        _ shown: Endpoint, _ sent: Endpoint, _ open: @escaping @Sendable (PageVisit) async throws -> some BeginningForm
    ) -> [Route] {
        let show = beginning(shown) { visit in
            let form = try await open(visit)
            if let instead = try form.instead { return instead }
            return try await form.reply(form.known)
        }
        let take = beginning(sent, body: .form) { visit in
            let form = try await open(visit)
            if let instead = try form.instead { return instead }
            return try await form.taken()
        }
        return show + take
    }
}

extension VisitorForm {
    /// The value of a field; `nil` if it is absent, empty or given twice.
    func text(_ name: String) -> String? { try? fields.text(name) }
}

extension String {
    /// Whether there is nothing but white space.
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
