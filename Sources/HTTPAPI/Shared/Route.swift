import ErrorCodes
import TenureAPI

/// An endpoint and its handler.
struct Route: Sendable {
    let endpoint: Endpoint
    let body: EndpointBody.Kind
    let respond: @Sendable (RoutedRequest) async throws -> Reply

    init(_ endpoint: Endpoint, respond: @escaping @Sendable (RoutedRequest) async throws -> Reply) {
        self.endpoint = endpoint
        body = endpoint.body
        self.respond = respond
    }

    /// A route of an endpoint that is no part of the contract, which therefore says how a body is read.
    init(
        page endpoint: Endpoint, body: EndpointBody.Kind = .none,
        respond: @escaping @Sendable (RoutedRequest) async throws -> Reply
    ) {
        self.endpoint = endpoint
        self.body = body
        guard endpoint.standsApart else {
            self.respond = respond
            return
        }
        // A site that opened such a page keeps no hold of its window. Between a client and its answer pop-ups need it.
        self.respond = { exchange in
            var reply = try await respond(exchange)
            reply.headers["Cross-Origin-Opener-Policy"] = "same-origin"
            return reply
        }
    }

    /// Rejects an unexpected body, a missing body, and a body of another media type.
    func checkBody(_ bytes: [UInt8], _ headers: RequestHeaders) throws(Refusal) {
        if bytes.isEmpty {
            if body == .required { throw .invalid(.pointer(""), "a JSON document is expected") }
            if body == .form { throw .invalid(.pointer(""), "a form is expected") }
            return
        }
        guard let mediaType = body.mediaType else { throw .invalid(.pointer(""), "no body is expected") }
        try mediaType.require(headers, method: endpoint.method)
    }
}

extension Endpoint {
    /// Whether the pages of the endpoint share no window with the site that opened them.
    fileprivate var standsApart: Bool {
        ["account", "recover"].contains(template.text.split(separator: "/").first ?? "")
    }

    var body: EndpointBody.Kind { terms?.body.kind ?? .none }
}

extension EndpointBody.Kind {
    /// The media type of a body that the endpoint reads; `nil` if it reads none.
    fileprivate var mediaType: MediaType? {
        switch self {
        case .none: nil
        case .optional, .required: .json
        case .form, .optionalForm: .form
        }
    }
}

extension Route {
    /// Every route that the service serves.
    ///
    /// - Parameter waiting: The waiting browsers of the process.
    static func all(_ configuration: HTTPConfiguration, waiting: WaitingStreams) -> [Route] {
        general(configuration) + ofReturns + ofTokens + ofOpenID + ofMPin + pages(configuration, waiting)
    }

    private static func general(_ configuration: HTTPConfiguration) -> [Route] {
        [
            listQuestions, startRegistration, proveRegistrationKey, setCredentials, validateRegistrationAnswers,
            validateRegistrationPassphrase, evaluateRegistration, proveRegistration, startLogin, proveLoginKey,
            validateLoginAnswers, validateLoginPassphrase, evaluateLogin, proveLogin,
            startPasskeyLogin, answerPasskeyLogin,
            startChange, proveChangeKey, changeCredentials, evaluateChange, proveChange,
            startRecovery, proveRecoveryKey, recoverCredentials, evaluateRecovery, proveRecovery, listRecoveries,
            openRecovery, confirmRecovery, cancelRecovery, cancelRecoveryByDevice,
            issueInvitation, listInvitations, revokeInvitation,
            refreshSession, closeSession, listSessions, endSessions, readMe, verifyMyEmail, showEmailLink,
            confirmEmail, listDevices, readPasskeyOptions, presentPasskey, revokeDevice, listCompanies, readCompany,
            listEmployees,
            readEmployee, readSecurityAdmin, listAuthorizations, authorizeKey, refuseKey, revokeKey, approveEmployee,
            cancelEmployee,
            reinstateEmployee, endEmployeeSessions, changeRole, reclaimEmail, readPolicy, changePolicy, linkApp,
            unlinkApp, listMPinIdentities, listEvents,
            readCheckpoint, readTile, proveEvent, health, Route.readiness(configuration), anchor,
            openAPI, docs, docsStyle, docsScript,
        ] + developmentMail(configuration) + developmentPage(configuration)
    }

    private static var ofMPin: [Route] {
        [
            readMPinSettings, startMPin, restartMPin, activateMPin, confirmMPin, finishMPin, startMPinProof, proveMPin,
            redeemMPinProof, showMPinLink, followMPinLink, logInByMPin, verifyMPin, linkMPin, revokeMPin,
            issueMPinActivation, readMPinPolicy, changeMPinPolicy,
        ]
    }
}

/// The captured path segments, each percent-decoded exactly once.
struct PathCaptures: Sendable {
    private let values: [String: String]

    /// Decodes the segments.
    ///
    /// Rejects malformed escapes, invalid UTF-8, NUL, and `.` and `..` in every spelling. Proxies and clients rewrite
    /// paths with dot segments, so the request might mean another object.
    init(_ raw: [String: Substring]) throws(Refusal) {
        var values: [String: String] = [:]
        for (name, segment) in raw.sorted(by: { $0.key < $1.key }) {
            guard let value = PercentEncoding.decode(segment) else {
                throw .invalid(.parameter(name), "percent-encoded UTF-8 is expected")
            }
            if value.utf8.contains(0) { throw .invalid(.parameter(name), "NUL is not allowed") }
            if value == "." || value == ".." { throw .invalid(.parameter(name), "a dot segment is not allowed") }
            values[name] = value
        }
        self.values = values
    }

    /// The value of a capture; empty if the pattern does not have it.
    subscript(name: String) -> String { values[name] ?? "" }

    /// All values by the name of their capture.
    var all: [String: String] { values }
}
