import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

extension Endpoint {
    static let showInvite = Endpoint(page: "GET", "/account/invite", "Ask an admin whom to invite")
    static let proposeInvitations = Endpoint(
        page: "POST", "/account/invite", "Show an admin the invitations that are to be signed")
    static let sendInvitations = Endpoint(page: "POST", "/account/invitations", "Take an admin's signed invitations")
}

/// An invitation as the page proposes it, and as its form sends it back.
struct ProposedInvitation: Sendable {
    /// The most invitations of a page.
    static let limit = 20

    let email: String
    let name: String
    /// The salt of the commitment, 32 bytes.
    let salt: [UInt8]

    /// The request, with the signature in the second call.
    func request(_ signed: StatementSignature? = nil) -> InvitationRequest {
        InvitationRequest(companyEmployeeId: name, email: email, subjectSalt: salt, signed: signed)
    }

    /// The addresses of a text, each on a line with the user name behind it, if the admin chose one.
    static func lines(_ text: String) -> [(email: String, name: String?)] {
        text.split { $0.isNewline || $0 == ";" }.compactMap { line in
            let words = line.split { $0.isWhitespace || $0 == "," }.map(String.init)
            return words.first.map { ($0, words.count > 1 ? words[1] : nil) }
        }
    }

    /// What the form with the signatures is about.
    static func subject(_ all: [ProposedInvitation]) -> String {
        all.map { "\($0.email)\t\($0.name)\t\(Base64URL.encode($0.salt))" }.joined(separator: "\n")
    }
}

extension Route {
    static let showInvite = account(.showInvite) { account in
        let me = try await account.me()
        do { try await account.requireRole(me) } catch let error as ServiceError {
            guard let problem = AccountProblem(error) else { throw error }
            return try account.refused(problem, "invite.title", me, .showAccount).reply()
        }
        return try account.invite(me, InviteContent(entry: account.inviteEntry(""))).reply()
    }

    /// `POST /account/invite`: makes user names, and shows what each invitation signs.
    static let proposeInvitations = accountForm(.proposeInvitations) { account, form in
        let me = try await account.me(), text = (try? form.fields.text("addresses")) ?? ""
        let lines = ProposedInvitation.lines(text)
        func again(_ word: PageWord) throws -> Reply {
            let content = InviteContent(problem: account.text(word), entry: account.inviteEntry(text))
            return try account.invite(me, content, status: 400).reply()
        }
        guard (1...ProposedInvitation.limit).contains(lines.count) else { return try again("invite.count") }
        let given = lines.compactMap(\.name)
        guard Set(given).count == given.count, !given.contains(where: { $0.contains("@") }) else {
            return try again("invite.names")
        }
        do {
            let made = try await account.exchange.run(
                MakeUserNames(
                    company: me.companyName, addresses: lines.map(\.email), others: Set(given), caller: account.caller))
            let names = zip(lines, made).map { $0.name ?? $1 }
            guard !names.contains(nil) else { return try again("invite.names") }
            let proposed = zip(lines, names).map {
                ProposedInvitation(email: $0.email, name: $1 ?? "", salt: randomBytes(32))
            }
            return try await account.ask(proposed, me)
        } catch let error as ServiceError {
            switch error.code {
            case .emailInvalid, .emailMissing, .requestInvalid: return try again("invite.addresses")
            case .employeeAlreadyRegistered: return try again("invite.taken")
            default:
                guard let problem = AccountProblem(error) else { throw error }
                return try again(problem.word)
            }
        }
    }

    /// `POST /account/invitations`, with a signature of the browser's device key for each.
    static let sendInvitations = accountForm(.sendInvitations) { account, form in
        let me = try await account.me(), signed = form.invitations
        let armed = account.visit.armed(
            .sendInvitations, ProposedInvitation.subject(signed.map(\.proposed)), account.cookie)
        guard !signed.isEmpty, try await armed.takes(form.fields, account.exchange) else {
            return .seeOther(Endpoint.showInvite.template.text)
        }
        var results: [InviteContent.Result] = []
        for (proposed, signature) in signed {
            results.append(try await account.issue(proposed, signature, me))
        }
        return try account.invite(me, InviteContent(entry: account.inviteEntry(""), results: results)).reply()
    }
}

