/// What comes before the operations: what the API is, and how callers authenticate.
struct IntroductionSection: Sendable {
    let contract: ReferenceContract
    let prose: ReferenceProse

    /// Both sections.
    var html: Markup {
        """
        <section class="group" id="introduction">
        <h1>\(contract.title) API <span class="version">version \(contract.version)</span></h1>
        <p class="lead">\(prose.line(contract.summary))</p>
        \(prose.blocks(contract.description))
        </section>
        <section class="group" id="authentication">
        <h2>Authentication</h2>
        <dl class="members">
        \(contract.schemes.map(row).joined())
        </dl>
        <p>The examples use these shell variables. Where an operation takes both an app and an employee, the example \
        calls as the app. A path parameter such as <code>{flow}</code> is the variable <code>FLOW</code>.</p>
        <pre><code>\(variables)</code></pre>
        </section>
        """
    }

    private func row(_ scheme: ReferenceContract.Scheme) -> Markup {
        let kind = scheme.kind.prefix(1).uppercased() + scheme.kind.dropFirst()
        return """
            <dt><code>\(scheme.name)</code> <span class="type">Authorization: \(kind)</span></dt>
            <dd><p>\(prose.line(scheme.description))</p></dd>
            """
    }

    private var variables: String {
        """
        TENURE_URL=https://id.example        # the address of the service
        TENURE_APP_ID=…                      # an app
        TENURE_APP_SECRET=…                  # and one of its secrets
        TENURE_ACCESS_TOKEN=…                # the access token of an employee
        """
    }
}
