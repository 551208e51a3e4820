/// The cookies of the flows that a browser is in, one for each, so that two tabs never write the same one.
///
/// A cookie outlives its flow, and says then how that ended: the pages that a browser goes back to say what is true.
struct FlowCookies: Sendable {
    /// The lifetime in seconds.
    static let seconds = 86_400
    /// The most flows that a browser has. One more ends the oldest.
    static let limit = 8

    private let publicURL: String
    /// The flows that the request names, the oldest first.
    let all: [BrowserFlow]

    /// - Parameter publicURL: The public origin of the service; empty if not configured.
    init(publicURL: String, _ headers: RequestHeaders) {
        self.publicURL = publicURL
        let prefix = BrowserCookieField("-flow-", publicURL: publicURL).name
        let flows = headers.cookies.compactMap { name, value in
            name.hasPrefix(prefix) ? BrowserFlow(id: String(name.dropFirst(prefix.count)), value) : nil
        }
        let ids = Dictionary(grouping: flows, by: \.id)
        all = flows.filter { ids[$0.id]?.count == 1 }.sorted { ($0.began, $0.id) < ($1.began, $1.id) }
    }

    /// The flow of an id; `nil` without one, or with two.
    subscript(id: String) -> BrowserFlow? { all.first { $0.id == id } }

    /// The fields that set the cookie of a flow, and delete those beyond the limit: first what is over, then requests
    /// that nobody has answered, and the oldest first.
    func setting(_ flow: BrowserFlow) -> [String] {
        let others = all.filter { $0.id != flow.id }.sorted {
            ($0.weight, $0.began, $0.id) < ($1.weight, $1.began, $1.id)
        }
        return [cookie(flow).setting(flow.text, seconds: Self.seconds)]
            + others.dropLast(Self.limit - 1).map { cookie($0).deleting }
    }

    /// The fields that delete the cookies of all waits.
    var deletingWaits: [String] { all.filter { $0.wait != nil }.map { cookie($0).deleting } }

    private func cookie(_ flow: BrowserFlow) -> BrowserCookieField {
        BrowserCookieField("-flow-" + flow.id, publicURL: publicURL)
    }
}
