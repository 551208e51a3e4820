import Foundation
import Testing

@testable import HTTPAPI

/// The templates, held against their rules and against the pages that use them.
@Suite struct PageTemplateTests {
    /// The content of each page, as the sources declare them.
    private static let contents: [any PageContent.Type] = {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/HTTPAPI").standardizedFileURL
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.allObjects ?? []
        let texts = files.compactMap { ($0 as? URL).flatMap { try? String(contentsOf: $0, encoding: .utf8) } }
        return texts.flatMap { $0.matches(of: /struct (\w+): (?:Page|Account)Content\b/).map(\.output.1) }
            .compactMap { _typeByName("7HTTPAPI\($0.count)\($0)V") as? any PageContent.Type }
    }()
    /// What other templates are made of.
    private static let parts: [PageTemplate] = [
        "layout", "sections", "problems", "hidden", "arm", "wordRows", "turn", "currentSecret", "newPasskey", "picker",
    ]
    private static let templates = contents.map { $0.template }

    /// The shape of the page with a template.
    private func shape(_ template: PageTemplate) throws -> PageShape {
        let content = try #require(Self.contents.first { $0.template == template })
        return try #require(PageShape(page: content), "a property of \(content) is nothing that a template shows")
    }

    private func names(_ source: String, of shape: PageShape) -> PageNames {
        PageNames("tested", of: shape, in: PageTemplate.sources.merging(["tested": source]) { _, own in own })
    }

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

