import Canonical
import Foundation
import Identity
import Keys
import TenureAPI
import Testing

@testable import IdentityService

@Suite struct FoundingCodeTests {
    private let ring = KeyRing.random()
    private let tenant = TenantID(UUID()), now = Timestamp(microseconds: 1_800_000_000_000_000)

    private func permits(_ text: String, _ tenant: TenantID? = nil, at time: Timestamp? = nil, _ ring: KeyRing? = nil)
        -> Bool
    {
        FoundingCode(text: text)?.permits(tenant ?? self.tenant, at: time ?? now, ring: ring ?? self.ring) ?? false
    }

    @Test func `a code is for one tenant and one service, until its end`() {
        let end = now.adding(.seconds(60)), text = FoundingCode(for: tenant, until: end, ring: ring).text
        #expect(text.utf8.count == 54 && permits(text) && permits(" \(text.prefix(20)) \n\(text.dropFirst(20))"))
        #expect(!permits(text, TenantID(UUID())) && !permits(text, at: nil, .random()))
        #expect(permits(text, at: now.adding(.seconds(59))) && !permits(text, at: end))
    }

    @Test func `a changed code, or another text, is none`() throws {
        let bytes = try #require(
            Base64URL.decode(FoundingCode(for: tenant, until: now.adding(.seconds(60)), ring: ring).text))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(!permits(Base64URL.encode(changed)), "byte \(index)")
        }
        // A later end needs another code.
        let late = [UInt8](repeating: 0x7F, count: 8) + bytes.dropFirst(8)
        #expect(!permits(Base64URL.encode(late)))
        let negative = [UInt8](repeating: 0xFF, count: 8) + bytes.dropFirst(8)
        #expect(!permits(Base64URL.encode(negative)))
        for text in ["", "x", "=", Base64URL.encode(Array(bytes.dropLast())), Base64URL.encode(bytes + [0])] {
            #expect(FoundingCode(text: text) == nil, "\(text)")
        }
        #expect(FoundingCode(text: String(repeating: "A", count: 100_000)) == nil)
        #expect("\(FoundingCode(for: tenant, until: now, ring: ring))".contains("redacted"))
    }

    @Test func `the code of a mailed invitation is for it, its end and its service`() throws {
        let id = InvitationID(UUID()), end = now.adding(.seconds(60))
        let text = MailedInvitation(id, until: end, ring: ring).text
        let read = try #require(MailedInvitation(text: text))
        #expect(read.id == id && text.utf8.count == 64 && read.isRight(until: end, ring: ring))
        #expect(!read.isRight(until: end.adding(.seconds(1)), ring: ring) && !read.isRight(until: end, ring: .random()))
        var bytes = try #require(Base64URL.decode(text))
        bytes[3] ^= 1
        #expect(MailedInvitation(text: Base64URL.encode(bytes))?.isRight(until: end, ring: ring) == false)
        // A token is no such code, and the code is no token or founding code.
        #expect(MailedInvitation(text: InvitationToken().text) == nil && InvitationToken(text: text) == nil)
        #expect(FoundingCode(text: text) == nil)
        #expect("\(read)".contains("redacted"))
    }

    @Test func `only the pages vouch for an invited person, and only under application`() throws {
        func reason(
            _ authorization: KeyAuthorization, isPages: Bool, isInvited: Bool,
            roles: Set<AppLinkRequest.Role> = AppLinkRequest.Role.usual
        ) -> String? {
            let app = AppCaller(
                appId: UUID(), secretId: UUID(), roles: roles, isPagesApp: isPages,
                presented: PresentedSecret(secret: [], salt: []))
            let person = FlowState.Registration(
                email: "a@b.example", isCompanyOwnedEmail: false, namedCredentialId: UUID(),
                invitation: isInvited ? UUID() : nil)
            let state = FlowState(
                id: UUID(), purpose: .registration(person), step: .key, appId: app.appId, tenantId: UUID(),
                companyName: "b.example", companyEmployeeId: "a", employeePublicKey: [], employeeId: UUID(),
                userId: UUID(), credentialId: UUID(), expiresAt: now)
            return CountersignFirstKey.reason(state, TenantPolicy(keyAuthorization: authorization), app)
        }
        for isPages in [false, true] {
            for isInvited in [false, true] {
                #expect(reason(.automatic, isPages: isPages, isInvited: isInvited) == "automatic")
                #expect(reason(.securityAdmin, isPages: isPages, isInvited: isInvited) == nil)
                let expected = isPages && isInvited ? "invited" : nil
                #expect(reason(.application, isPages: isPages, isInvited: isInvited) == expected)
                #expect(reason(.automatic, isPages: isPages, isInvited: isInvited, roles: [.access, .creation]) == nil)
            }
        }
    }
}
