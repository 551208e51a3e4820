/// The examples of an operation: calls with curl and what the service answers.
struct OperationSamples: Sendable {
    let operation: ReferenceOperation
    let schemes: [ReferenceContract.Scheme]

    /// The first call and the first response are open, the others fold. Problem documents are beside their codes.
    var html: Markup { (requests + responses).joined() }

    private var requests: [Markup] {
        let content = operation.bodies.first
        let examples = content?.examples ?? []
        guard let first = examples.first else { return [sample("Request", nil, command(content, nil))] }
        return [sample("Request", title(first), command(content, first.value))]
            + examples.dropFirst().map { folded("Request", title($0), command(content, $0.value)) }
    }

    private func command(_ content: ReferenceOperation.Content?, _ body: ContractValue?) -> String {
        CurlCommand(operation, content: content, body: body, schemes: schemes).description
    }

    private var responses: [Markup] {
        var samples: [Markup] = []
        for response in operation.responses {
            for content in response.contents where content.mediaType != ReferenceOperation.problemType {
                for example in content.examples {
                    let text = text(example.value, content.mediaType)
                    let label = "Response " + response.status
                    samples.append(
                        samples.isEmpty ? sample(label, title(example), text) : folded(label, title(example), text))
                }
            }
        }
        return samples
    }

    private func text(_ value: ContractValue, _ mediaType: String) -> String {
        mediaType.hasSuffix("json") ? JSONText(value).description : value.string ?? JSONText(value).description
    }

    private func title(_ example: ReferenceOperation.Example) -> String? {
        let title = example.summary.isEmpty ? example.name : example.summary
        return title.isEmpty ? nil : title
    }

    private func caption(_ label: String, _ title: String?) -> Markup {
        "<b>\(label)</b>\(title.map { " <span>\($0)</span>" as Markup })"
    }

    private func sample(_ label: String, _ title: String?, _ text: String) -> Markup {
        """
        <figure class="sample"><figcaption>\(caption(label, title))</figcaption>
        <pre><code>\(text)</code></pre></figure>
        """
    }

    private func folded(_ label: String, _ title: String?, _ text: String) -> Markup {
        """
        <details class="sample"><summary>\(caption(label, title))</summary>
        <pre><code>\(text)</code></pre></details>
        """
    }
}
