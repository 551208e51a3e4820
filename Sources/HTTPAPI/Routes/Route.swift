import TenureAPI

/// One operation with the work that it does.
struct Route: Sendable {
    /// What an operation does with a body.
    enum Body: Sendable {
        /// There must be none.
        case none
        /// There may be a JSON document; nothing stands for an object without members.
        case optional
        /// There must be a JSON document.
        case required
    }

    /// The operation.
    let endpoint: Endpoint
    /// What it does with a body.
    let body: Body
    /// Its work.
    let respond: @Sendable (Exchange) async throws -> Reply

    init(
        _ endpoint: Endpoint, body: Body = .none, respond: @escaping @Sendable (Exchange) async throws -> Reply
    ) {
        self.endpoint = endpoint
        self.body = body
        self.respond = respond
    }

    /// Refuses a body where none belongs, one that is missing, and one that does not say that it is JSON.
    func checkBody(_ bytes: [UInt8], _ headers: RequestHeaders) throws(Refusal) {
        if bytes.isEmpty {
            if body == .required { throw .invalid(.pointer(""), "a JSON document is expected") }
            return
        }
        if body == .none { throw .invalid(.pointer(""), "no body is expected") }
        if let coding = try headers.single("Content-Encoding"), coding.lowercased() != "identity" {
            throw .invalid(.header("Content-Encoding"), "a body without a coding is expected")
        }
        let type = try headers.single("Content-Type") ?? ""
        let parts = type.lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
        let parameters = parts.dropFirst()
        guard parts.first == "application/json",
            parameters.allSatisfy({ $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" })
        else { throw .invalid(.header("Content-Type"), "application/json is expected") }
    }
}
