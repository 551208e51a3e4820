/// One operation of the API: a method and a pattern of paths.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// Who may call.
    public enum Access: String, Sendable, Hashable {
        /// No credentials are asked for.
        case anyone
        /// An app with one of its secrets (`Basic`).
        case app
        /// An employee with an access token (`Bearer`).
        case employee
        /// Either of the two.
        case appOrEmployee
    }

    /// The HTTP method.
    public let method: String
    /// The pattern of the path.
    public let template: PathTemplate
    /// Who may call.
    public let access: Access
    /// What it does, one line.
    public let summary: String

    /// Describes an operation.
    public init(
        _ method: String, _ template: String, takesRest: Bool = false, _ access: Access, _ summary: String
    ) {
        self.method = method
        self.template = PathTemplate(template, takesRest: takesRest)
        self.access = access
        self.summary = summary
    }

    /// Method and pattern.
    public var description: String { "\(method) \(template)" }
}
