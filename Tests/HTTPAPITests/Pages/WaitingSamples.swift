@testable import HTTPAPI

/// A page of each template about waiting browsers, with every value that the template knows.
enum WaitingSamples {
    static let all: [HostedPage] = [
        HostedPage(
            template: .waiting, language: .english, title: "t",
            content: [
                "problems": .list([["problemTitle": "p", "items": .list([["anchor": "#a", "problem": "p"]])]]),
                "account": "a", "text": "x", "wordsLabel": "w", "words": "w", "fingerprintLabel": "f",
                "fingerprint": "f", "compare": "c", "noMail": "n", "mail": .list([mail]), "live": "l",
                "needsScript": "s", "look": "l", "until": "u", "page": "/p", "again": "a", "againPath": "/a",
                "events": "/e",
                "module": "/m",
            ]),
        HostedPage(
            template: .waitingEnd, language: .english, title: "t",
            content: [
                "needsScript": "s", "account": "a", "text": "x", "challenge": "c", "device": "d", "company": "v",
                "employee": "v", "page": "/p", "replaces": "r", "instead": "i", "action": "/s", "token": "k",
                "once": "1", "keyMissing": "m", "againPath": "/a",
                "again": "a", "module": "/m",
            ]),
        HostedPage(
            template: .deviceMail, language: .english, title: "t",
            content: [
                "text": "x", "facts": .list([["fact": "f", "value": "v"]]),
                "code": .list([["codeLabel": "l", "code": "c", "codeText": "x"]]), "action": "/a", "expires": "1",
                "key": "k", "refuse": "r", "refuseText": "r", "goOn": "g", "goOnPath": "/g",
                "confirm": .list([
                    ["sentence": "s", "module": "/m", "page": "p", "act": "a", "hint": "h", "needsScript": "s"]
                ]), "token": "k",
                "once": "1",
            ]),
        HostedPage(
            template: .mailLink, language: .english, title: "t",
            content: [
                "text": "x", "goOn": "g", "goOnPath": "/g",
                "confirm": .list([
                    [
                        "action": "/a", "token": "k", "sentence": "s", "module": "/m", "page": "p", "act": "a",
                        "hint": "h",
                        "needsScript": "s", "wrong": "w",
                        "question": .list([FakeService.words.content(in: .english)]),
                    ]
                ]),
            ]),
    ]

    private static let mail: PageContent = [
        "mailTitle": "t", "mailText": "x", "send": "s", "sendAction": "/s", "sendToken": "k", "sendOnce": "1",
        "sendError": "e",
        "code": .list([
            [
                "codeLabel": "l", "codeError": "e", "codeHint": "h", "codeSend": "s", "action": "/s", "token": "k",
                "once": "1",
            ]
        ]),
    ]
}
