import ArgumentParser
import TenureAPI
import Testing

@testable import tenure

@Suite struct ClientPolicyTests {
    @Test func `every member of the policy can be set`() throws {
        let change = try ClientPolicySet.change([
            "keyAuthorization=securityAdmin", "approval=admin", "blindOnly=true", "questionsWithPassphrase=false",
            "registrationMode=invited", "recoveryDelayHours=48", "adminSessionHours=2", "logIn=passkey",
            "adminsNeedPasskey=true", "clonedKey=stop",
        ])
        #expect(
            change
                == PolicyChangeRequest(
                    keyAuthorization: .securityAdmin, approval: .admin, blindOnly: true, questionsWithPassphrase: false,
                    registrationMode: .invited, recoveryDelayHours: 48, adminSessionHours: 2, logIn: .passkey,
                    adminsNeedPasskey: true, clonedKey: .stop))
    }

    @Test(arguments: [
        [], ["logIn"], ["=secret"], ["logIn="], ["logIn=Secret"], ["logIn=secret", "logIn=passkey"], ["unknown=1"],
        ["signed=x"], ["recoveryDelayHours=0"], ["recoveryDelayHours=169"], ["recoveryDelayHours=1.5"],
        ["adminSessionHours=25"], ["blindOnly=yes"], ["blindOnly=1"], ["clonedKey=true"],
    ])
    func `what the policy does not take is refused before anything is sent`(settings: [String]) {
        #expect(throws: (any Error).self) { try ClientPolicySet.change(settings) }
        #expect(throws: (any Error).self) { try ClientPolicySet.parse(["pier.example"] + settings) }
    }

    @Test func `what is shown can be set again`() throws {
        let policy = PolicyResponse(
            keyAuthorization: "application", approval: "automatic", blindOnly: false, questionsWithPassphrase: true,
            logIn: "passkeyOrSecret", clonedKey: "stop", adminsWithoutPasskey: ["7"], version: 12)
        let lines = ClientPolicyShow.lines(policy)
        #expect(lines.count == 10 && lines.contains("clonedKey=stop") && !lines.contains("version=12"))
        #expect(try ClientPolicySet.change(lines).logIn == .passkeyOrSecret)
    }
}
