import Canonical
import IdentityService

/// The steps of the actors of a randomised run. An answer that does not come is not repeated, so that its outcome stays
/// unknown; a refusal by a service that may be dying counts as unknown, too.
struct RandomisedSteps: Sendable {
    static let companies = 3
    /// The company with a confirmed domain, which takes addresses back.
    static let owner = "owner.example"

    let world: TenureWorld
    let crowd: Crowd
    /// The security admin of the company with a confirmed domain.
    let admin: Member

    /// Takes one step; `name` is the id of whoever registers in it.
    func take(_ step: PlannedStep, name: String) async {
        let client = await crowd.client(step.process)
        switch step.kind {
        case .register: await register(await newcomer(step, name), client)
        case .registerAgain:
            // At a company that somebody has founded: who erases people never leaves one without its founder.
            guard let human = await crowd.account(step.person), let company = await crowd.account(step.company) else {
                return
            }
            await register(human.person.also(name, at: company.person.company), client)
        case .authorize:
            guard let account = await crowd.account(step.person),
                let reply = try? await client.authorize(account.device, of: account.person)
            else { return }
            await crowd.count("authorize \(reply.outcome ?? reply.code ?? "")")
        case .logIn:
            guard let account = await crowd.account(step.person),
                let reply = try? await client.logIn(account.person, account.device)
            else { return }
            await crowd.count("login \(reply.outcome ?? reply.code ?? "")")
        case .guess: await guess(step, client)
        case .changeCredentials: await change(step, client)
        case .reclaim: await reclaim(step, client)
        case .erase: await erase(step)
        }
    }

    /// Somebody new, at times with an address that was taken from somebody else.
    private func newcomer(_ step: PlannedStep, _ name: String) async -> Person {
        guard step.company % (Self.companies + 1) == Self.companies else {
            return Person(name, at: "random-\(step.company % (Self.companies + 1)).example")
        }
        var person = Person(name, at: Self.owner, email: "\(Person.word())@\(Self.owner)")
        person.isCompanyOwnedEmail = true
        if step.person % 3 == 0, let free = await crowd.freeAddress(step.person) { person.email = free }
        return person
    }

    private func register(_ person: Person, _ client: Client) async {
        let device = Device()
        guard let flow = try? await Flow.register(person, device, client), let asked = try? await flow.prove(device),
            let completion = try? flow.completion(person, asked)
        else { return await crowd.count("no flow") }
        guard let reply = try? await client.send(completion) else {
            await crowd.count("unknown")
            return await crowd.unanswered(person)
        }
        guard let position = reply["position"]?.number else {
            await crowd.count("refused \(reply.code ?? "")")
            return await crowd.unanswered(person)
        }
        await crowd.count("registered")
        await crowd.acknowledged(Crowd.Account(person: person, device: device, position: position))
    }

    private func guess(_ step: PlannedStep, _ client: Client) async {
        let device = Device()
        guard let account = await crowd.account(step.person),
            let flow = try? await Flow.logIn(account.person, device, client),
            let asked = try? await flow.prove(device), asked.outcome == "validatePassphrase",
            let reply = try? await flow.step("passphrase", ["passphrase": "a wrong passphrase"])
        else { return }
        await crowd.count("guess \(reply.code ?? "")")
        if reply.code == "passphrase.incorrect" { await crowd.guessed(account.person) }
    }

    private func change(_ step: PlannedStep, _ client: Client) async {
        guard let account = await crowd.take(step.person) else { return }
        let old = account.person
        var new = old
        let passphrase = "Changed \(Person.word()) horse \(Person.word())"
        new.passphrase = passphrase
        guard let flow = try? await Flow.change(old, account.device, client),
            let asked = try? await flow.prove(account.device), asked.outcome == "validatePassphrase",
            let request = try? flow.change(from: old, to: new, asked)
        else { return await crowd.giveBack(account) }
        let reply = try? await client.send(request)
        await crowd.count("change \(reply.map { $0.outcome ?? $0.code ?? "" } ?? "unknown")")
        // Who does not know the passphrase any more is not taken again.
        guard let reply, reply.status < 500 else {
            return await crowd.changed(old, to: passphrase, acknowledged: false)
        }
        if reply.status == 200 { await crowd.changed(old, to: passphrase, acknowledged: true) }
        await crowd.giveBack(account)
    }

    private func reclaim(_ step: PlannedStep, _ client: Client) async {
        guard let account = await crowd.take(step.person, of: Self.owner) else { return }
        // Some are there with an address of their own, which nobody can take.
        guard account.person.isCompanyOwnedEmail, let login = try? await client.logIn(admin.person, admin.device),
            login.outcome == "success", let signer = try? Member(admin.person, admin.device, login)
        else { return await crowd.giveBack(account) }
        let reply = try? await client.signed(
            by: signer, "POST", client.path(Self.owner, "/reclaimed-emails"),
            ["email": .string(account.person.email), "reason": "has left us"])
        await crowd.count("reclaim \(reply.map { $0.outcome ?? $0.code ?? "" } ?? "unknown")")
        guard let reply, reply.status < 500 else {
            return await crowd.reclaimed(Crowd.Reclaim(person: account.person, position: nil))
        }
        guard reply.outcome == "done" else { return await crowd.giveBack(account) }
        await crowd.reclaimed(Crowd.Reclaim(person: account.person, position: reply["position"]?.number))
    }

    /// One account, or the human with all accounts, in turn.
    private func erase(_ step: PlannedStep) async {
        guard let account = await crowd.take(step.person) else { return }
        let person = account.person
        let plan = try? await world.erasing { erasure in
            let one = try await erasure.plan(company: person.company, employee: person.id)
            return step.company.isMultiple(of: 2) ? one : try await erasure.plan(email: person.email)
        }
        guard let plan, plan.orphanedCompanies.isEmpty else {
            await crowd.count("erase nobody")
            return await crowd.giveBack(account)
        }
        let ids = plan.people.map(\.id)
        await crowd.erasing(ids, done: false)
        do {
            _ = try await world.erasing { try await $0.run(plan) }
            await crowd.erasing(ids, done: true)
            await crowd.count("erase done")
        } catch {
            await crowd.count("erase unknown")
        }
    }
}