    @Test(arguments: PageTemplate.sources)
    func `a template escapes every value and quotes every attribute`(template: String, source: String) {
        #expect(!source.isEmpty)
        #expect(offences(in: source) == [], "\(template)")
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

    @Test func `every template but the parts of others has a content`() {
        #expect((Self.templates + Self.parts).map(\.name).sorted() == PageTemplate.sources.keys.sorted())
    }

    @Test(arguments: templates) func `a template names what its content has, and all of it`(template: PageTemplate)
        throws
    {
        let shape = try shape(template)
        let names = PageNames(template.name, of: shape, in: PageTemplate.sources)
        #expect(names.offences == [])
        let unused = shape.names.subtracting(names.used).filter { !$0.hasSuffix(".language") }
        #expect(unused == [], "no template shows these")
    }

    @Test func `a name that a page or an item lacks is found`() throws {
        let devices = try shape("devices"), notice = try shape("notice")
        #expect(names("{{title}}{{tittle}}{{#next}}{{text}}{{next}}{{/next}}", of: notice).offences == ["tittle"])
        #expect(names("{{w.login.title}}{{w.login.titel}}{{asset.arm}}{{asset.x}}", of: notice).offences.count == 2)
        #expect(names("{{me.account}}", of: devices).offences == [])
        #expect(names("{{me.account}}", of: notice).offences == ["me.account"])
        #expect(names("{{#devices}}{{name}}{{#times}}{{.}}{{/times}}{{/devices}}", of: devices).offences == [])
        #expect(names("{{#devices}}{{title}}{{/devices}}{{name}}{{.}}", of: devices).offences.count == 3)
        let item = PageShape(.part("Item", ["form": PageShape(.text, isOptional: true)]), isList: true)
        let page = PageShape(.part("Page", ["form": PageShape(.text), "items": item]))
        #expect(names("{{form}}{{#items}}{{form}}{{/items}}", of: page).offences.count == 1)
        #expect(names("{{> nowhere}}", of: notice).offences.count == 1)
    }

    @Test func `a part shows its stored properties, and nothing of what is missing`() {
        let notice = NoticeContent(text: "\"\u{301}")
        #expect(notice.child(named: "text") as? String == "\"\u{301}".escapable)
        #expect(notice.child(named: "next") == nil && notice.child(named: "template") == nil)
        let wait = WayBackWaitContent(text: "", steps: ["<\u{338}"], words: "", fingerprint: "", againPath: "")
        #expect(wait.child(named: "steps") as? [String] == ["<\u{338}".escapable])
        let problems = FieldProblems([.noKey, FieldProblem(field: .way, word: "form.again")], in: .english)
        #expect(FieldProblems([], in: .english) == nil && problems?.text(at: .company) == nil)
        #expect((problems?.child(named: "items") as? [FieldProblems.Item])?.map(\.id) == ["form", "way-recovery"])
        #expect(problems?.child(named: "way") as? String == PageWord("form.again").text(in: .english))
    }

    /// The texts that are sentences in the language of the page, by the last part of their paths. All others are names,
    /// words that people compare, codes and the like.
    private static let sentences: Set = [
        "again", "answerError", "answersError", "passphraseError", "answerLabel", "by", "came", "codeLabel",
        "act", "caption", "companyHint", "done", "employeeHint", "fact", "fault", "given", "hint", "instead", "kind",
        "label", "lasting",
        "limit", "loggedInWith", "meaning", "nameProblem", "next", "passphraseText", "problem", "program", "question",
        "questionError", "questionLabel", "role", "scopes", "send", "sentence", "since", "state", "steps", "subject",
        "tab", "text",
        "open", "renew", "times", "told", "title", "unsuitable", "until", "warning",
    ]
    /// Names, although the last part of the path is that of a sentence.
    private static let names: Set = ["accounts.label"]

    /// The texts of a page that a browser may translate although they are no sentences.
    private func translated(in html: String) -> [String] {
        var open: [(tag: Substring, isKept: Bool)] = []
        var found: [String] = []
        for match in html.matches(of: /<(\/?)([a-z0-9]+)((?:[^>"]|"[^"]*")*)>|⟦([^⟧]+)⟧/) {
            let isKept = open.last?.isKept ?? false
            if let path = match.output.4 {
                let parts = path.split(separator: ".").map(String.init)
                let isSentence = parts.contains("problems") || Self.sentences.contains(parts.last ?? "")
                if !isKept, !isSentence || Self.names.contains(String(path)) { found.append(String(path)) }
            } else if let tag = match.output.2, match.output.1 == "/" {
                while let last = open.popLast(), last.tag != tag {}
            } else if let tag = match.output.2, !["meta", "link", "input", "br", "img"].contains(tag) {
                open.append((tag, isKept || match.output.3?.contains("translate=\"no\"") == true))
            }
        }
        return found
    }

    @Test(arguments: templates) func `what is no sentence is not for translation`(template: PageTemplate) throws {
        let page = try #require(try shape(template).filled(with: "", at: "") as? FilledPart)
        let html = try template.render(page)
        #expect(html.contains("⟦title⟧"))
        #expect(translated(in: html) == [])
        // A module fills these in.
        for name in ["name", "company"] {
            #expect(!html.contains("class=\"\(name)\"") || html.contains("class=\"\(name)\" translate=\"no\""))
        }
    }

    @Test func `a name that a browser may translate is found`() {
        let html = "<p title=\"⟦account⟧\">⟦text⟧ <b translate=\"no\">⟦words⟧<br></b> ⟦words⟧</p>⟦accounts.label⟧"
        #expect(translated(in: html) == ["words", "accounts.label"])
    }

    @Test(arguments: PageTemplate.sources)
    func `what somebody enters is not corrected`(template: String, source: String) {
        let inputs = source.matches(of: /<input (?:[^>"]|"[^"]*")*>/).map { String($0.output) }
        let entered = inputs.filter { $0.contains(/type="(?:text|password)"/) && !$0.contains(" readonly") }
        for input in entered {
            #expect(input.contains(" autocorrect=\"off\"") && input.contains(" autocomplete=\""), "\(input)")
        }
        let areas = source.matches(of: /<textarea (?:[^>"]|"[^"]*")*>/).map { String($0.output) }
        #expect(areas.count == source.ranges(of: "<textarea").count)
        for area in areas {
            #expect(area.contains(" autocorrect=\"off\"") && area.contains(" autocomplete=\""), "\(area)")
        }
    }

    /// Markup, and what browsers, templates and databases have stumbled over.
    private static let naughty = [
        "\"><script>alert(1)</script>", "' onmouseover='alert(1)", "</title><svg onload=alert(1)>", "{{request}}",
        "{{{token}}}", "&lt;script&gt;", "\u{202E}evil", "\u{0}", "<!--", "]]>", "javascript:alert(1)", "\u{FEFF}",
        "Ω≈ç√∫˜µ≤≥÷", "👩‍👩‍👧", String(repeating: "W", count: 10_000),
    ]

    private func render(_ template: PageTemplate, with text: String) throws -> String {
        try template.render(try #require(try shape(template).filled(with: text) as? FilledPart))
    }

    @Test(arguments: templates, naughty) func `a value is text, never markup`(template: PageTemplate, value: String)
        throws
    {
        let plain = try render(template, with: "x"), html = try render(template, with: value)
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
        for template in Self.templates {
            let plain = try render(template, with: "x")
            for value in [joined, prepended] {
                let html = try render(template, with: value)
                for mark in "<>\"'".unicodeScalars {
                    #expect(html.unicodeScalars.count { $0 == mark } == plain.unicodeScalars.count { $0 == mark })
                }
                #expect(!html.unicodeScalars.elementsEqual(plain.unicodeScalars))
            }
        }
        #expect("a\"b é 👩‍👩‍👧".escapable == "a\"b é 👩‍👩‍👧")
    }
}
