package import Canonical
import ErrorCodes
import EventCoding
import Identity

/// Reads the caller's own address, and until when a former one can undo its change.
package struct ReadOwnAddress: UseCase {
    /// The address as its owner sees it.
    package struct Answer: Sendable, Equatable {
        /// The address as entered; `nil` once it was released.
        package var address: String?
        /// Until when the last change can be undone; `nil` if it cannot.
        package var undoUntil: Timestamp?

        package init(address: String?, undoUntil: Timestamp? = nil) {
            self.address = address
            self.undoUntil = undoUntil
        }
    }

    package let caller: EmployeeCaller

    package init(caller: EmployeeCaller) { self.caller = caller }

    package func run(_ run: UseCaseRun<Answer>) async throws -> Answer {
        let own = try await OwnAccount(of: caller, run.context)
        guard let account = own.employee.state.account else { throw ServiceError(.sessionInvalid) }
        let user = try await run.context.userWithAddress(account.user)
        let change = user.change.flatMap { $0.canBeUndone(at: run.call.time) ? $0 : nil }
        return Answer(address: user.email?.text, undoUntil: change?.undoUntil)
    }
}
