import Mustache
import Synchronization
import Testing

@testable import HTTPAPI

/// The templates, held against their rules and against the pages that use them.
@Suite struct PageTemplateTests {
    /// A page of each template, with every value that the template knows.
    static let samples: [HostedPage] =
        general + LogInSamples.all + AccountSamples.all + RegistrationSamples.all + WaitingSamples.all

    private static let general: [HostedPage] = [
        HostedPage(
            template: .consent, language: .english, title: "t",
            content: [
                "account": "a", "program": "p", "question": "q", "scopes": .list([["scope": "s"]]), "action": "/a",
                "request": "r", "token": "k", "deny": "n", "module": "/m", "page": "p", "act": "a", "hint": "h",
                "needsScript": "s",
            ]),
        HostedPage(
            template: .logout, language: .english, title: "t",
            content: [
                "account": "a", "stay": "n", "asked": "x", "goOn": "g", "goOnPath": "/g",
                "confirm": .list([
                    [
                        "question": "q", "action": "/a", "request": "r", "token": "k", "module": "/m", "page": "p",
                        "act": "a", "hint": "h", "needsScript": "s",
                    ]
                ]),
            ]),
        PageNotice.expired.page(in: .english, requestId: "id"),
    ]

    /// What breaks the rules: a value that is not escaped or stands outside of quotes, an attribute without quotes, and
    /// a script or a style within the page.
    private func offences(in source: String) -> [String] {
        let unescaped = source.matches(of: /\{\{\{|\{\{\s*&|\{\{%/).map { String($0.output) }
        let html = source.replacing(/\{\{[<>$\/#^][^}]*\}\}/, with: "")
        let scripts = html.matches(of: /<(script|style)[^>]*>[^<]/).map { String($0.output.0) }
        let tags = html.matches(of: /<[a-zA-Z](?:[^>"]|"[^"]*")*>/).map { String($0.output) }
        let loose = tags.filter { tag in
            let bare = tag.replacing(/"[^"]*"/, with: "\"\"")
            return bare.contains("{{") || bare.contains(/=\s*[^"\s]/)
        }
        let handlers = tags.filter { $0.contains(/\s(?:on[a-z]+|style)\s*=/) }
        return unescaped + scripts + loose + handlers
    }

    @Test(arguments: PageTemplate.allCases)
    func `a template escapes every value and quotes every attribute`(template: PageTemplate) {
        #expect(!template.source.isEmpty)
        #expect(offences(in: template.source) == [])
    }

    @Test(arguments: [
        "<p>{{{name}}}</p>", "<p>{{& name}}</p>", "<p>{{&name}}</p>", "<a href={{url}}>x</a>", "<input value=x>",
        "<input {{attribute}}>", "<p onclick=\"x()\">x</p>", "<p style=\"color: red\">x</p>",
        "<input value='{{name}}'>", "<script>{{name}}</script>", "<script src=\"/x\">x</script>", "<style>p {}</style>",
        "{{% CONTENT_TYPE:TEXT}}",
    ])
    func `a template that breaks a rule is found`(source: String) {
        #expect(!offences(in: source).isEmpty)
    }

    @Test func `every template but the frame and the links of an account has a sample`() {
        #expect(
            Set(Self.samples.map(\.template))
                == Set(PageTemplate.allCases).subtracting([.layout, .sections, .arm, .wordRows]))
    }

    @Test(arguments: samples) func `a template asks for the names of its page, and for no other`(page: HostedPage)
        throws
    {
        let asked = AskedNames()
        _ = try page.template.render(StrictContent(content: page.model, asked: asked))
        #expect(asked.unknown == [])
        #expect(asked.known == StrictContent.names(of: page.model), "a page gives a name that no template shows")
    }

    @Test func `the strict model finds an unknown name`() throws {
        let asked = AskedNames(), template = try MustacheTemplate(string: "{{title}}{{tittle}}")
        _ = template.render(StrictContent(content: ["title": "t", "text": "x"], asked: asked))
        #expect(asked.unknown == ["tittle"] && asked.known == ["title"])
    }

    /// Markup, and what browsers, templates and databases have stumbled over.
    private static let naughty = [
        "\"><script>alert(1)</script>", "' onmouseover='alert(1)", "</title><svg onload=alert(1)>", "{{request}}",
        "{{{token}}}", "&lt;script&gt;", "\u{202E}evil", "\u{0}", "<!--", "]]>", "javascript:alert(1)", "\u{FEFF}",
        "Ω≈ç√∫˜µ≤≥÷", "👩‍👩‍👧", String(repeating: "W", count: 10_000),
    ]

    @Test(arguments: samples, naughty) func `a value is text, never markup`(page: HostedPage, value: String) throws {
        let plain = try page.template.render(Self.filled(page.model, with: "x"))
        let html = try page.template.render(Self.filled(page.model, with: value))
        let escaped = value.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
        #expect(html.contains(escaped))
        for mark in "<>\"".unicodeScalars {
            #expect(html.unicodeScalars.count { $0 == mark } == plain.unicodeScalars.count { $0 == mark })
        }
    }

    /// Combining marks after a mark of HTML, and characters that join with the next one before it.
    @Test(
        arguments: ["\"", "'", "<", ">", "&"] as [Unicode.Scalar],
        ["\u{301}", "\u{338}", "\u{200D}", "\u{FE0F}", "\u{903}"])
    func `a mark of HTML within a grapheme cluster is escaped`(mark: Unicode.Scalar, joining: String) throws {
        let joined = "\(mark)\(joining)", prepended = "\u{600}\(mark)\(joining) onmouseover=x"
        #expect(joined.count == 1, "the marks do not join")
        for page in Self.samples {
            let plain = try page.template.render(Self.filled(page.model, with: "x"))
            for value in [joined, prepended] {
                let html = try page.template.render(Self.filled(page.model, with: value))
                for mark in "<>\"'".unicodeScalars {
                    #expect(html.unicodeScalars.count { $0 == mark } == plain.unicodeScalars.count { $0 == mark })
                }
                #expect(!html.unicodeScalars.elementsEqual(plain.unicodeScalars))
            }
        }
        #expect("a\"b é 👩‍👩‍👧".escapable == "a\"b é 👩‍👩‍👧")
    }

    private static func filled(_ content: PageContent, with value: String) -> PageContent {
        var filled: PageContent = [:]
        for (name, old) in content.values {
            switch old {
            case .text: filled[name] = .text(value)
            case .list(let items): filled[name] = .list(items.map { Self.filled($0, with: value) })
            }
        }
        return filled
    }
}

/// The names that templates asked for.
final class AskedNames: Sendable {
    private let names = Mutex<(known: Set<String>, missing: Set<String>)>(([], []))

    func note(_ name: String, isKnown: Bool) {
        names.withLock { _ = isKnown ? $0.known.insert(name) : $0.missing.insert(name) }
    }

    var known: Set<String> { names.withLock(\.known) }
    /// The names that no content had. An inner content may lack what the outer one has.
    var unknown: Set<String> { names.withLock { $0.missing.subtracting($0.known) } }
}

/// A content that notes each name that a template asks for.
struct StrictContent: MustacheParent {
    let content: PageContent
    let asked: AskedNames

    func child(named name: String) -> Any? {
        let value = content.values[name]
        asked.note(name, isKnown: value != nil)
        guard case .list(let items) = value else { return content.child(named: name) }
        return items.map { StrictContent(content: $0, asked: asked) }
    }

    /// All names of a content and of the contents inside.
    static func names(of content: PageContent) -> Set<String> {
        content.values.reduce(into: []) { names, member in
            names.insert(member.key)
            if case .list(let items) = member.value { items.forEach { names.formUnion(Self.names(of: $0)) } }
        }
    }
}
