@testable import HTTPAPI

/// A page of each template of registration and of the ways back, with every value that the template knows.
enum RegistrationSamples {
    private static let problems: PageContent.Value =
        .list([["problemTitle": "p", "items": .list([["anchor": "#a", "problem": "p"]])]])
    private static let hidden: PageContent = ["action": "/s", "token": "k", "once": "1"]

    private static func page(_ template: PageTemplate, _ content: PageContent) -> HostedPage {
        HostedPage(template: template, language: .english, title: "t", content: content)
    }

    static let all: [HostedPage] = [
        page(
            .registerChoice,
            [
                "text": "x", "joinPath": "/j", "join": "j", "joinHint": "h", "foundPath": "/f", "found": "f",
                "foundHint": "h", "logInPath": "/l", "toLogIn": "l",
            ]),
        page(
            .register,
            hidden.merging([
                "problems": problems, "needsScript": "s", "text": "x", "warning": "w", "loginPath": "/l",
                "companyLabel": "l", "companyHint": "h", "companyError": "e", "company": "c", "employeeLabel": "l",
                "employeeHint": "h", "employeeError": "e", "employee": "i", "emailLabel": "l", "emailHint": "h",
                "emailError": "e", "email": "m", "codeLabel": "l", "codeError": "e", "code": "c", "noKey": "k",
                "continue": "c", "toLogIn": "l", "deviceModule": "/d", "prefillModule": "/p",
            ])),
        page(
            .credentials,
            hidden.merging([
                "problems": problems, "account": "a", "text": "x", "rule": "r", "username": "u", "choose": "c",
                "passphraseTitle": "t", "passphraseText": "x", "passphraseLabel": "l", "passphraseError": "e",
                "repeatedLabel": "l", "repeatedError": "e", "bothLabel": "l", "both": "true", "save": "s",
                "questions": .list([
                    [
                        "questionField": "q", "questionLabel": "l", "questionError": "e", "answerField": "a",
                        "answerLabel": "l", "answerError": "e", "answer": "v",
                        "options": .list([["number": "1", "question": "q", "selected": "true"]]),
                    ]
                ]),
            ])),
        page(
            .wayBack,
            hidden.merging([
                "problems": problems, "needsScript": "s", "text": "x", "companyLabel": "l", "companyHint": "h",
                "companyError": "e", "company": "c", "employeeLabel": "l", "employeeError": "e", "employee": "i",
                "waysLabel": "l", "wayError": "e", "loginPath": "/l",
                "ways": .list([
                    ["wayField": "f", "way": "w", "wayLabel": "l", "wayHint": "h", "chosen": "true"]
                ]),
                "noKey": "k", "continue": "c", "toLogIn": "l", "deviceModule": "/d",
            ])),
        page(
            .wayBackWait,
            [
                "text": "x", "steps": .list([["step": "s"]]), "words": "w", "wordsLabel": "l", "fingerprint": "f",
                "fingerprintLabel": "l", "note": "n", "again": "a", "againPath": "/a",
            ]),
    ]
}
