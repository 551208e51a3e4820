import Credentials
import EventCoding
import Foundation
import Testing

@testable import Identity
@testable import IdentityService
@testable import Ledger

extension HistoryScene {
    /// Appends the signed change of the address of an account.
    ///
    /// - Parameter signedSubject: The commitment that the statement names, if it is another one than the event's.
    mutating func changeEmail(
        of member: SignedHistory.Member, by decider: SignedHistory.Decider, signedSubject: UInt8 = 8
    ) throws {
        let subject = try #require(Bytes32([UInt8](repeating: 8, count: 32)))
        let statement = EmailChangeStatement(
            context: try history.context(decider), action: .change, employee: member.id.uuid,
            subject: [UInt8](repeating: signedSubject, count: 32), reason: "changed")
        try history.append(
            {
                EmployeeEmailChanged(
                    employeeID: member.id, userID: member.user, email: Personal(member.id, "new@acme.example"),
                    subject: subject, subjectSalt: Personal(member.id, "c2FsdA"), by: $0)
            }, by: decider, to: .employee(member.id, in: history.tenant), statement)
    }
}
