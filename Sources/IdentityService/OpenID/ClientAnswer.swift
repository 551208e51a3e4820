import Canonical
import Identity
import TenureAPI

/// What a browser brings to a client: the answer to an authorization request, or itself after a log-out.
package struct ClientAnswer: Sendable, Equatable, RedactedDescription {
    /// The URI that the operator registered.
    package let uri: String
    /// The origin of the URI; `nil` for the scheme of an app, which no page opens by itself.
    package let origin: String?
    /// The client's name, as the operator gave it.
    package let clientName: String
    /// What the client is told, in its order.
    package let fields: [Field]
    /// Whether the browser posts a form instead of opening the URI with a query.
    package let isFormPost: Bool

    /// One parameter of the answer.
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    /// - Parameter isFormPost: Whether the request wants a form.
    init(_ uri: ClientURI, _ fields: [(name: String, value: String)], to clientName: String, isFormPost: Bool = false) {
        self.init(
            uri: uri.text, origin: uri.webOrigin, clientName: clientName,
            fields: fields.map { Field(name: $0.name, value: $0.value) }, isFormPost: isFormPost)
    }

    package init(uri: String, origin: String?, clientName: String, fields: [Field] = [], isFormPost: Bool = false) {
        self.uri = uri
        self.origin = origin
        self.clientName = clientName
        self.fields = fields
        self.isFormPost = isFormPost
    }

    /// The URI with the fields as its query.
    package var url: String {
        guard !fields.isEmpty else { return uri }
        let query = String(
            decoding: FormEncoding.encode(fields.map { (name: $0.name, value: $0.value) }), as: UTF8.self)
        return uri + (uri.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }
}
