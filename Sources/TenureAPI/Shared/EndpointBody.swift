/// The body that an endpoint expects.
package struct EndpointBody: Sendable {
    /// How a body is read.
    package enum Kind: Sendable {
        /// A body is rejected.
        case none
        /// A JSON document is optional. An empty body counts as an empty object.
        case optional
        /// A JSON document is required.
        case required
        /// A form with parameters is required.
        case form
        /// A form with parameters is optional.
        case optionalForm
    }

    /// How the body is read.
    package let kind: Kind
    /// The schema of its content in the contract; `nil` without content.
    package let schema: String?

    private init(_ kind: Kind, _ schema: String? = nil) {
        self.kind = kind
        self.schema = schema
    }

    static let none = EndpointBody(.none)
    /// The form of a page with a button that is armed.
    static let pageForm = form(named: "PageForm")

    /// A JSON document.
    ///
    /// - Parameter schema: The name of the schema; `nil` for that of the type.
    static func required<Request: JSONConvertible>(_: Request.Type, as schema: String? = nil) -> EndpointBody {
        EndpointBody(.required, schema ?? contractName(of: Request.self))
    }

    /// A JSON document or nothing.
    static func optional<Request: JSONConvertible>(_: Request.Type, as schema: String? = nil) -> EndpointBody {
        EndpointBody(.optional, schema ?? contractName(of: Request.self))
    }

    /// A JSON document that no type of this module describes, or nothing.
    static func optional(named schema: String) -> EndpointBody { EndpointBody(.optional, schema) }

    /// A form with parameters.
    static func form(named schema: String) -> EndpointBody { EndpointBody(.form, schema) }

    /// A form with parameters, or nothing.
    static func optionalForm(named schema: String) -> EndpointBody { EndpointBody(.optionalForm, schema) }
}

/// The name of a type's schema in the contract: that of the type without `Response`.
func contractName<Value>(of type: Value.Type) -> String {
    let name = String(describing: type)
    return name.hasSuffix("Response") ? String(name.dropLast("Response".count)) : name
}
