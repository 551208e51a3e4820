/// The section of all error codes. Each code is an anchor that problem documents link to.
struct CodeSection: Sendable {
    let codes: [ReferenceCode]
    let prose: ReferenceProse
    /// The operations that answer a code, by the code's name.
    var operations: [String: [String]] = [:]
    /// A problem document by its code.
    var examples: [String: ContractValue] = [:]

    init(codes: [ReferenceCode], prose: ReferenceProse, operations: [ReferenceOperation]) {
        self.codes = codes
        self.prose = prose
        for operation in operations {
            for problem in operation.problems {
                if examples[problem.code] == nil { examples[problem.code] = problem.example }
                let isOwn = problem.status != "default" && self.operations[problem.code]?.last != operation.id
                if isOwn { self.operations[problem.code, default: []].append(operation.id) }
            }
        }
    }

    var html: Markup {
        """
        <section class="group" id="codes">
        <h2>Error codes</h2>
        <p>Every refusal is a problem document (RFC 9457) with one of these codes. Its <code>type</code> links to this \
        section. A code never changes, and its status belongs to it.</p>
        <dl class="codes">
        \(codes.map(row).joined())
        </dl>
        </section>
        """
    }

    private func row(_ code: ReferenceCode) -> Markup {
        let searched = "\(code.name) \(code.status) \(code.title)".lowercased()
        return """
            <div class="code" id="\(code.name)" data-search="\(searched)">
            <dt><a href="#\(code.name)"><code>\(code.name)</code></a> <span class="status">\(code.status)</span></dt>
            <dd><p>\(code.title).</p><p>\(prose.line(code.advice))</p>\(answered(code))\(example(code))</dd>
            </div>
            """
    }

    private func answered(_ code: ReferenceCode) -> Markup? {
        let names = operations[code.name] ?? []
        guard !names.isEmpty else { return nil }
        let links = names.map { "<a href=\"#\($0)\"><code>\($0)</code></a>" as Markup }.joined(separator: ", ")
        let title = names.count == 1 ? "Answered by one operation" : "Answered by \(names.count) operations"
        return "<details><summary>\(title)</summary>\n<p>\(links)</p></details>"
    }

    private func example(_ code: ReferenceCode) -> Markup? {
        examples[code.name].map {
            "<details><summary>Example</summary>\n<pre><code>\(JSONText($0).description)</code></pre></details>"
        }
    }
}

/// An error code, as the page explains it.
package struct ReferenceCode: Sendable, Hashable {
    /// The code on the wire, for example `answers.incorrect`. It names the anchor.
    package let name: String
    /// The HTTP status that belongs to the code.
    package let status: Int
    /// What it means, in one line.
    package let title: String
    /// What the caller can do.
    package let advice: String

    package init(name: String, status: Int, title: String, advice: String) {
        self.name = name
        self.status = status
        self.title = title
        self.advice = advice
    }
}
