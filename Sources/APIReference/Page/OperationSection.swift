/// The section of one operation.
struct OperationSection: Sendable {
    let operation: ReferenceOperation
    let contract: ReferenceContract
    let summary: SchemaSummary

    private var prose: ReferenceProse { summary.prose }

    /// The section with its anchor.
    var html: Markup {
        """
        <section class="operation" id="\(operation.id)" data-search="\(searched)" \
        data-codes="\(codes.joined(separator: " "))">
        <header>
        <h3><a href="#\(operation.id)">\(prose.line(operation.summary))</a></h3>
        <p class="endpoint"><span class="method \(operation.method.lowercased())">\(operation.method)</span> \
        <code>\(Self.breakable(operation.path))</code></p>
        </header>
        <div class="columns">
        <div class="facts">
        \(prose.blocks(operation.description))
        \(callers)
        \(parameters)
        \(bodies)
        \(responses)
        \(refusals)
        </div>
        <div class="samples">
        \(OperationSamples(operation: operation, schemes: contract.schemes).html)
        </div>
        </div>
        </section>
        """
    }

    /// What the search finds the operation by.
    private var searched: String {
        ([operation.id, operation.method, operation.path, operation.summary, operation.group] + operation.callers)
            .joined(separator: " ").lowercased()
    }

    /// The error codes of the operation's own refusals.
    private var codes: [String] { operation.problems.filter { $0.status != "default" }.map(\.code) }

    /// A path that may break after each slash.
    static func breakable(_ path: String) -> Markup {
        path.split(separator: "/", omittingEmptySubsequences: false).map { Markup(text: String($0)) }
            .joined(separator: "/<wbr>")
    }

    private var callers: Markup? {
        guard !operation.callers.isEmpty else { return nil }
        let names = operation.callers.map { "<span class=\"caller\">\(Self.caller($0))</span>" as Markup }
        return "<p class=\"callers\"><b>Who may call</b> \(names.joined(separator: " "))</p>"
    }

    /// A caller in words: `securityAdmin` as `security admin`, `app:ACCESS` as `app ACCESS`.
    static func caller(_ name: String) -> Markup {
        let parts = name.split(separator: ":", maxSplits: 1)
        let words = (parts.first ?? "").reduce(into: "") { words, character in
            words += character.isUppercase ? " " + character.lowercased() : String(character)
        }
        let role: Markup? = parts.count > 1 ? " <b>\(String(parts[1]))</b>" : nil
        return "\(words)\(role)"
    }

    private var parameters: Markup? {
        guard !operation.parameters.isEmpty else { return nil }
        let lists = [("path", "Path"), ("query", "Query")].compactMap { place, title -> Markup? in
            list(operation.parameters.filter { $0.place == place }).map { "<h4>\(title)</h4>\n\($0)" }
        }
        return (lists + [headers].compactMap(\.self)).joined()
    }

    /// Optional headers are the same for many operations, so they fold.
    private var headers: Markup? {
        let headers = operation.parameters.filter { $0.place == "header" }
        let required = list(headers.filter(\.isRequired)).map { "<h4>Headers</h4>\n\($0)" as Markup }
        let optional = headers.filter { !$0.isRequired }
        guard let rows = list(optional) else { return required }
        let names = optional.map { "<code>\($0.name)</code>" as Markup }.joined(separator: ", ")
        return
            "\(required)<details class=\"optional\"><summary>Optional headers: \(names)</summary>\n\(rows)\n</details>"
    }

    private func list(_ parameters: [ReferenceOperation.Parameter]) -> Markup? {
        parameters.isEmpty ? nil : "<dl class=\"members\">\n\(parameters.map(row).joined())\n</dl>"
    }

    private func row(_ parameter: ReferenceOperation.Parameter) -> Markup {
        var text = parameter.description.isEmpty ? [] : [prose.line(parameter.description)]
        text += summary.constraints(of: parameter.schema)
        let flag: Markup = parameter.isRequired ? " <span class=\"required\">required</span>" : ""
        return """
            <dt><code>\(parameter.name)</code> \
            <span class="type">\(summary.type(of: parameter.schema))</span>\(flag)</dt>
            <dd><p>\(text.joined(separator: " "))</p></dd>
            """
    }

    private var bodies: Markup? {
        guard !operation.bodies.isEmpty else { return nil }
        return operation.bodies.map { content -> Markup in
            """
            <h4>Body\(operation.isBodyRequired ? "" : ", optional") <code>\(content.mediaType)</code> \
            \(type(content))</h4>
            \(SchemaMembers(summary: summary).body(content.schema))
            """
        }.joined()
    }

    private func type(_ content: ReferenceOperation.Content) -> Markup {
        let resolved = contract.resolve(content.schema)
        let isPlain = SchemaSummary.name(of: content.schema) == nil && resolved["properties"] != nil
        return isPlain ? "" : "<span class=\"type\">\(summary.type(of: content.schema))</span>"
    }

    private var responses: Markup {
        operation.responses.filter { !isRefusal($0) }.map { response -> Markup in
            let headers = response.headers.map { "<code>\($0)</code>" as Markup }.joined(separator: ", ")
            let list: Markup? = headers.isEmpty ? nil : "<p class=\"headers\">Headers: \(headers)</p>"
            return """
                <h4><span class="status">\(response.status)</span> \(contents(response))</h4>
                <p>\(prose.line(response.description))</p>
                \(list)
                \(response.contents.map { SchemaMembers(summary: summary).body($0.schema) }.joined())
                """
        }.joined()
    }

    private func contents(_ response: ReferenceOperation.Response) -> Markup {
        response.contents.map { "<code>\($0.mediaType)</code> \(type($0))" as Markup }.joined(separator: " ")
    }

    /// Whether a response is nothing but a problem document.
    private func isRefusal(_ response: ReferenceOperation.Response) -> Bool {
        !response.contents.isEmpty && response.contents.allSatisfy { $0.mediaType == ReferenceOperation.problemType }
    }

    private var refusals: Markup? {
        guard operation.responses.contains(where: isRefusal) else { return nil }
        let rows = operation.responses.compactMap { response -> Markup? in
            guard response.status != "default" else { return nil }
            let names = operation.problems.filter { $0.status == response.status }.map { prose.code($0.code) }
            guard !names.isEmpty else { return nil }
            return """
                <li><span class="status">\(response.status)</span> \(names.joined(separator: ", "))<br>
                <span class="base">\(prose.line(response.description))</span></li>
                """
        }
        let list: Markup? = rows.isEmpty ? nil : "<ul class=\"codes\">\n\(rows.joined())\n</ul>"
        let problem: Markup =
            contract.schemas.contains { $0.name == "Problem" }
            ? "<a href=\"#schema-Problem\">problem document</a>" : "problem document"
        return """
            <h4>Refusals <code>application/problem+json</code></h4>
            <p>A \(problem) with one of \(rows.isEmpty ? "the <a href=\"#codes\">error codes</a>" : "these codes").</p>
            \(list)
            """
    }
}
