import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
package import Identity
import Keys
import Ledger

/// Finds the users who hold addresses: a registration takes the claim on its address.
struct AddressHolders: Sendable {
    let context: ServiceContext

    /// Returns the user who holds an address; `nil` if nobody does. A user who changed their address holds the former
    /// one as long as it can undo the change.
    func holder(of address: EmailAddress) async throws -> UserID? {
        let claim = try await context.reader.claim(context.ring.addressClaim(address)), now = context.settings.now()
        return claim.flatMap { claim in
            claim.expiresAt.map { $0 <= now } == true ? nil : UserID(claim.owner)
        }
    }

    /// Whether nobody but the user holds an address.
    func mayTake(_ address: EmailAddress, user: UserID) async throws -> Bool {
        let holder = try await holder(of: address)
        return holder == nil || holder == user
    }

    /// The claim that a new user takes on an address which nobody holds.
    ///
    /// - Throws: `request.stale` if somebody holds it by now.
    func claim(on address: EmailAddress, for user: UserID) async throws -> Claim {
        guard try await holder(of: address) == nil else { throw ServiceError(.requestStale) }
        return Claim(key: context.ring.addressClaim(address), owner: user.uuid)
    }

    /// The address of a user; `nil` without one, or if nobody can decrypt it any more.
    func address(of user: UserID) async throws -> EmailAddress? {
        let text = try await context.userWithAddress(user).email?.text
        return text.flatMap { try? EmailAddress(recorded: $0) }
    }

    /// The release of the claim that a user has on their address; none if it was released.
    ///
    /// - Parameter known: The address to use if nobody can decrypt any more what the user registered.
    func releases(of user: UserID, _ known: EmailAddress? = nil) async throws -> [ClaimRelease] {
        guard let address = try await address(of: user) ?? known else { return [] }
        let key = context.ring.addressClaim(address)
        guard let claim = try await context.reader.claim(key), claim.owner == user.uuid, claim.expiresAt == nil
        else { return [] }
        return [ClaimRelease(key: key, owner: user.uuid)]
    }

    /// The release of the claim that a user has on the former address; none without one.
    func formerReleases(of user: UserID) async throws -> [ClaimRelease] {
        let text = try await context.userWithAddress(user).change?.former?.text
        guard let address = text.flatMap({ try? EmailAddress(recorded: $0) }) else { return [] }
        let key = context.ring.addressClaim(address)
        guard let claim = try await context.reader.claim(key), claim.owner == user.uuid, claim.expiresAt != nil
        else { return [] }
        return [ClaimRelease(key: key, owner: user.uuid)]
    }
}

extension ServiceContext {
    /// A user folded with the address decrypted, if the key still exists.
    func userWithAddress(_ id: UserID) async throws -> User.State { try await addressHistory(id).user }

    /// The same, with the events.
    func addressHistory(_ id: UserID) async throws -> (user: User.State, events: StreamEvents) {
        let keys = try await personKeys.load([id.uuid], ledger: LedgerID.directory(of: id).uuid)
        let stream = StreamID.user(id)
        let events = try await reader.streams([stream])[stream] ?? []
        return (User.fold(try events.map { try EventCodec.decode($0, keys: keys) }), events)
    }

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
