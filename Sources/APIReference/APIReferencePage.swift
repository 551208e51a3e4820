/// The page that documents an HTTP API, generated from its OpenAPI 3.1 document.
///
/// The page loads the style sheet and the script from `docs/` beside itself and nothing else. It has no inline style or
/// script, so it works under a strict Content Security Policy. Without the script it is complete; the script adds the
/// search and the buttons that copy.
package struct APIReferencePage: Sendable {
    package let html: String

    /// Generates the page.
    ///
    /// - Parameters:
    ///   - contract: The OpenAPI document as YAML.
    ///   - codes: The error codes in the order of the page.
    /// - Throws: ``APIReferenceError`` if the contract is not YAML, has no operations, or refers to what it does not
    ///   have.
    package init(contract: [UInt8], codes: [ReferenceCode] = []) throws(APIReferenceError) {
        let contract = try ReferenceContract(ContractValue(yaml: contract))
        html =
            Self.document(
                title: contract.title + " API", contents: ContentsList(contract: contract, codes: codes).html,
                main: Self.main(contract, codes)
            ).html
    }

    private static func main(_ contract: ReferenceContract, _ codes: [ReferenceCode]) -> Markup {
        let operations = contract.groups.flatMap(\.operations)
        let prose = ReferenceProse(anchors: anchors(contract, operations, codes))
        let summary = SchemaSummary(contract: contract, prose: prose)
        let groups = contract.groups.map { group -> Markup in
            let sections = group.operations.map {
                OperationSection(operation: $0, contract: contract, summary: summary).html
            }
            return """
                <section class="group" id="\(ContentsList.anchor(group))">
                <h2>\(group.title)</h2>
                \(prose.blocks(group.description))
                \(sections.joined())
                </section>
                """
        }
        return """
            \(IntroductionSection(contract: contract, prose: prose).html)
            \(groups.joined())
            \(CodeSection(codes: codes, prose: prose, operations: operations).html)
            \(SchemaSection(contract: contract, summary: summary).html)
            """
    }

    private static func anchors(
        _ contract: ReferenceContract, _ operations: [ReferenceOperation], _ codes: [ReferenceCode]
    ) -> [String: String] {
        var anchors: [String: String] = [:]
        for schema in contract.schemas { anchors[schema.name] = SchemaSummary.anchor(schema.name) }
        for operation in operations { anchors[operation.id] = operation.id }
        for code in codes { anchors[code.name] = code.name }
        return anchors
    }

    private static func document(title: String, contents: Markup?, main: Markup) -> Markup {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title)</title>
        <link rel="stylesheet" href="docs/style.css">
        <script src="docs/script.js" defer></script>
        </head>
        <body>
        <a class="skip" href="#main">Skip to the content</a>
        <div class="bar">
        <a class="title" href="#introduction">\(title)</a>
        <div id="search" role="search" hidden>
        <input type="search" id="query" placeholder="Search" autocomplete="off" spellcheck="false" \
        aria-label="Search operations and codes" aria-describedby="found" aria-keyshortcuts="/">
        <kbd>/</kbd>
        </div>
        <a class="download" href="openapi.yaml">openapi.yaml</a>
        </div>
        <div class="page">
        \(contents)
        <main id="main">
        <p id="found" role="status"></p>
        \(main)
        </main>
        </div>
        </body>
        </html>

        """
    }
}

/// A contract from which no page can be made.
package struct APIReferenceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong with the contract.
    package let description: String

    init(_ description: String) { self.description = description }
}
