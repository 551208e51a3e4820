import Canonical
import IdentityService
import TenureAPI

/// How somebody gets back to an account that log-in no longer leads to.
enum WayBack: String, Sendable, CaseIterable {
    /// The answers and the passphrase are lost: people of the tenant replace them.
    case recovery
    /// All devices of the security admin are lost, and nobody else could decide.
    case returning = "return"

    var purpose: FlowKind { self == .recovery ? .recovery : .returning }

    /// The way of a flow; `nil` for a flow that is none.
    init?(_ purpose: FlowKind) {
        switch purpose {
        case .recovery: self = .recovery
        case .returning: self = .returning
        default: return nil
        }
    }

    /// What is lost, and what happens then.
    var words: (label: PageWord, hint: PageWord) {
        switch self {
        case .recovery: ("recover.secret", "recover.secretHint")
        case .returning: ("recover.devices", "recover.devicesHint")
        }
    }
}

extension PageVisit {
    /// Sends a browser that has asked for a way back to the page that says what happens now.
    ///
    /// The page shows the fingerprint that the person reads to an admin. Its address proves that this browser got it
    /// from the service: nobody can be sent to a page with the fingerprint of another device.
    func waitForWayBack(_ way: WayBack, fingerprint: String, _ flow: BrowserFlow) -> Reply {
        let subject = "\(way.rawValue).\(fingerprint)", visitor = visitor
        let token = visitor.token(path: Endpoint.showWayBackWait.template.text, subject: subject).text
        let client = flow.request.isEmpty ? "" : "&flow=\(flow.id)"
        var reply = Reply.seeOther(
            "\(Endpoint.showWayBackWait.template.text)?way=\(way.rawValue)&key=\(fingerprint)&token=\(token)\(client)")
        reply.cookies = flows.setting(flow.at(flow.request.isEmpty ? .ended : .request))
        if let setting = visitor.setting { reply.cookies.append(setting) }
        return reply
    }

    /// The way and the fingerprint of the page's address; `nil` if this browser did not get it.
    fileprivate var awaited: (way: WayBack, fingerprint: String)? {
        guard let query = try? FormReader(exchange.rawQuery.utf8), let text = try? query.text("way"),
            let way = WayBack(rawValue: text), let fingerprint = try? query.text("key"),
            Hex.decode(fingerprint)?.count == 32
        else { return nil }
        let path = Endpoint.showWayBackWait.template.text, visitor = visitor
        let token = visitor.token(path: path, subject: "\(way.rawValue).\(fingerprint)")
        return visitor.setting == nil && token.matches(try? query.text("token")) ? (way, fingerprint) : nil
    }
}

extension Route {
    /// `GET /recover/waiting`: what the person does now.
    static let showWayBackWait = Route(page: .showWayBackWait) { exchange in
        let visit = PageVisit(exchange: exchange), language = visit.language()
        guard let (way, fingerprint) = visit.awaited else { return .seeOther(Endpoint.showWayBack.template.text) }
        // Who comes from a client looks again for the same client, as long as its request waits.
        let flow = (try? FormReader(exchange.rawQuery.utf8).text("flow")).flatMap { visit.flows[$0] }
        let again = Endpoint.showWayBack.path(in: flow.flatMap { $0.isOver ? nil : $0 })
        let steps: [PageWord] =
            switch way {
            case .recovery: ["recover.stepTell", "recover.stepConfirm", "recover.stepAgain"]
            case .returning: ["return.stepMail", "return.stepWait", "return.stepAgain"]
            }
        let isRecovery = way == .recovery
        let content = WayBackWaitContent(
            text: language.text(isRecovery ? "recover.waitText" : "return.waitText"),
            steps: steps.map { language.text($0) }, words: FingerprintWords(hex: fingerprint).text,
            fingerprint: fingerprint, againPath: again)
        return try HostedPage(
            content, isRecovery ? "recover.waitTitle" : "return.waitTitle", in: language
        ).reply()
    }
}
