package import Canonical
package import Crypto
package import FoundationEssentials
package import Postgres

extension KeyRing {
    /// Returns the 32 bytes by which a claim of a name, an address or an id is looked up.
    ///
    /// It is HMAC-SHA-256 under the lookup key over the length-prefixed list (four bytes, big endian, before every
    /// part) of `tenure/v1/lookup`, the kind, the 16 bytes of the scope or nothing, and the canonical text. Permanent.
    ///
    /// - Parameters:
    ///   - kind: The kind of claim, such as `company` or `email`.
    ///   - canonical: The canonical text as UTF-8.
    ///   - scope: The tenant within which the text is unique, or `nil` if it is globally unique. With a scope, one text
    ///     has unrelated digests in two tenants, so the table does not reveal that they share it.
    package func lookupDigest(kind: String, _ canonical: [UInt8], scope: UUID? = nil) -> [UInt8] {
        var message = LengthPrefixed(tag: "tenure/v1/lookup")
        message.append(kind)
        message.append(scope?.bytes ?? [])
        message.append(canonical)
        return authenticationCode(message.bytes, .lookup)
    }

    /// Returns the id of a tenant by its name. It is also the id of the tenant's ledger.
    ///
    /// It is the first 16 bytes of HMAC-SHA-256 under the lookup key over `tenure/v1/tenant` ‖ canonical name. The bits
    /// of version 8 and of the variant are set (RFC 9562 §5.8), so that it is a valid UUID. Two founders that race name
    /// the same ledger. Permanent.
    package func tenantID(companyName canonical: [UInt8]) -> UUID {
        Self.identifier(authenticationCode(Array("tenure/v1/tenant".utf8) + canonical, .lookup))
    }

    /// Returns the id that follows from a text: the first 16 bytes of its look-up digest, as ``tenantID(companyName:)``
    /// makes one.
    package func lookupID(kind: String, _ canonical: [UInt8], scope: UUID) -> UUID {
        Self.identifier(lookupDigest(kind: kind, canonical, scope: scope))
    }

    private static func identifier(_ digest: [UInt8]) -> UUID {
        var b = digest
        b[6] = b[6] & 0x0F | 0x80
        b[8] = b[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }
}

extension KeyRing {
    /// Returns the 32 bytes by which a session token is stored and found. Reading the table yields no token.
    ///
    /// It is HMAC-SHA-256 under the sessions key over the length-prefixed list of `tenure/v1/session-token`, the kind
    /// and the token.
    ///
    /// - Parameters:
    ///   - kind: The kind of token, `access` or `refresh`. One cannot be used in place of the other.
    ///   - token: The bytes of the token.
    package func sessionTokenDigest(kind: String, _ token: [UInt8]) -> [UInt8] {
        var message = LengthPrefixed(tag: "tenure/v1/session-token")
        message.append(kind)
        message.append(token)
        return authenticationCode(message.bytes, .sessions)
    }

    /// Returns the 32 bytes that authenticate a refresh token.
    ///
    /// They are HMAC-SHA-256 under the sessions key over the length-prefixed list of `tenure/v1/refresh-token` and the
    /// token.
    ///
    /// - Parameter token: The authenticated bytes: the ledger, the session and the counter.
    package func refreshTokenCode(_ token: [UInt8]) -> [UInt8] {
        authenticationCode(Self.refreshTokenMessage(token), .sessions)
    }

    /// Whether the code authenticates the token. The comparison takes constant time.
    package func isRefreshTokenCode(_ code: [UInt8], of token: [UInt8]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: Self.refreshTokenMessage(token), using: secret(.sessions).symmetric)
    }

    private static func refreshTokenMessage(_ token: [UInt8]) -> [UInt8] {
        var message = LengthPrefixed(tag: "tenure/v1/refresh-token")
        message.append(token)
        return message.bytes
    }
}

