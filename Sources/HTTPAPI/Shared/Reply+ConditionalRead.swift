import TenureAPI

extension Reply {
    /// Adds the entity tag to a successful read, and replies with 304 if the caller has this very reply
    /// (RFC 9110 §13.1.2 and §15.4.5).
    ///
    /// A route may set `ETag`, `Cache-Control` and `Vary` itself. With `no-store` it gets no tag.
    func conditional(on headers: RequestHeaders, of endpoint: Endpoint) -> Reply {
        guard endpoint.terms?.traits.contains(.conditional) == true, status == 200,
            self.headers["Cache-Control"] != "no-store"
        else { return self }
        var reply = self
        let tag = self.headers["ETag"] ?? EntityTag.text(of: body)
        reply.headers["ETag"] = tag
        // `no-store` would forbid the copy that a 304 stands for. `private` keeps it out of shared caches, and
        // `no-cache` has it revalidated, with credentials, before each use. No read of /v1 carries a token or a secret;
        // the replies that do are to POST and keep `no-store`.
        let isPrivate = endpoint.access != .anyone
        if self.headers["Cache-Control"] == nil {
            reply.headers["Cache-Control"] = isPrivate ? "private, no-cache" : "no-cache"
        }
        if isPrivate {
            reply.headers["Vary"] = [self.headers["Vary"], "Authorization"].compactMap { $0 }.joined(separator: ", ")
        }
        guard EntityTag.isKnown(tag, ifNoneMatch: headers) else { return reply }
        // A cache replaces its stored fields by these, so a page's Content-Security-Policy must stay (RFC 9111 §3.2).
        for name in ["Content-Type", "Content-Language"] { reply.headers[name] = nil }
        reply.status = 304
        reply.body = []
        reply.shared = nil
        return reply
    }
}
