import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 5: a tenant named by a phone number` {
    @Test func `has employees by their extensions, with addresses that the app made`() async throws {
        let client = try sharedWorld().client
        let company = "+1 (555) 010-9999"
        let first = Person("101", at: company, email: "101@+1 (555) 010-9999.dummy-email")
        let founder = try await client.found(company, by: first)
        let member = try await client.join(Person("102", at: company, email: "102@+1 (555) 010-9999.dummy-email"))
        let read = try await client.get(client.path(member.person), by: founder.session)
        #expect(read["companyName"]?.text == company)
        #expect(read["companyEmployeeId"]?.text == "102")
        #expect(read["email"]?.text == "102@+1 (555) 010-9999.dummy-email")
    }

    @Test(arguments: ["a/b", "käse gmbh", "会社", "100%", "..-", "tenant:42?x=1#y"])
    func `may have any other name`(company: String) async throws {
        let client = try sharedWorld().client
        let founder = try await client.found(company, by: Person("id/1 ü", at: company))
        let read = try await client.get(client.path(founder.person), by: founder.session)
        #expect(read.status == 200, "\(read)")
        #expect(read["companyName"]?.text == company && read["companyEmployeeId"]?.text == "id/1 ü")
    }

    @Test func `is found by another spelling and shown as first entered`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("Spelled  Company")
        var spelled = founder.person
        spelled.company = " spelled COMPANY "
        spelled.id = "FOUNDER"
        let reply = try await client.logIn(spelled, founder.device)
        expectOutcome(reply, "success")
        #expect(reply["employee"]?["companyName"]?.text == "Spelled  Company")
        #expect(reply["employee"]?["companyEmployeeId"]?.text == "founder")
        try expectProblem(
            try await client.register(Person("Founder ", at: "SPELLED company"), Device()),
            "employee.already_registered")
    }
}