extension KeyRing {
    /// Encrypts the contents of a flow's row: nonce (12) ‖ ciphertext ‖ tag (16).
    ///
    /// The cipher is AES-256-GCM under HKDF-SHA-256(flows key, salt: flow id ‖ secret, info: `tenure/v1/flow`), with
    /// the 16 bytes of the flow id as associated data. Each flow has its own key, which keeps the number of random
    /// nonces per key small, and prevents decrypting a row as another flow's.
    ///
    /// - Parameter secret: A secret that only the flow's caller keeps. The flows key outlives backups, but does not
    ///   decrypt a row that was encrypted with a secret.
    /// - Throws: ``KeysError/Code/cipherFailed``.
    package func sealFlow(_ clear: [UInt8], id: UUID, secret: [UInt8] = []) throws(KeysError) -> [UInt8] {
        try SealedBytes.seal(clear, under: flowKey(id, secret), authenticating: id.bytes)
    }

    /// Decrypts the result of ``sealFlow(_:id:secret:)``.
    ///
    /// - Throws: ``KeysError/Code/sealInvalid``.
    package func openFlow(_ sealed: [UInt8], id: UUID, secret: [UInt8] = []) throws(KeysError) -> [UInt8] {
        guard let clear = SealedBytes.open(sealed, under: flowKey(id, secret), authenticating: id.bytes) else {
            throw KeysError(code: .sealInvalid, reason: "a flow's row does not open")
        }
        return clear
    }

    /// Encrypts the canonical JSON of an object like the contents of a flow's row.
    package func sealFlow<Object: FlatObject>(
        _ object: Object, id: UUID, secret: [UInt8]
    ) throws -> [UInt8] where Object.Context == Void {
        try sealFlow(Object.members.write(object).canonicalBytes(), id: id, secret: secret)
    }

    /// Decrypts and reads an object; `nil` if it does not open, or has another form.
    package func openFlow<Object: FlatObject>(
        _ sealed: [UInt8], id: UUID, secret: [UInt8]
    ) -> Object? where Object.Context == Void {
        guard let clear: [UInt8] = try? openFlow(sealed, id: id, secret: secret) else { return nil }
        return try? Object.members.read(CanonicalJSON.parse(clear))
    }

    private func flowKey(_ id: UUID, _ secret: [UInt8]) -> SymmetricKey {
        derivedKey(.flows, salt: id.bytes + secret, info: Array("tenure/v1/flow".utf8))
    }
}

extension KeyRing {
    /// Returns the 32 bytes by which a caller's `Idempotency-Key` is found. The key itself is not stored.
    ///
    /// They are HMAC-SHA-256 under the idempotency key over the length-prefixed list of `tenure/v1/idempotency-key`,
    /// scope, key.
    ///
    /// - Parameter scope: The caller, such as the bytes of the app's id, because two callers may choose the same key.
    package func idempotencyDigest(key raw: [UInt8], scope: [UInt8]) -> [UInt8] {
        var message = LengthPrefixed(tag: "tenure/v1/idempotency-key")
        message.append(scope)
        message.append(raw)
        return authenticationCode(message.bytes, .idempotency)
    }

    /// Returns the 32 bytes that detect a repeated key with another request.
    ///
    /// They are HMAC-SHA-256 under the idempotency key over the length-prefixed list of `tenure/v1/idempotency-body`
    /// and the parts. A plain hash of a body with answers could be guessed offline from the table.
    ///
    /// - Parameter parts: Scope, method, path and body, in a fixed order.
    package func idempotencyFingerprint(_ parts: [[UInt8]]) -> [UInt8] {
        var code = HMAC<SHA256>(key: secret(.idempotency).symmetric)
        code.update(data: LengthPrefixed(tag: "tenure/v1/idempotency-body").bytes)
        for part in parts {
            code.update(data: LengthPrefixed.length(UInt32(truncatingIfNeeded: part.count)))
            code.update(data: part)
        }
        return Array(code.finalize())
    }

    /// Encrypts a response that is kept for a repeated request: nonce (12) ‖ ciphertext ‖ tag (16).
    ///
    /// The cipher is AES-256-GCM under HKDF-SHA-256(idempotency key, salt: raw `Idempotency-Key`, info: length-prefixed
    /// `tenure/v1/idempotency-answer`, scope), with ``idempotencyDigest(key:scope:)`` as associated data. Only a caller
    /// that sends the key again can have it decrypted, and only from its own row.
    ///
    /// - Throws: ``KeysError/Code/cipherFailed``.
    package func sealAnswer(_ clear: [UInt8], key raw: [UInt8], scope: [UInt8]) throws(KeysError) -> [UInt8] {
        let data = idempotencyDigest(key: raw, scope: scope)
        return try SealedBytes.seal(clear, under: answerKey(raw, scope), authenticating: data)
    }

