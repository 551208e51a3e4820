import Canonical
import FoundationEssentials
import IdentityService

/// What a browser does from the request of a client, or from the first form, until it is logged in or refused.
///
/// Its id stands in the paths of its pages and opens nothing: the secrets are in a cookie of its own, see
/// ``FlowCookies``. So two tabs have two flows, and a path that somebody copies opens nobody's flow.
struct BrowserFlow: Sendable, Equatable, Redacted {
    /// How far the browser is.
    enum Stage: Sendable, Equatable {
        /// Nothing has begun but the stored request.
        case request
        case flow(FlowKind, handle: String)
        /// The browser waits for the decision about its device key, with the value that the wait knows it by.
        case wait(String)
        /// It is over: the browser was logged in, or the client has its answer.
        case done
        /// It is over: it was refused, or the flow expired.
        case ended
    }

    /// The id in the paths: 16 random bytes, 22 characters of base64url.
    let id: String
    /// When it began, in seconds since 1970.
    let began: Int64
    var stage: Stage
    /// The handle of the stored request; empty without one.
    var request: String
    /// The client of the stored request; `nil` without one.
    let client: UUID?

    /// A new flow.
    ///
    /// - Parameter request: The handle of the stored request. A text that cannot be one counts as none.
    init(at time: Timestamp, request: String = "", client: UUID? = nil, stage: Stage = .request) {
        id = Base64URL.encode(randomBytes(16))
        began = time.microseconds / 1_000_000
        self.request = request.isHandle ? request : ""
        self.client = client
        self.stage = stage
    }

    /// Parses the value of a cookie; `nil` for a text of another form.
    init?(id: String, _ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard id.isFlowID, parts.count == 5, let began = Int64(parts[0]), let stage = Stage(parts[1], parts[2]),
            parts[3].isEmpty || parts[3].isHandle
        else { return nil }
        self.id = id
        self.began = began
        self.stage = stage
        request = parts[3]
        client = UUID(lowercased: parts[4])
    }

    /// The value as browsers get it.
    var text: String { "\(began).\(stage.name).\(stage.secret).\(request).\(client?.lowercased ?? "")" }

    var isOver: Bool { stage == .done || stage == .ended }

    /// How much a browser loses with it.
    var weight: Int {
        switch stage {
        case .done, .ended: 0
        case .request: 1
        case .flow: 2
        case .wait: 3
        }
    }

    /// A flow of the service that goes on; `nil` without one.
    var running: (purpose: FlowKind, handle: String)? {
        if case .flow(let purpose, let handle) = stage { (purpose, handle) } else { nil }
    }

    /// What the service knows the waiting browser by; `nil` if it waits for nothing.
    var wait: String? { if case .wait(let value) = stage { value } else { nil } }

    /// The flow at another stage. What is over keeps no secret.
    func at(_ stage: Stage) -> BrowserFlow {
        var other = self
        other.stage = stage
        if other.isOver { other.request = "" }
        return other
    }
}

extension BrowserFlow.Stage {
    /// Parses a stage; `nil` for a text of another form.
    fileprivate init?(_ name: String, _ secret: String) {
        switch (name, secret.isHandle) {
        case ("request", false): self = .request
        case ("done", false): self = .done
        case ("ended", false): self = .ended
        case ("wait", true): self = .wait(secret)
        case (_, true):
            guard let purpose = FlowKind(rawValue: name) else { return nil }
            self = .flow(purpose, handle: secret)
        default: return nil
        }
        guard self.secret == secret else { return nil }
    }

    fileprivate var name: String {
        switch self {
        case .request: "request"
        case .flow(let purpose, _): purpose.rawValue
        case .wait: "wait"
        case .done: "done"
        case .ended: "ended"
        }
    }

    fileprivate var secret: String {
        switch self {
        case .flow(_, let handle): handle
        case .wait(let value): value
        case .request, .done, .ended: ""
        }
    }
}

extension FlowKind {
    /// Whether the flow is a log-in, by an account or by an address.
    var isLogIn: Bool { self == .login || self == .address }
}

extension String {
    /// Whether the text can be the handle of a flow or of a stored request: 1 to 128 characters of base64url.
    var isHandle: Bool {
        (1...128).contains(utf8.count)
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Whether the text can be the id of a browser's flow.
    fileprivate var isFlowID: Bool { isHandle && utf8.count == 22 }
}
