import Canonical
import ErrorCodes

/// The algorithm that signs the ID tokens of a client (RFC 7518, section 3.1).
package enum IDTokenAlgorithm: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// RSASSA-PKCS1-v1_5 with SHA-256, which every client knows.
    case rs256 = "RS256"
    /// ECDSA with P-256 and SHA-256.
    case es256 = "ES256"
}

/// When a person is asked whether a client may learn what it requests.
package enum ConsentMode: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// Never: the tenant's link of the app is the consent.
    case never = "none"
    /// Once for each person, until it is withdrawn or more is requested.
    case once
    /// At every authorization.
    case always
}

/// Whether a client with a secret must send a challenge (RFC 7636). A public client always must.
package enum ChallengeMode: String, Sendable, Hashable, CaseIterable {
    /// In every request.
    case required
    /// As it likes, until it has sent one and redeemed the code: then in every request.
    case optional
}

/// What the operator registered about an app as a client of the OpenID provider.
package struct ClientRegistration: Sendable, Hashable {
    /// The URIs to which an authorization may be answered, sorted.
    package let redirects: [ClientURI]
    /// The URIs to which the browser may be sent after a log-out, sorted.
    package let postLogout: [ClientURI]
    /// The origins whose scripts may call the endpoints of tokens, sorted.
    package let origins: [ClientOrigin]
    /// The tenants whose people the client takes, sorted. The link of the tenant is needed too.
    package let tenants: [TenantID]
    /// Whether the client takes people of every tenant that links it.
    package let anyTenant: Bool
    /// Whether the client cannot keep a secret, as a script in a browser cannot.
    package let isPublic: Bool
    package let idToken: IDTokenAlgorithm
    /// When people are asked.
    package let consent: ConsentMode
    /// The member of the log, which is absent where a challenge is optional.
    fileprivate var pkce: RequiredChallenge?

    /// The largest number of URIs of one kind, of origins and of tenants.
    package static let maximumCount = 16
    /// The largest number of bytes of all URIs, origins and tenants together: one signed statement repeats them.
    package static let maximumBytes = 2_560

    /// Checks a registration. Lists are sorted, and what is given twice counts once.
    ///
    /// - Throws: ``ValueError`` with `request.invalid` and the reason.
    package init(
        redirects: [ClientURI], postLogout: [ClientURI] = [], origins: [ClientOrigin] = [], tenants: [TenantID] = [],
        anyTenant: Bool = false, isPublic: Bool = false, idToken: IDTokenAlgorithm = .rs256,
        consent: ConsentMode = .never, challenge: ChallengeMode = .optional
    ) throws(ValueError) {
        func refusal(_ field: String, _ reason: String) -> ValueError {
            ValueError(.requestInvalid, field: field, reason: reason)
        }
        guard !redirects.isEmpty else { throw refusal("redirects", "name at least one redirect URI") }
        guard tenants.isEmpty || !anyTenant else {
            throw refusal("tenants", "a client of any tenant has no list of tenants")
        }
        self.init(
            recorded: Self.sorted(redirects), postLogout: Self.sorted(postLogout), origins: Self.sorted(origins),
            tenants: Self.sorted(tenants), anyTenant: anyTenant, isPublic: isPublic, idToken: idToken,
            consent: consent, pkce: challenge == .required ? .required : nil)
        let lists = [
            ("redirects", self.redirects.map(\.text)), ("postLogout", self.postLogout.map(\.text)),
            ("origins", self.origins.map(\.text)), ("tenants", self.tenants.map(\.description)),
        ]
        for (field, texts) in lists where texts.count > Self.maximumCount {
            throw refusal(field, "a client has \(Self.maximumCount) of them at most")
        }
        guard lists.reduce(0, { $0 + $1.1.reduce(0) { $0 + $1.utf8.count } }) <= Self.maximumBytes else {
            throw refusal(
                "redirects", "all URIs, origins and tenants have more than \(Self.maximumBytes) bytes together")
        }
    }

    /// The members of the log, which were checked before they were recorded.
    private init(
        recorded redirects: [ClientURI], postLogout: [ClientURI], origins: [ClientOrigin], tenants: [TenantID],
        anyTenant: Bool, isPublic: Bool, idToken: IDTokenAlgorithm, consent: ConsentMode, pkce: RequiredChallenge?
    ) {
        self.redirects = redirects
        self.postLogout = postLogout
        self.origins = origins
        self.tenants = tenants
        self.anyTenant = anyTenant
        self.isPublic = isPublic
        self.idToken = idToken
        self.consent = consent
        self.pkce = pkce
    }

    private static func sorted<Value: Hashable & CustomStringConvertible>(_ values: [Value]) -> [Value] {
        Set(values).sorted { $0.description.utf8.lexicographicallyPrecedes($1.description.utf8) }
    }

    /// Whether an answer at a URI may reach any program of the person's machine: the client has no secret, and the URI
    /// is of the loopback interface or of an app's scheme (RFC 8252, section 8.6).
    package func isUnassured(at redirect: ClientURI) -> Bool { isPublic && redirect.authority?.scheme != "https" }

    /// When people are asked whose answer goes to a URI: each time if any program may have sent the request.
    package func consent(at redirect: ClientURI) -> ConsentMode { isUnassured(at: redirect) ? .always : consent }

    /// Whether the client takes people of a tenant. Whether the tenant links the client is another question.
    package func takes(_ tenant: TenantID) -> Bool { anyTenant || tenants.contains(tenant) }

    /// Whether every authorization request needs a challenge.
    package var needsChallenge: Bool { isPublic || pkce != nil }

    /// The registration after the client has answered a challenge.
    var needingChallenge: ClientRegistration {
        var changed = self
        changed.pkce = .required
        return changed
    }
}