    /// Decrypts the result of ``sealAnswer(_:key:scope:)``.
    ///
    /// - Throws: ``KeysError/Code/sealInvalid``.
    package func openAnswer(_ sealed: [UInt8], key raw: [UInt8], scope: [UInt8]) throws(KeysError) -> [UInt8] {
        let data = idempotencyDigest(key: raw, scope: scope)
        guard let clear = SealedBytes.open(sealed, under: answerKey(raw, scope), authenticating: data) else {
            throw KeysError(code: .sealInvalid, reason: "a stored answer does not open")
        }
        return clear
    }

    private func answerKey(_ raw: [UInt8], _ scope: [UInt8]) -> SymmetricKey {
        var info = LengthPrefixed(tag: "tenure/v1/idempotency-answer")
        info.append(scope)
        return derivedKey(.idempotency, salt: raw, info: info.bytes)
    }
}

extension KeyRing {
    /// Encrypts the reply to a refresh, for a caller that presents the same refresh token again.
    ///
    /// The cipher is AES-256-GCM under HKDF-SHA-256(sessions key, salt: token, info: the length-prefixed
    /// `tenure/v1/refresh-reply` and place), with the place as associated data. The token is stored nowhere, so the
    /// sessions key alone opens no reply.
    ///
    /// - Parameters:
    ///   - token: The refresh token that was presented.
    ///   - place: Where and when the reply was given; the reply opens nowhere else.
    /// - Throws: ``KeysError/Code/cipherFailed``.
    package func sealRefreshReply(_ clear: [UInt8], token: [UInt8], at place: [UInt8]) throws(KeysError) -> [UInt8] {
        try SealedBytes.seal(clear, under: refreshReplyKey(token, place), authenticating: place)
    }

    /// Decrypts the result of ``sealRefreshReply(_:token:at:)``; `nil` if anything differs.
    package func openRefreshReply(_ sealed: [UInt8], token: [UInt8], at place: [UInt8]) -> [UInt8]? {
        SealedBytes.open(sealed, under: refreshReplyKey(token, place), authenticating: place)
    }

    private func refreshReplyKey(_ token: [UInt8], _ place: [UInt8]) -> SymmetricKey {
        var info = LengthPrefixed(tag: "tenure/v1/refresh-reply")
        info.append(place)
        return derivedKey(.sessions, salt: token, info: info.bytes)
    }
}

extension KeyRing {
    /// Returns the 32 bytes that a decoy is derived from. The same parts always yield the same bytes.
    ///
    /// They are HMAC-SHA-256 under the decoy key over the length-prefixed list of `tenure/v1/decoy`, the label and the
    /// parts.
    ///
    /// - Parameters:
    ///   - label: What is derived, such as `oprf/answers`, `credential` or `budget`.
    ///   - parts: The names of the unknown employee: canonical tenant name and canonical employee id.
    package func decoyDigest(_ label: String, _ parts: [[UInt8]]) -> SecretKey {
        var message = LengthPrefixed(tag: "tenure/v1/decoy")
        message.append(label)
        for part in parts { message.append(part) }
        return derivedSecret(message.bytes, .decoy)
    }
}

extension KeyRing {
    /// Returns the Ed25519 key (RFC 8032) that signs checkpoints; the purpose key is its 32-byte seed.
    ///
    /// - Throws: ``KeysError/Code/cipherFailed``, which cannot occur with a seed of 32 bytes.
    package func checkpointSigningKey() throws(KeysError) -> Curve25519.Signing.PrivateKey {
        do {
            return try Curve25519.Signing.PrivateKey(rawRepresentation: secret(.checkpoints).bytes)
        } catch {
            throw KeysError(code: .cipherFailed, reason: "the checkpoint key is not usable")
        }
    }
}