extension PageForm {
    /// The invitations that the module has signed, up to the first one that is not whole.
    fileprivate var invitations: [(proposed: ProposedInvitation, signed: StatementSignature)] {
        var all: [(proposed: ProposedInvitation, signed: StatementSignature)] = []
        for index in 0..<ProposedInvitation.limit {
            func text(_ name: String) -> String? { try? fields.text("\(name)\(index)") }
            guard let email = text("email"), let name = text("name"), let salt = bytes("salt\(index)"),
                let signed = signed("\(index)")
            else { break }
            all.append((ProposedInvitation(email: email, name: name, salt: salt), signed))
        }
        return all
    }
}

extension AccountVisit {
    fileprivate func inviteEntry(_ text: String) -> InviteContent.Entry {
        InviteContent.Entry(entered: text, form: form(.proposeInvitations, "invite"))
    }

    fileprivate func invite(_ me: MeResponse, _ content: InviteContent, status: Int = 200) -> HostedPage {
        var page = page(content, "invite.title", of: me, at: .showInvite)
        page.status = status
        return page
    }

    fileprivate func ask(_ proposed: [ProposedInvitation], _ me: MeResponse) async throws -> Reply {
        var items: [InviteContent.Invitation] = []
        for (index, one) in proposed.enumerated() {
            let response = try await exchange.run(
                IssueInvitation(one.request(), company: me.companyName, caller: .employee(caller)))
            guard case .signatureRequired(let statement) = response else { throw ServiceError(.requestStale) }
            items.append(
                InviteContent.Invitation(
                    index: "\(index)", email: one.email, name: one.name, salt: Base64URL.encode(one.salt),
                    statement: Base64URL.encode(statement), exact: String(decoding: statement, as: UTF8.self)))
        }
        let armed = visit.armed(.sendInvitations, ProposedInvitation.subject(proposed), cookie)
        let path = Endpoint.sendInvitations.template.text
        let signing = InviteContent.Signing(
            invitations: items, signer: me.session.fingerprint, company: me.companyName,
            employee: me.companyEmployeeId ?? "",
            form: armed.part(sentTo: path, request: "invitations", at: exchange.call.time))
        return try invite(me, InviteContent(signing: signing)).reply()
    }

    /// Issues an invitation, and says what is true now.
    fileprivate func issue(
        _ proposed: ProposedInvitation, _ signed: StatementSignature, _ me: MeResponse
    ) async throws -> InviteContent.Result {
        do {
            let response = try await exchange.run(
                IssueInvitation(proposed.request(signed), company: me.companyName, caller: .employee(caller)))
            guard case .done(_, let code, _) = response else { throw ServiceError(.requestStale) }
            let fields: [(name: String, value: String)] = [
                ("company", me.companyName), ("id", proposed.name), ("email", proposed.email),
                ("invitation", code),
            ]
            let link = fields.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
            return InviteContent.Result(
                text: text("invite.done", proposed.email, proposed.name),
                link: "\(exchange.publicURL)\(Endpoint.showInvited.template.text)#\(link)")
        } catch let error as ServiceError where error.code.status < 500 {
            return InviteContent.Result(text: text("invite.failed", proposed.email), link: nil)
        }
    }
}

/// The page on which an admin invites people: the entry, what is to be signed, or what came of it.
struct InviteContent: AccountContent {
    static let template: PageTemplate = "invite"

    struct Entry: PagePart {
        let entered: String
        let form: FormPart
    }

    struct Invitation: PagePart {
        let index: String
        let email: String
        let name: String
        let salt: String
        let statement: String
        /// The exact text that is signed.
        let exact: String
    }

    struct Signing: PagePart {
        let invitations: [Invitation]
        /// The fingerprint of the device key that signs.
        let signer: String
        let company: String
        let employee: String
        let form: FormPart
    }

    struct Result: PagePart {
        let text: String
        /// The link to hand over where no mail arrives.
        let link: String?
    }

    var problem: String?
    var entry: Entry?
    var signing: Signing?
    var results: [Result] = []
}
