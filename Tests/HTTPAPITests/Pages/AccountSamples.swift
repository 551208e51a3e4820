@testable import HTTPAPI

/// A page of each template of the account, with every value that the template knows.
enum AccountSamples {
    private static let frame: PageContent = [
        "navigation": "n", "sections": .list([["path": "/p", "label": "l", "here": "page"]]), "problem": "p",
        "problemTitle": "t", "account": "a",
    ]

    private static func page(_ template: PageTemplate, _ content: PageContent) -> HostedPage {
        HostedPage(template: template, language: .english, title: "t", content: frame.merging(content))
    }

    static let all: [HostedPage] = [
        page(
            .account,
            [
                "role": "r", "loggedInWith": "w", "request": "q", "token": "k", "logOut": "o", "noNotices": "n",
                "noticesTitle": "t",
                "notices": .list([["text": "x", "by": "b", "path": "/p", "cancel": "c"]]), "addressTitle": "t",
                "addressText": "x", "addressMailed": "m", "addressRequest": "address", "addressToken": "k",
                "addressMail": "b",
            ]),
        page(
            .devices,
            [
                "explanation": "e", "nameLabel": "l", "rename": "s", "wordsLabel": "w", "fingerprintLabel": "f",
                "reasonLabel": "r",
                "devices": .list([
                    [
                        "fingerprint": "ab", "key": .list([["words": "w w", "digits": "d"]]), "name": "n", "state": "s",
                        "current": "c",
                        "times": .list([["time": "t"]]), "nameForm": "k", "enteredName": "n", "nameProblem": "p",
                        "revoke": "r", "revokeToken": "k", "reasons": .list([["reason": "lost", "reasonText": "l"]]),
                        "approve": "a",
                        "approvePath": "/a", "refuse": "r", "refusePath": "/r", "approveHint": "h",
                    ]
                ]),
            ]),
        page(
            .sessions,
            [
                "explanation": "e", "end": "x", "others": "others", "othersToken": "k", "endOthers": "o",
                "sessions": .list([
                    [
                        "device": "d", "words": "w", "times": "t", "current": "c", "session": "s", "token": "k",
                    ]
                ]),
            ]),
        page(
            .consents,
            [
                "explanation": "e", "withdraw": "w", "none": "n",
                "consents": .list([
                    [
                        "client": "c", "clientName": "n", "given": "g", "lasting": "l",
                        "scopes": .list([["scope": "s"]]),
                        "token": "k",
                    ]
                ]),
            ]),
        page(
            .approvals,
            [
                "explanation": "e", "approve": "a", "refuse": "r", "none": "n", "next": "x",
                "nextPath": "/n",
                "waiting": .list([
                    [
                        "person": "p", "device": "d", "since": "s", "approvePath": "/a",
                        "refusePath": "/r",
                    ]
                ]),
            ]),
        page(
            .sign,
            [
                "meaning": "m", "facts": .list([["fact": "f", "value": "v"]]), "exactLabel": "l", "exact": "x",
                "action": "/a", "request": "r", "token": "k", "statement": "s",
                "fields": .list([["field": "f", "fieldValue": "v"]]), "tag": "t", "expectedAction": "a",
                "expectedReason": "r", "expectedFingerprint": "f", "signer": "s", "company": "c", "employee": "e",
                "back": "/b", "cancel": "c", "noKey": "k", "failed": "f", "module": "/s", "wrong": "w",
                "question": .list([
                    [
                        "legend": "l", "legendHint": "h",
                        "rows": .list([["row": "r", "words": "w w", "digits": "d"]]),
                    ]
                ]), "page": "p", "act": "a", "hint": "h", "needsScript": "s",
            ]),
        page(.refused, ["back": "/b", "backLabel": "l"]),
    ]
}