extension KeyRing {
    /// Returns a code that continues an M-Pin registration, or proves that somebody made a proof: 32 bytes.
    ///
    /// It is HMAC-SHA-256 under the M-Pin key over the length-prefixed list of `tenure/v1/mpin`, the label and the
    /// parts. Nothing is stored: the same parts have the same code.
    package func mpinCode(_ label: String, _ parts: [[UInt8]]) -> [UInt8] {
        var message = LengthPrefixed(tag: "tenure/v1/mpin")
        message.append(label)
        for part in parts { message.append(part) }
        return authenticationCode(message.bytes, .mpin)
    }

    /// Encrypts bytes of M-Pin that have to be read again, for one place.
    ///
    /// - Parameter place: What the bytes are and whose. Sealed bytes open in the same place only.
    package func sealMPin(_ clear: [UInt8], at place: [UInt8]) throws(KeysError) -> [UInt8] {
        try SealedBytes.seal(clear, under: mpinSealKey(place), authenticating: place)
    }

    /// Decrypts the bytes that ``sealMPin(_:at:)`` encrypted for this place; `nil` if they do not open.
    package func openMPin(_ sealed: [UInt8], at place: [UInt8]) -> [UInt8]? {
        SealedBytes.open(sealed, under: mpinSealKey(place), authenticating: place)
    }

    private func mpinSealKey(_ place: [UInt8]) -> SymmetricKey {
        derivedKey(.mpin, salt: place, info: Array("tenure/v1/mpin-seal".utf8))
    }
}

extension KeyRing {
    /// Returns the 32 bytes that authenticate a token of a client's grant: HMAC-SHA-256 under the sessions key over the
    /// length-prefixed list of `tenure/v1/grant-token`, the kind and the body.
    ///
    /// - Parameter kind: `access` or `refresh`. One cannot be used in place of the other.
    public func grantTokenCode(kind: String, _ body: [UInt8]) -> [UInt8] {
        authenticationCode(Self.grantTokenMessage(kind, body), .sessions)
    }

    /// Whether the code authenticates the token. The comparison takes constant time.
    public func isGrantTokenCode(_ code: [UInt8], kind: String, of body: [UInt8]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: Self.grantTokenMessage(kind, body), using: secret(.sessions).symmetric)
    }

    private static func grantTokenMessage(_ kind: String, _ body: [UInt8]) -> [UInt8] {
        var message = LengthPrefixed(tag: "tenure/v1/grant-token")
        message.append(kind)
        message.append(body)
        return message.bytes
    }
}

extension KeyRing {
    /// Returns the code in a link that is sent by mail: 32 bytes, HMAC-SHA-256 under the mail key.
    ///
    /// - Parameters:
    ///   - kind: What the link is for. A code of one kind is useless for another.
    ///   - recipient: The id of the identity or the user whom the mail goes to.
    ///   - expires: When the link expires, in seconds since 1970. The caller checks it.
    package func mailLinkCode(kind: String, recipient: UUID, expires: Int64) -> [UInt8] {
        var message = LengthPrefixed(tag: "tenure/v1/mail-link")
        message.append(kind)
        message.append(recipient.bytes)
        message.append(Array(String(expires).utf8))
        return authenticationCode(message.bytes, .mail)
    }

