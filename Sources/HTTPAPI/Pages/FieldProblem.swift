import ErrorCodes
import IdentityService

/// What is wrong with the input of a form, for the person who filled it in: told above the form and beside the field.
struct FieldProblem: Sendable, Equatable {
    /// A field of the forms.
    enum Field: Sendable, Equatable {
        case company, employee, email, code, way, answers, passphrase
        /// The name that colleagues see.
        case displayName
        /// The passphrase in force, where it is replaced.
        case current
        /// Whether the questions may be answered instead of a passphrase.
        case both
        /// The first and the second entry of a new passphrase.
        case newPassphrase, repeated
        /// A question that is chosen, and its answer, counted from 0.
        case question(Int)
        case answer(Int)
        /// The device key, which no person sees, and whatever is about the whole form.
        case form
        /// The button that sends a mail.
        case send

        /// The name of the field in its form.
        var name: String {
            switch self {
            case .question(let index): "question\(index + 1)"
            case .answer(let index): "answer\(index + 1)"
            case .newPassphrase: "passphrase"
            default: "\(self)"
            }
        }

        /// The field as the table has it.
        fileprivate var kind: Field {
            switch self {
            case .question: .question(0)
            case .answer: .answer(0)
            default: self
            }
        }

        /// The field of a form that a JSON pointer of the request is about; `nil` for none of them.
        fileprivate init?(pointer: String, of form: [Field]) {
            // A change has the new credentials in a member.
            let parts = pointer.trimmingPrefix("/credentials").split(separator: "/")
            let index = parts.count == 3 ? Int(parts[1]) : nil
            let field: Field? =
                switch (parts.first, parts.count) {
                case ("companyName", 1): .company
                case ("companyEmployeeId", 1): .employee
                case ("email", 1): .email
                case ("invitation", 1): .code
                case ("name", 1): .displayName
                case ("currentPassphrase", 1): .current
                case ("currentAnswers", _): .answers
                case ("questionsWithPassphrase", 1): .both
                case ("passphrase", 1): form.contains(.passphrase) ? .passphrase : .newPassphrase
                case ("securityQuestions", 3): index.map { parts[2] == "answer" ? .answer($0) : .question($0) }
                default: nil
                }
            guard let field, form.contains(field) else { return nil }
            self = field
        }
    }

    let field: Field
    var word: PageWord
    var values: [String] = []
    /// The HTTP status of the page.
    var status = 400

    /// The form was sent with a token that is not this browser's, and is sent once more.
    static let again = FieldProblem(field: .form, word: "form.again", status: 403)
    /// The browser sent no device key.
    static let noKey = FieldProblem(field: .form, word: "login.noKey")

    /// The problems of a refusal; none for one that is not about the input.
    ///
    /// - Parameter form: The fields of the form. A refusal that names none of them is told at the first that the table
    ///   has for it.
    static func all(_ error: ServiceError, of form: [Field]) -> [FieldProblem] {
        let rows = table.filter { row in row.code == error.code && form.contains { $0.kind == row.field } }
        func problem(_ field: Field, _ word: PageWord?) -> FieldProblem {
            FieldProblem(field: field, word: word ?? "flow.inputInvalid", status: error.code.status)
        }
        let named = error.members.compactMap { member -> Field? in
            guard case .pointer(let pointer) = member.place else { return nil }
            return Field(pointer: pointer, of: form)
        }
        guard named.isEmpty || rows.isEmpty && error.code != .requestInvalid else {
            return named.map { field in problem(field, rows.first { $0.field == field.kind }?.word) }
        }
        return rows.prefix(1).map { problem($0.field, $0.word) }
    }

    /// The problem with the time after which attempts are possible again, if the refusal says one.
    func saying(until error: ServiceError, in language: PageLanguage) -> FieldProblem {
        guard error.code == .credentialsLocked, let seconds = error.retryAfterSeconds, seconds > 0 else { return self }
        var other = self
        other.word = "flow.locked"
        other.values = [WaitingTime(seconds: seconds).text(in: language)]
        return other
    }

