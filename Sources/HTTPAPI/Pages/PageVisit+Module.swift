import Canonical
import TenureAPI

/// What the module `send.js` gets in place of a page, so that what somebody typed stays in the page.
extension PageVisit {
    /// Whether that module has sent the form. Browsers name `text/html` themselves.
    var isSentByModule: Bool { exchange.headers.all("Accept") == ["application/json"] }

    /// The page with a form; for the module its problems alone.
    func reply(
        _ page: HostedPage, _ problems: FieldProblems?, _ form: FormPart, _ visitor: VisitorKey
    ) throws -> Reply {
        guard isSentByModule, let problems else { return try page.reply(visitor) }
        var reply = Reply.module(problems.json(once: form.once ?? ""))
        reply.status = page.status
        return reply
    }
}

extension Reply {
    fileprivate static func module(_ value: JSONValue) -> Reply {
        Reply(
            headers: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: value.canonicalBytes())
    }

    /// The reply to the module in place of a redirect, which it could not read: where the page goes.
    ///
    /// A page it cannot show: then the browser sends the form itself and gets the same page, so the flow stays where it
    /// was until then.
    var forModule: Reply {
        var reply = self
        guard status == 303, let next = headers["Location"], next.hasPrefix("/") else {
            if headers["Content-Type"]?.hasPrefix("text/html") == true { reply.cookies = [] }
            return reply
        }
        var answer = Reply.module(["next": .string(next)])
        answer.headers.merge(headers.filter { $0.key != "Location" }) { own, _ in own }
        (reply.status, reply.headers, reply.body) = (200, answer.headers, answer.body)
        return reply
    }
}

extension FieldProblems {
    /// The problems as the module tells them.
    ///
    /// - Parameter once: What makes the next sending another one.
    fileprivate func json(once: String) -> JSONValue {
        [
            "summary": .array(items.map { ["id": .string($0.id), "text": .string($0.text)] }),
            "fields": .object(texts.mapValues { .string($0) }), "once": .string(once),
        ]
    }
}