    /// Compares the code of a link, in a time that does not depend on where the codes differ.
    package func isMailLinkCode(_ code: [UInt8], kind: String, recipient: UUID, expires: Int64) -> Bool {
        let right = mailLinkCode(kind: kind, recipient: recipient, expires: expires)
        guard code.count == right.count else { return false }
        return zip(code, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension KeyRing {
    /// Encrypts the private key that signs access tokens: nonce (12) ‖ ciphertext ‖ tag (16).
    ///
    /// - Parameter keyID: The id of the key, which is authenticated with it.
    /// - Throws: ``KeysError/Code/cipherFailed``.
    package func sealTokenKey(_ clear: [UInt8], keyID: String) throws(KeysError) -> [UInt8] {
        try SealedBytes.seal(clear, under: tokenSealKey, authenticating: Array(keyID.utf8))
    }

    /// Decrypts what ``sealTokenKey(_:keyID:)`` encrypted for this id; `nil` if it does not open.
    package func openTokenKey(_ sealed: [UInt8], keyID: String) -> [UInt8]? {
        SealedBytes.open(sealed, under: tokenSealKey, authenticating: Array(keyID.utf8))
    }

    /// Encrypts a private key that signs ID tokens: nonce (12) ‖ ciphertext ‖ tag (16). It opens as no key of access
    /// tokens, and as a key of no other algorithm.
    ///
    /// - Parameters:
    ///   - keyID: The id of the key, which is authenticated with it.
    ///   - algorithm: Its algorithm, such as `RS256`, which is authenticated too.
    /// - Throws: ``KeysError/Code/cipherFailed``.
    public func sealIDTokenKey(_ clear: [UInt8], keyID: String, algorithm: String) throws(KeysError) -> [UInt8] {
        try SealedBytes.seal(clear, under: idTokenSealKey, authenticating: Array("\(algorithm) \(keyID)".utf8))
    }

    /// Decrypts what ``sealIDTokenKey(_:keyID:algorithm:)`` encrypted for this id; `nil` if it does not open.
    public func openIDTokenKey(_ sealed: [UInt8], keyID: String, algorithm: String) -> [UInt8]? {
        SealedBytes.open(sealed, under: idTokenSealKey, authenticating: Array("\(algorithm) \(keyID)".utf8))
    }

    /// Encrypts the secret that the pages act with: nonce (12) ‖ ciphertext ‖ tag (16). It opens as nothing else.
    ///
    /// - Parameters:
    ///   - app: The pages app, which is authenticated with the secret.
    ///   - id: The id of the secret, which is authenticated too.
    /// - Throws: ``KeysError/Code/cipherFailed``.
    package func sealPagesSecret(_ clear: [UInt8], app: UUID, id: UUID) throws(KeysError) -> [UInt8] {
        try SealedBytes.seal(clear, under: pagesSealKey, authenticating: app.bytes + id.bytes)
    }

    /// Decrypts what ``sealPagesSecret(_:app:id:)`` encrypted for this app and id; `nil` if it does not open.
    package func openPagesSecret(_ sealed: [UInt8], app: UUID, id: UUID) -> [UInt8]? {
        SealedBytes.open(sealed, under: pagesSealKey, authenticating: app.bytes + id.bytes)
    }

    private var pagesSealKey: SymmetricKey {
        derivedKey(.tokens, salt: [], info: Array("tenure/v1/pages-secret".utf8))
    }

    private var idTokenSealKey: SymmetricKey {
        derivedKey(.tokens, salt: [], info: Array("tenure/v1/id-token-key".utf8))
    }

    private var tokenSealKey: SymmetricKey { derivedKey(.tokens, salt: [], info: Array("tenure/v1/token-key".utf8)) }
}

extension KeyRing {
    /// The key of the codes of events; `EventCodes` in Ledger computes them.
    package var eventsKey: SymmetricKey { secret(.events).symmetric }
    /// The keys that were replaced: their codes count below the sizes that the log records.
    package var olderEventsKeys: [SymmetricKey] { olderEvents.map(\.symmetric) }

    /// Stores a new key of events, and keeps the present one as an older one.
    ///
    /// - Throws: ``KeysError`` and `PostgresError`.
    package func replaceEventsKey(
        by key: SecretKey, _ masters: MasterKeys, on connection: inout PostgresConnection
    ) async throws {
        let version = Int32(clamping: masters.current), master = try masters.key(version: masters.current)
        let name = KeyPurpose.olderEvents(olderEvents.count + 1)
        let older = try KeyPurpose.wrap(name, master: masters.current).wrap(secret(.events), under: master)
        let wrapped = try KeyPurpose.events.wrap(master: masters.current).wrap(key, under: master)
        try await connection.execute(
            "INSERT INTO tenure.purpose_key (purpose, master_version, wrapped) VALUES (\(name), \(version), \(older))")
        try await connection.execute(
            """
            UPDATE tenure.purpose_key SET master_version = \(version), wrapped = \(wrapped)
            WHERE purpose = \(KeyPurpose.events.rawValue)
            """)
    }
}
