import Canonical
import Foundation
@testable import Identity
import Testing

@Suite struct `Inviting somebody` {
    private static let id = InvitationID(UUID())
    private static let admin = EmployeeID(UUID())
    private static let user = UserID(UUID())
    private static let key = key(1)
    private static let time = Timestamp(microseconds: 1_800_000_000_000_000)

    private static func key(_ byte: UInt8) -> PublicKeyBytes {
        guard let key = PublicKeyBytes([4] + [UInt8](repeating: byte, count: 64)) else {
            preconditionFailure("65 bytes")
        }
        return key
    }

    private static func bytes(_ byte: UInt8) throws -> Bytes32 {
        try #require(Bytes32([UInt8](repeating: byte, count: 32)))
    }

    private func decision(
        _ role: EmployeeRole = .admin, status: EmployeeStatus = .active, roleKeys: Set<PublicKeyBytes>? = nil
    ) throws -> AuthorityDecision {
        let signature = try #require(SignatureBytes([UInt8](repeating: 1, count: 64)))
        return AuthorityDecision(
            caller: .employee(
                DecidingEmployee(
                    employee: Self.admin, user: Self.user, role: role, status: status, authorizedKeys: [Self.key],
                    roleKeys: roleKeys ?? (role == .employee ? [] : [Self.key]))),
            statement: SignedStatement(key: Self.key, statement: [1], signature: signature))
    }

    private func issue(
        _ decision: AuthorityDecision, email: String? = nil, lifetime: Duration = .seconds(3_600)
    ) throws -> Invitation.Command {
        .issue(
            Invitation.IssueInvitation(
                id: Self.id, digest: try Self.bytes(1), subject: try Self.bytes(2), subjectSalt: try Self.bytes(3),
                companyEmployeeID: try CompanyEmployeeID("Zoë"), email: try email.map { try EmailAddress($0) },
                expiresAt: Self.time.adding(lifetime), decision: decision, time: Self.time))
    }

    private func use(
        _ id: String = "zoë", email: String = "zoe@mail.example", after: Duration = .seconds(60)
    ) throws -> Invitation.Command {
        .use(
            Invitation.Use(
                employee: EmployeeID(UUID()), companyEmployeeID: try CompanyEmployeeID(id),
                email: try EmailAddress(email), time: Self.time.adding(after)))
    }

    private func fold(_ events: [InvitationEvent], isBacked: Bool = true) throws -> Invitation.State {
        let state = Invitation.fold(
            events.enumerated().map { index, event in
                Recorded(event, id: UUID(), time: Self.time, position: Int64(index) + 10, version: index + 1)
            })
        guard isBacked else { return state }
        return state.backed(in: try tenant(appointedAt: 5), issuer: try account())
    }

    /// A tenant that appointed the admin at a position, and dismissed them where it says so.
    private func tenant(appointedAt position: Int64, dismissed: Bool = false) throws -> Tenant.State {
        let other = EmployeeID(UUID()), listed = [KeyFingerprint(of: Self.key)]
        var events: [(Int64, TenantEvent)] = [
            (
                1,
                .founded(
                    EmployeeRegistered(
                        employeeID: other, userID: UserID(UUID()), companyName: "a.example",
                        companyEmployeeID: Personal(other, "f"), email: Personal(other, "f@a.example"),
                        isCompanyOwnedEmail: false, approved: true))
            ),
            (
                position,
                .adminAppointed(
                    AdminAppointed(employeeID: Self.admin, fingerprints: listed, by: .employee(other, nil)))
            ),
        ]
        if dismissed {
            events.append(
                (position + 1, .adminDismissed(AdminDismissed(employeeID: Self.admin, by: .employee(other, nil)))))
        }
        return Tenant.fold(
            events.enumerated().map { index, event in
                Recorded(event.1, id: UUID(), time: Self.time, position: event.0, version: index + 1)
            })
    }

    private func account(cancelled: Bool = false) throws -> Employee.State {
        var events: [EmployeeEvent] = [
            .registered(
                EmployeeRegistered(
                    employeeID: Self.admin, userID: Self.user, companyName: nil,
                    companyEmployeeID: Personal(Self.admin, "a"), email: Personal(Self.admin, "a@a.example"),
                    isCompanyOwnedEmail: false, approved: true))
        ]
        if cancelled {
            events.append(
                .cancelled(EmployeeCancelled(employeeID: Self.admin, reason: .cancelled, note: nil, by: .policy)))
        }
        return Employee.fold(
            events.enumerated().map { index, event in
                Recorded(event, id: UUID(), time: Self.time, position: Int64(index) + 2, version: index + 1)
            })
    }

