@testable import HTTPAPI

/// A page of each template of the log-in, with every value that the template knows.
enum LogInSamples {
    static let all: [HostedPage] = [
        HostedPage(template: .login, language: .english, title: "t", content: login),
        HostedPage(
            template: .loginAddress, language: .english, title: "t",
            content: [
                "problems": problems, "needsScript": "s", "action": "/s", "token": "k", "once": "1", "emailLabel": "l",
                "emailError": "e", "email": "v", "noKey": "k", "continue": "c", "loginPath": "/l", "byCompany": "b",
                "module": "/m",
            ]),
        HostedPage(
            template: .pick, language: .english, title: "t",
            content: [
                "needsScript": "s", "text": "x", "keyMissing": "m", "known": "n", "addressPath": "/l", "byAddress": "b",
                "againPath": "/a", "again": "a", "module": "/m",
                "accounts": .list([
                    [
                        "challenge": "c", "address": "a", "company": "v", "employee": "v", "action": "/s",
                        "token": "k", "once": "1", "id": "i", "label": "l",
                    ]
                ]),
            ]),
        HostedPage(
            template: .key, language: .english, title: "t",
            content: [
                "needsScript": "s", "account": "a", "text": "x", "challenge": "c", "purpose": "p", "company": "v",
                "employee": "v", "action": "/s", "token": "k", "once": "1", "keyMissing": "m", "againPath": "/a",
                "again": "a", "module": "/m",
            ]),
        HostedPage(
            template: .answers, language: .english, title: "t",
            content: [
                "problems": problems, "account": "a", "text": "x", "action": "/s", "token": "k", "once": "1",
                "error": "e", "questions": .list([["field": "f", "question": "q"]]), "continue": "c",
                "againPath": "/a", "again": "a", "recoverPath": "/r", "recover": "r",
            ]),
        HostedPage(
            template: .passphrase, language: .english, title: "t",
            content: [
                "problems": problems, "account": "a", "action": "/s", "token": "k", "once": "1", "username": "u",
                "passphraseLabel": "l", "error": "e", "continue": "c",
                "questions": .list([["toQuestions": "q", "questionsPath": "/q"]]), "againPath": "/a", "again": "a",
                "recoverPath": "/r",
                "recover": "r",
            ]),
        HostedPage(
            template: .accounts, language: .english, title: "t",
            content: [
                "account": "a", "unsuitable": "u",
                "choice": .list([
                    [
                        "action": "/a", "request": "r", "token": "k", "module": "/m", "page": "p", "act": "a",
                        "hint": "h", "needsScript": "s",
                    ]
                ]), "otherPath": "/o", "other": "o",
            ]),
        HostedPage(
            template: .answer, language: .english, title: "t",
            content: [
                "text": "x", "refresh": "0; url=/r", "link": .list([["url": "/u", "goOn": "g"]]),
                "form": .list([["action": "/a", "fields": .list([["name": "n", "value": "v"]]), "goOn": "g"]]),
                "module": "/m",
            ]),
        FlowDeadEnd.inactive.page(in: .english, again: "/login", status: 403, requestId: "id"),
    ]

    private static let login: PageContent = [
        "problems": problems, "needsScript": "s", "session": .list([["account": "a", "toAccount": "t"]]),
        "expected": "c", "accountsTitle": "t", "other": "o", "lastUsed": "l", "forget": "f", "forgetText": "f",
        "forgetConfirm": "f", "action": "/s", "token": "k", "once": "1", "companyLabel": "c", "companyHint": "h",
        "companyError": "e", "company": "v", "employeeLabel": "i", "employeeError": "e", "employee": "v",
        "noKey": "k", "continue": "c", "addressPath": "/a", "byAddress": "b", "registerPath": "/r", "register": "r",
        "recoverPath": "/r", "recover": "r", "deviceModule": "/m", "accountsModule": "/m",
    ]

    private static let problems: PageContent.Value =
        .list([["problemTitle": "p", "items": .list([["anchor": "#a", "problem": "p"]])]])
}