    /// What each code says about a field.
    static let table: [(code: ErrorCode, field: Field, word: PageWord)] = [
        (.companyNameMissing, .company, "login.companyMissing"),
        (.companyUnknown, .company, "register.companyUnknown"),
        (.companyAlreadyFounded, .company, "register.companyExists"),
        (.appNotLinked, .company, "register.notLinked"),
        (.employeeIdMissing, .employee, "login.employeeMissing"),
        (.emailMissing, .email, "login.addressMissing"),
        (.emailInvalid, .email, "login.addressInvalid"),
        (.invitationInvalid, .code, "register.codeWrong"),
        (.registrationInvitationRequired, .code, "register.codeMissing"),
        (.employeeKeyInvalid, .form, "login.noKey"),
        (.answersIncorrect, .answers, "flow.answersWrong"),
        (.answersAtLeastThreeRequired, .answers, "flow.answersMissing"),
        (.credentialsIncomplete, .answers, "flow.inputInvalid"),
        (.credentialsLocked, .answers, "flow.lockedForGood"),
        (.passphraseIncorrect, .passphrase, "flow.passphraseWrong"),
        (.passphraseMissing, .passphrase, "flow.passphraseMissing"),
        (.credentialsIncomplete, .passphrase, "flow.inputInvalid"),
        (.credentialsLocked, .passphrase, "flow.lockedForGood"),
        (.passphraseIncorrect, .current, "flow.passphraseWrong"),
        (.credentialsIncomplete, .current, "flow.inputInvalid"),
        (.credentialsLocked, .current, "flow.lockedForGood"),
        (.credentialsFiveQuestionsRequired, .form, "credentials.refused"),
        (.credentialsIncomplete, .form, "credentials.refused"),
        (.credentialsTooWeak, .form, "credentials.refused"),
        (.credentialsCustomQuestion, .form, "credentials.refused"),
        (.credentialsFiveQuestionsRequired, .question(0), "credentials.questionTwice"),
        (.credentialsIncomplete, .question(0), "credentials.questionMissing"),
        (.credentialsTooWeak, .question(0), "credentials.questionMissing"),
        (.credentialsCustomQuestion, .question(0), "credentials.questionMissing"),
        (.credentialsIncomplete, .answer(0), "credentials.answerMissing"),
        (.credentialsTooWeak, .answer(0), "credentials.answerWeak"),
        (.passphraseMissing, .newPassphrase, "credentials.passphraseShort"),
        (.credentialsIncomplete, .newPassphrase, "credentials.passphraseShort"),
        (.credentialsTooWeak, .newPassphrase, "credentials.passphraseCommon"),
        (.serviceBusy, .answers, "flow.busy"),
        (.serviceBusy, .passphrase, "flow.busy"),
        (.serviceBusy, .form, "flow.busy"),
        (.requestInvalid, .company, "flow.inputInvalid"),
        (.requestInvalid, .email, "login.addressInvalid"),
        (.requestInvalid, .answers, "flow.inputInvalid"),
        (.requestInvalid, .passphrase, "flow.inputInvalid"),
        (.requestInvalid, .form, "credentials.refused"),
        (.requestInvalid, .displayName, "name.invalid"),
        (.requestInvalid, .question(0), "credentials.questionMissing"),
        (.requestInvalid, .both, "credentials.notBoth"),
    ]
}

/// The problems of a form as its template shows them: a summary above it, which gets the focus, and the text of a field
/// by the field's name.
struct FieldProblems: PagePart {
    struct Item: PagePart {
        /// The id of the element that the item leads to.
        let id: String
        let text: String
    }
    let items: [Item]
    /// The texts by the names of the fields.
    let texts: [String: String]

    /// - Parameter answer: The id of the first field for an answer.
    /// - Returns: `nil` without problems.
    init?(_ problems: [FieldProblem], in language: PageLanguage, answer: String = "rule") {
        guard !problems.isEmpty else { return nil }
        let told = problems.map { (field: $0.field, text: $0.word.text(in: language, $0.values)) }
        items = told.map { field, text in
            let id =
                switch field {
                case .answers: answer
                case .way: "way-" + WayBack.recovery.rawValue
                default: field.name
                }
            return Item(id: id, text: text)
        }
        texts = Dictionary(told.map { ($0.field.name, $0.text) }) { first, _ in first }
    }

    /// The text beside a field; `nil` without a problem.
    func text(at field: FieldProblem.Field) -> String? { texts[field.name] }

    func child(named name: String) -> Any? { name == "items" ? items : texts[name]?.escapable }
}

/// A time to wait, in words.
struct WaitingTime: Sendable {
    let seconds: Int

    /// The time, rounded up.
    func text(in language: PageLanguage) -> String {
        switch seconds {
        case ..<91: language.text("time.seconds", "\(max(seconds, 2))")
        case ..<5_401: language.text("time.minutes", "\((seconds + 59) / 60)")
        default: language.text("time.hours", "\((seconds + 3_599) / 3_600)")
        }
    }
}