    @Test func `needs an admin's key with the role, and lasts at most 30 days`() throws {
        #expect(try Invitation.decide(Invitation.initial, issue(decision())).count == 1)
        #expect(try Invitation.decide(Invitation.initial, issue(decision(.securityAdmin))).count == 1)
        for wrong in [try decision(.employee), try decision(status: .cancelled), try decision(roleKeys: [])] {
            #expect(throws: Invitation.Rejection.notPermitted) {
                try Invitation.decide(Invitation.initial, issue(wrong))
            }
        }
        for lifetime: Duration in [.zero, .seconds(-1), .seconds(30 * 86_400 + 1)] {
            #expect(throws: Invitation.Rejection.lifetime) {
                try Invitation.decide(Invitation.initial, issue(decision(), lifetime: lifetime))
            }
        }
        #expect(
            try Invitation.decide(Invitation.initial, issue(decision(), lifetime: .seconds(30 * 86_400))).count == 1)
        let issued = try fold(try Invitation.decide(Invitation.initial, issue(decision())))
        #expect(throws: Invitation.Rejection.issued) { try Invitation.decide(issued, issue(decision())) }
    }

    @Test func `can be used once, in time, for the names it contains`() throws {
        let issued = try Invitation.decide(Invitation.initial, issue(decision(), email: "Zoe@mail.example"))
        let state = try fold(issued)
        #expect(try Invitation.decide(state, use()).count == 1)
        for wrong in [
            try use("zoe"), try use(email: "zoe@other.example"), try use(after: .seconds(3_600)),
        ] {
            #expect(throws: Invitation.Rejection.invalid) { try Invitation.decide(state, wrong) }
        }
        #expect(throws: Invitation.Rejection.invalid) { try Invitation.decide(Invitation.initial, use()) }
        let used = try fold(issued + Invitation.decide(state, use()))
        #expect(throws: Invitation.Rejection.invalid) { try Invitation.decide(used, use()) }
        #expect(throws: Invitation.Rejection.invalid) { try Invitation.decide(used, .revoke(decision())) }
    }

    @Test func `can be revoked once`() throws {
        let issued = try Invitation.decide(Invitation.initial, issue(decision()))
        let revocation = try Invitation.decide(try fold(issued), .revoke(decision()))
        let revoked = try fold(issued + revocation)
        #expect(revocation.count == 1)
        #expect(try Invitation.decide(revoked, .revoke(decision())).isEmpty)
        #expect(throws: Invitation.Rejection.invalid) { try Invitation.decide(revoked, use()) }
        #expect(throws: Invitation.Rejection.notPermitted) {
            try Invitation.decide(revoked, .revoke(decision(.employee)))
        }
    }

    @Test func `ends with its issuer's authority and does not return with it`() throws {
        let issued = try fold(try Invitation.decide(Invitation.initial, issue(decision())), isBacked: false)
        let states = [
            issued.backed(in: try tenant(appointedAt: 5, dismissed: true), issuer: try account()),
            // Appointed anew, after the invitation.
            issued.backed(in: try tenant(appointedAt: 50), issuer: try account()),
            issued.backed(in: try tenant(appointedAt: 5), issuer: try account(cancelled: true)),
            issued.backed(in: try tenant(appointedAt: 5), issuer: nil),
        ]
        for state in states {
            #expect(throws: Invitation.Rejection.invalid) { try Invitation.decide(state, use()) }
            #expect(try Invitation.decide(state, .endWithIssuer(at: Self.time)).count == 1)
        }
        let backed = issued.backed(in: try tenant(appointedAt: 5), issuer: try account())
        #expect(try Invitation.decide(backed, .endWithIssuer(at: Self.time)).isEmpty)
        #expect(try Invitation.decide(backed, use()).count == 1)
    }

    @Test func `by an app ends with the link or its role and does not return with it`() throws {
        let app = AppID(UUID()), roles = RoleSet(.access, .administration)
        let signature = try #require(SignatureBytes([UInt8](repeating: 1, count: 64)))
        let caller = DecidingApp(
            app: app, secret: SecretID(UUID()), roles: roles, authorityKey: Self.key, linkRoles: roles)
        let statement = SignedStatement(key: Self.key, statement: [1], signature: signature)
        let vouched = AuthorityDecision(caller: .app(caller), statement: statement)
        let issued = try fold(try Invitation.decide(Invitation.initial, issue(vouched)), isBacked: false)
        func link(_ roles: RoleSet) -> TenantEvent { .appLinked(AppLinked(appID: app, roles: roles, by: .founding)) }
        /// The invitation in a tenant to which this happened; it was issued at position 10.
        func state(_ events: KeyValuePairs<Int64, TenantEvent>) -> Invitation.State {
            let tenant = Tenant.fold(
                events.enumerated().map { index, event in
                    Recorded(
                        event.value, id: UUID(), time: Self.time, position: event.key, version: index + 1)
                })
            return issued.backed(in: tenant, issuer: nil)
        }
        let unlinked = TenantEvent.appUnlinked(AppUnlinked(appID: app, by: .founding))
        for ended in [
            state([:]), state([5: link(.usual)]), state([50: link(roles)]),
            state([5: link(roles), 20: unlinked]), state([5: link(roles), 20: unlinked, 30: link(roles)]),
            state([5: link(roles), 20: link(.usual)]),
            state([5: link(roles), 20: link(.usual), 30: link(roles)]),
        ] {
            #expect(throws: Invitation.Rejection.invalid) { try Invitation.decide(ended, use()) }
            #expect(try Invitation.decide(ended, .endWithIssuer(at: Self.time)).count == 1)
        }
        // A link that got more roles has had this one all along.
        let wider = RoleSet(.access, .administration, .creation)
        for kept in [state([5: link(roles)]), state([5: link(roles), 20: link(wider)])] {
            #expect(try Invitation.decide(kept, .endWithIssuer(at: Self.time)).isEmpty)
            #expect(try Invitation.decide(kept, use()).count == 1)
        }
    }

    @Test func `has no use once its texts are erased`() throws {
        let first = try Invitation.decide(Invitation.initial, issue(decision())).first
        var event = try #require(first?.payload as? InvitationIssued)
        event.companyEmployeeID.text = nil
        #expect(throws: Invitation.Rejection.invalid) { try Invitation.decide(try fold([.issued(event)]), use()) }
    }
}
