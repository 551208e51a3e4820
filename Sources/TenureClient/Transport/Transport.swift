/// A request as it goes over the wire.
public struct WireRequest: Sendable {
    /// The method.
    public var method: String
    /// The absolute address; its path is percent-encoded already.
    public var url: String
    /// Header fields by name.
    public var headers: [String: String]
    /// The body; nil sends none.
    public var body: [UInt8]?
}

/// A response as it came over the wire.
public struct WireResponse: Sendable {
    /// The status.
    public var status: Int
    /// Header fields by lower-case name.
    public var headers: [String: String]
    /// The body.
    public var body: [UInt8]

    /// Describes a response.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Sends requests; tests have one of their own.
public protocol Transport: Sendable {
    /// Sends one request once; throws anything when no response came.
    func send(_ request: WireRequest) async throws -> WireResponse
}
