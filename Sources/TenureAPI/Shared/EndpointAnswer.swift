import ErrorCodes

/// The successful answer of an endpoint.
package struct EndpointAnswer: Sendable {
    /// What the body holds.
    package enum Content: Sendable, Equatable {
        case nothing
        case json(schema: String)
        /// Characters.
        case text
        /// Bytes.
        case binary
    }

    package let status: Int
    /// The media type; `nil` without a body.
    package let mediaType: String?
    /// What the body holds.
    package let content: Content
    /// The statuses of refusals that are pages of their own for a person.
    package let refusedPages: [Int]
    /// Whether every other refusal is a page too, instead of a problem document.
    package let refusesByPage: Bool
    /// What every endpoint with this answer does.
    let traits: EndpointTraits
    /// The codes that every endpoint with this answer refuses with.
    let codes: [ErrorCode]

    private init(
        _ status: Int, _ mediaType: String?, _ content: Content, refusedPages: [Int] = [],
        refusesByPage: Bool = false, traits: EndpointTraits = [], codes: [ErrorCode] = []
    ) {
        self.status = status
        self.mediaType = mediaType
        self.content = content
        self.refusedPages = refusedPages
        self.refusesByPage = refusesByPage
        self.traits = traits
        self.codes = codes
    }

    /// JSON of a type.
    ///
    /// - Parameter schema: The name of the schema; `nil` for that of the type.
    static func json<Response: JSONConvertible>(
        _: Response.Type, as schema: String? = nil, status: Int = 200
    ) -> EndpointAnswer {
        EndpointAnswer(status, "application/json", .json(schema: schema ?? contractName(of: Response.self)))
    }

    /// JSON that no type of this module describes.
    static func json(named schema: String, _ mediaType: String = "application/json") -> EndpointAnswer {
        EndpointAnswer(200, mediaType, .json(schema: schema))
    }

    /// The outcome of a step of a flow.
    static let outcome = EndpointAnswer(
        200, "application/json", .json(schema: contractName(of: FlowOutcomeResponse.self)),
        traits: [.idempotent, .positioned])

    /// The outcome of a decision that the caller may have to sign.
    static let decision = EndpointAnswer(
        200, "application/json", .json(schema: contractName(of: DecisionResponse.self)),
        traits: [.idempotent, .positioned], codes: [.requestStale])

    /// No body.
    static func empty(_ status: Int) -> EndpointAnswer { EndpointAnswer(status, nil, .nothing) }

    static func text(_ mediaType: String) -> EndpointAnswer { EndpointAnswer(200, mediaType, .text) }

    /// Bytes.
    static let binary = EndpointAnswer(200, "application/octet-stream", .binary)

    /// A page of HTML for a person.
    ///
    /// - Parameter statuses: The statuses of refusals that are pages too.
    static func page(refusals statuses: [Int]) -> EndpointAnswer {
        EndpointAnswer(200, "text/html", .text, refusedPages: statuses)
    }

    /// The page behind the link of a mail, which refuses by pages only.
    ///
    /// - Parameter statuses: The statuses of refusals that have a page of their own.
    static func mailedPage(refusals statuses: [Int]) -> EndpointAnswer {
        EndpointAnswer(200, "text/html", .text, refusedPages: statuses, refusesByPage: true)
    }

    /// A redirection to the address in `Location`, without a body.
    package static func redirect(_ status: Int = 303) -> EndpointAnswer { EndpointAnswer(status, nil, .nothing) }

    /// Whether the answer is a page for a person.
    package var isPage: Bool { mediaType == "text/html" && !refusedPages.isEmpty }

    /// Whether the answer leads to another address.
    package var isRedirect: Bool { (300..<400).contains(status) }
}
