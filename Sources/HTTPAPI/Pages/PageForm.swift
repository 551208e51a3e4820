import TenureAPI

/// The answer of a page's form, checked to come from a page of this service.
struct PageForm: Sendable {
    let fields: FormReader
    /// What the form is about, such as the id of the flow that its path names.
    let request: String
    /// The value of the cookie of the session that the form belongs to.
    let cookie: String

    /// Reads and checks the form.
    ///
    /// - Throws: The notice to show: another site sent the form, it cannot be read, or it belongs to another session.
    init(_ visit: PageVisit) throws(PageFormRefusal) {
        let exchange = visit.exchange, (fields, token) = try visit.sentForm()
        guard let request = try? fields.text("request") else { throw PageFormRefusal(notice: .malformed) }
        let flow = exchange.captures["flow"]
        guard flow.isEmpty || flow == request else { throw PageFormRefusal(notice: .malformed) }
        let path = exchange.endpoint.template.text
        guard let cookie = visit.cookie,
            FormToken(cookie: cookie, path: path, request: request).matches(token)
        else { throw PageFormRefusal(notice: .outdated, typed: visit.cookie == nil ? nil : fields) }
        self.fields = fields
        self.request = request
        self.cookie = cookie
    }
}

/// The reason why a form is refused.
struct PageFormRefusal: Error {
    let notice: PageNotice
    /// What was typed, if nothing but the token was wrong: the page may show the form again.
    var typed: FormReader?
}

extension PageVisit {
    /// The fields and the token of a form that a page of this service sent.
    func sentForm() throws(PageFormRefusal) -> (fields: FormReader, token: String) {
        guard exchange.isFromOwnPage else { throw PageFormRefusal(notice: .crossSite) }
        guard let fields = try? FormReader(exchange.body), let token = try? fields.text("token") else {
            throw PageFormRefusal(notice: .malformed)
        }
        return (fields, token)
    }
}
