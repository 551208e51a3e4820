import TenureAPI

/// The answer of a page's form, checked to come from a page of this service.
struct PageForm: Sendable {
    let fields: FormReader
    /// The handle of the stored request.
    let request: String
    /// The value of the cookie of the session that the form belongs to.
    let cookie: String

    /// Reads and checks the form.
    ///
    /// - Throws: The notice to show: another site sent the form, it cannot be read, or it belongs to another session.
    init(_ visit: PageVisit) throws(PageFormRefusal) {
        let exchange = visit.exchange
        guard FormOrigin(publicURL: exchange.publicURL, authority: exchange.authority).permits(exchange.headers) else {
            throw PageFormRefusal(notice: .crossSite)
        }
        guard let fields = try? FormReader(exchange.body), let request = try? fields.text("request"),
            let token = try? fields.text("token")
        else { throw PageFormRefusal(notice: .malformed) }
        let path = exchange.endpoint.template.text
        guard let cookie = visit.cookie,
            FormToken(cookie: cookie, path: path, request: request).matches(token)
        else { throw PageFormRefusal(notice: .outdated) }
        self.fields = fields
        self.request = request
        self.cookie = cookie
    }
}

/// The reason why a form is refused.
struct PageFormRefusal: Error, Equatable {
    let notice: PageNotice
}
