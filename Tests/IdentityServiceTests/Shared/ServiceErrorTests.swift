import ErrorCodes
import Testing
@testable import IdentityService

struct FinalRefusalTests {
    @Test func `temporary refusals are not stored for repeated calls`() {
        let temporary = ErrorCode.all.filter { !ServiceError($0).isFinal }
        #expect(
            Set(temporary) == [
                .serviceBusy, .serviceUnavailable, .serviceClock, .mailUnavailable, .credentialsLocked,
                .requestRateLimited, .requestStale, .idempotencyInProgress, .recoveryNotAvailable,
            ])
        #expect(ServiceError(.answersIncorrect).isFinal)
    }
}
