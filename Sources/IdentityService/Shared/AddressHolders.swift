import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
package import Identity
import Keys
import Ledger

/// Finds the users who hold addresses.
///
/// A registration takes two claims on its address: one by the address's key, and one by its folded form unless somebody
/// else has that. Users who registered before keys have only the second, which other addresses may fold to as well. So
/// such a claim counts for the address that its owner registered, which is decrypted and compared.
struct AddressHolders: Sendable {
    private let ring: KeyRing
    private let reader: LedgerReader
    private let personKeys: PersonKeys

    /// Finds them by the components of the service.
    init(context: ServiceContext) {
        self.init(ring: context.ring, reader: context.reader, personKeys: context.personKeys)
    }

    init(ring: KeyRing, reader: LedgerReader, personKeys: PersonKeys) {
        self.ring = ring
        self.reader = reader
        self.personKeys = personKeys
    }

    /// Returns the user who holds an address; `nil` if nobody does.
    ///
    /// Two users may have registered spellings of one address before keys: with an A-label and with the U-label. The one
    /// who verified the address holds it, otherwise the earlier one. The other keeps the account.
    func holder(of address: EmailAddress) async throws -> UserID? {
        try await holder(of: address, in: try await found(address))
    }

    /// The claims that somebody has on an address or a text that it folds to.
    private func found(_ address: EmailAddress) async throws -> [ClaimKey: Claim] {
        let folded = address.foldings.map { ring.emailClaim(folding: $0) }
        return try await reader.claims([ring.addressClaim(address)] + folded)
    }

    private func holder(of address: EmailAddress, in claims: [ClaimKey: Claim]) async throws -> UserID? {
        let exact = ring.addressClaim(address)
        let folded = address.foldings.map { ring.emailClaim(folding: $0) }
        if let claim = claims[exact] { return UserID(claim.owner) }
        var found: [Candidate] = []
        for key in folded {
            guard let owner = claims[key].map({ UserID($0.owner) }), !found.contains(where: { $0.user == owner }),
                let candidate = try await candidate(owner, for: address)
            else { continue }
            found.append(candidate)
        }
        return found.min { $0.precedes($1) }?.user
    }

    /// A user who registered an address, by whose claim alone this is not known.
    private struct Candidate {
        let user: UserID
        let isVerified: Bool
        let registered: Timestamp

        func precedes(_ other: Candidate) -> Bool {
            guard isVerified == other.isVerified else { return isVerified }
            guard registered == other.registered else { return registered < other.registered }
            return user.uuid.bytes.lexicographicallyPrecedes(other.user.uuid.bytes)
        }
    }

    /// The owner of an older claim, if they registered the address. If nobody can decrypt any more what they registered,
    /// the claim counts for every address that folds to it: nobody is given the address of somebody else.
    private func candidate(_ user: UserID, for address: EmailAddress) async throws -> Candidate? {
        guard let person = try await people([user], in: .directory(of: user)).first else { return nil }
        if let own = person.address, own != address { return nil }
        return Candidate(user: user, isVerified: person.state.isEmailVerified, registered: person.registered)
    }

    /// A user with what they registered.
    struct Person {
        let state: User.State
        /// The address; `nil` if it was released, or nobody can decrypt it any more.
        let address: EmailAddress?
        let registered: Timestamp
    }

    /// Reads users of one directory. Users without events are left out.
    func people(_ users: [UserID], in directory: LedgerID) async throws -> [Person] {
        let keys = try await personKeys.load(users.map(\.uuid), ledger: directory.uuid)
        let events = try await reader.streams(users.map { StreamID.user($0) })
        return try users.compactMap { user in
            guard let stream = events[.user(user)], let first = stream.first else { return nil }
            let state = User.fold(try stream.map { try EventCodec.decode($0, keys: keys) })
            let address = state.email?.text.flatMap { try? EmailAddress(recorded: $0) }
            return Person(state: state, address: address, registered: first.time)
        }
    }

    /// The claims that a new user takes on an address which nobody holds.
    ///
    /// - Throws: `request.stale` if somebody holds it by now.
    func claims(on address: EmailAddress, for user: UserID) async throws -> [Claim] {
        let found = try await found(address)
        guard try await holder(of: address, in: found) == nil else { throw ServiceError(.requestStale) }
        let exact = Claim(key: ring.addressClaim(address), owner: user.uuid)
        let folded = Claim(key: ring.emailClaim(address), owner: user.uuid)
        return found[folded.key] == nil ? [exact, folded] : [exact]
    }

    /// The releases of all claims that a user has on their address; none if it was released.
    ///
    /// - Parameter known: The address to use if nobody can decrypt any more what the user registered.
    func releases(of user: UserID, _ known: EmailAddress? = nil) async throws -> [ClaimRelease] {
        let own = try await people([user], in: .directory(of: user)).first?.address
        guard let address = own ?? known else { return [] }
        let keys = [ring.addressClaim(address), ring.emailClaim(address)]
        let claims = try await reader.claims(keys)
        return keys.filter { claims[$0]?.owner == user.uuid }.map { ClaimRelease(key: $0, owner: user.uuid) }
    }
}

extension ServiceContext {
    /// Finds the employees in a tenant of the user who holds an address; none if nobody does.
    ///
    /// An address that nobody holds takes the same reads as one that somebody holds in another tenant: the caller may
    /// know only this one.
    ///
    /// - Throws: `email.missing` or `email.invalid`.
    package func employees(holding email: String, in tenant: TenantID) async throws -> [EmployeeID] {
        let address = try parsed { () throws(ValueError) in try EmailAddress(email) }
        let holder = try await AddressHolders(context: self).holder(of: address)
        return try await employees(of: holder ?? UserID(UUID()), in: tenant)
    }
}
