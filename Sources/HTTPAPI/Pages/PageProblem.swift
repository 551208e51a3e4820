import ErrorCodes
import IdentityService

/// A problem with the input of a form, told above the form and beside the field.
struct PageProblem: Sendable, Equatable {
    /// The id of the field that is wrong.
    let field: String
    let text: String

    /// The summary above the form, which gets the focus; no items without problems.
    static func summary(_ problems: [PageProblem], in language: PageLanguage) -> PageContent.Value {
        guard !problems.isEmpty else { return .list([]) }
        let items = problems.map { problem -> PageContent in
            ["anchor": .text("#" + problem.field), "problem": .text(problem.text)]
        }
        return .list([["problemTitle": .text(PageWord("page.problem").text(in: language)), "items": .list(items)]])
    }
}

extension [PageProblem] {
    /// The text beside a field; empty without a problem.
    func text(at field: String) -> PageContent.Value { .text(first { $0.field == field }?.text ?? "") }
}

/// A time to wait, in words.
struct WaitingTime: Sendable {
    /// The time in seconds.
    let seconds: Int

    /// The time, rounded up.
    func text(in language: PageLanguage) -> String {
        switch seconds {
        case ..<91: PageWord("time.seconds").text(in: language, "\(max(seconds, 2))")
        case ..<5_401: PageWord("time.minutes").text(in: language, "\((seconds + 59) / 60)")
        default: PageWord("time.hours").text(in: language, "\((seconds + 3_599) / 3_600)")
        }
    }
}