extension ClientRegistration: FlatObject {
    /// The members of `AppClientChanged`.
    package static let members = EventMembers<ClientRegistration>(
        "ClientRegistration",
        {
            ClientRegistration(
                recorded: $0, postLogout: $1, origins: $2, tenants: $3, anyTenant: $4, isPublic: $5, idToken: $6,
                consent: $7, pkce: $8)
        },
        Member("redirects", \.redirects, .sortedTexts(1...maximumCount)),
        Member("postLogout", \.postLogout, .sortedTexts(0...maximumCount)),
        Member("origins", \.origins, .sortedTexts(0...maximumCount)),
        Member("tenants", \.tenants, .sortedTexts(0...maximumCount)), Member("anyTenant", \.anyTenant),
        Member("isPublic", \.isPublic), Member("idToken", \.idToken), Member("consent", \.consent),
        Member(optional: "pkce", \.pkce))
}

/// The only value of the member `pkce`.
enum RequiredChallenge: String, Sendable, Hashable, CaseIterable, MemberValue {
    case required
}

extension MemberKind {
    /// Values that are one string each, sorted by their bytes and without repetition.
    fileprivate static func sortedTexts<Element: MemberValue & CustomStringConvertible>(
        _ count: ClosedRange<Int>
    ) -> MemberKind<[Element]> where Value == [Element] {
        let array = MemberKind<[Element]>.array(of: Element.memberKind) { _ in count }
        @Sendable func check(_ values: [Element], at place: MemberPlace) throws(JSONError) {
            let isSorted = zip(values, values.dropFirst()).allSatisfy {
                $0.description.utf8.lexicographicallyPrecedes($1.description.utf8)
            }
            guard isSorted else { throw place.invalid("sorted values without repetition are expected") }
        }
        return MemberKind(array.description) { (json, place) throws(JSONError) in
            let values = try array.read(json, at: place)
            try check(values, at: place)
            return values
        } write: { (values, place) throws(JSONError) in
            try check(values, at: place)
            return try array.write(values, at: place)
        }
    }
}
