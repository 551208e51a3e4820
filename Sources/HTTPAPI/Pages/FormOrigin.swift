/// Tells whether a form was sent by a page of this service (Fetch, section 3.2; Fetch Metadata, section 2.3).
///
/// Pages have the policy `no-referrer`, and browsers then send `Origin: null` with their forms. So that value counts
/// beside `Sec-Fetch-Site: same-origin`, which no page of another site can cause, and in browsers that do not send that
/// field at all.
struct FormOrigin: Sendable {
    /// The public origin of the service.
    let own: String

    /// - Parameters:
    ///   - publicURL: The public URL of the service; empty if not configured.
    ///   - authority: The authority that the request is for.
    init(publicURL: String, authority: RequestAuthority) {
        let url = publicURL.isEmpty ? "http://" + authority.text : publicURL
        // An origin has no path.
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        own = parts.prefix(3).joined(separator: "/").lowercased()
    }

    /// Whether the header fields permit the form. A browser that does not say which site sent it is permitted: the
    /// form's token decides.
    func permits(_ headers: RequestHeaders) -> Bool {
        let sites = headers.all("Sec-Fetch-Site"), origins = headers.all("Origin")
        guard sites.count <= 1, origins.count <= 1 else { return false }
        // `none` is a form that the person sends again by reloading.
        if let site = sites.first, site != "same-origin", site != "none" { return false }
        guard let origin = origins.first else { return true }
        return origin.lowercased() == own || (origin == "null" && sites.first != "none")
    }
}

extension RoutedRequest {
    /// Whether a page of this service may have sent the form.
    var isFromOwnPage: Bool { FormOrigin(publicURL: publicURL, authority: authority).permits(headers) }
}
