import ErrorCodes
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

@Suite struct ErrorKindTests {
    @Test func `every code of the service and of the client has a kind`() {
        for code in ErrorCode.all {
            #expect(TenureClientError.Kind(rawValue: code.rawValue) != nil, "\(code)")
        }
        let own: [TenureClientError.Code] = [
            .connectionLost, .responseInvalid, .signingRefused, .addressInvalid, .keyFileInvalid, .cancelled,
            .wrongStep,
            .flowEnded, .authorizationPending, .promptRequired, .promptUnavailable, .modeUnavailable, .baseURLMissing,
            .notLoggedIn, .storageFailed, .pinInvalid, .credentialsChanged,
        ]
        for code in own { #expect(TenureClientError(code).kind.rawValue == code.rawValue) }
        let known = Set(ErrorCode.all.map(\.rawValue)).union(own.map(\.rawValue)).union([""]).union([
            "credentials.questions_alike", "credentials.too_long", "credentials.text_invalid", "answers.question_twice",
            "answers.question_unknown",
        ])
        #expect(TenureClientError.Kind.allCases.map(\.rawValue).filter { !known.contains($0) } == [])
    }

    @Test func `a code of a newer service is unrecognized and keeps its text`() {
        let error = TenureClientError(.init(rawValue: "employee.on_holiday"))
        #expect(error.kind == .unrecognized)
        #expect(error.code.rawValue == "employee.on_holiday")
        #expect(error.isRetryable == false)
    }

    @Test func `the article shows the name of every kind in Bayun's library`() throws {
        let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/TenureClient/TenureClient.docc/Errors.md")
        var shown: [String: (code: String, name: String)] = [:]
        var names: [String: String] = [:]
        for line in try String(contentsOf: article, encoding: .utf8).split(separator: "\n") {
            if let row = line.wholeMatch(of: /\| `(\w+)` \| `(.+)` \| `(\w+)` \|/) {
                #expect(shown.updateValue((String(row.2), String(row.3)), forKey: String(row.1)) == nil, "\(row.1)")
            } else if let row = line.wholeMatch(of: /\| (any other|[0-9, ]+) \| `(\w+)` \|/) {
                for status in row.1.split(separator: ", ") { names[String(status)] = String(row.2) }
            }
        }
        #expect(names["any other"] != nil)
        for kind in TenureClientError.Kind.allCases {
            let error = TenureClientError(.init(rawValue: kind.rawValue))
            if let row = shown.removeValue(forKey: "\(kind)") {
                #expect(row.code == (kind == .unrecognized ? "(any other)" : kind.rawValue), "\(kind)")
                #expect(row.name == error.bayunName, "\(kind)")
            } else {
                let status = try #require(
                    ErrorCode(rawValue: kind.rawValue)?.status, "\(kind) is no code of the service")
                #expect((names["\(status)"] ?? names["any other"]) == error.bayunName, "\(kind)")
            }
        }
        #expect(shown.isEmpty, "\(shown.keys.sorted())")
    }

    @Test func `every kind has a name of Bayun's`() {
        for kind in TenureClientError.Kind.allCases {
            #expect(Self.bayunNames.contains(kind.bayunSuffix), "\(kind)")
        }
        #expect(
            TenureClientError(.init(rawValue: "answers.incorrect")).bayunName == "BayunErrorOneOrMoreIncorrectAnswers")
    }

    @Test func `the error reports the wait that the service requests`() async {
        let service = FakeService(asking: .asksForAnswers, [.problem("credentials.locked", retryAfter: 90)])
        do {
            let step = try await TenureClient(service).login(companyName: "A", companyEmployeeId: "7")
            guard case .validateAnswers(let step) = step else {
                Issue.record("another step: \(step)")
                return
            }
            _ = try await step.submit(threeAnswers)
            Issue.record("no error")
        } catch {
            let error = error as? TenureClientError
            #expect(error?.kind == .credentialsLocked)
            #expect(error?.retryAfter == .seconds(90))
            #expect(error?.isRetryable == true)
            #expect(error?.requestId == "r")
        }
        #expect(await service.sent("/answers").count == 1, "a lock is for the person to wait")
    }

    /// The identifiers of Bayun's iOS library that this table may use, without their prefix.
    private static let bayunNames: Set<String> = [
        "AccessDenied", "InvalidAppSecret", "AuthenticationFailed", "PasscodeAuthenticationCanceledByUser",
        "ReAuthenticationNeeded", "InternetConnection", "RequestTimeOut", "CouldNotConnectToServer",
        "PassphraseCannotBeNil", "EmployeeNotExistsInGivenCompany", "CompanyNameCannotBeNil", "EmailCannotBeNil",
        "CompanyDoesNotExists", "CompanyEmployeeIdCannotBeNil", "InvalidPassphrase", "UserInActive", "AppNotLinked",
        "InvalidAppId", "SomethingWentWrong", "AtleastThreeAnswersRequired", "OneOrMoreIncorrectAnswers",
        "EmployeeAlreadyExists", "InvalidOperation", "OneOrMoreTextFieldsAreEmpty", "EmployeeAuthorizationIsPending",
        "IncorrectInput", "BayunAppCredentialsCannotBeNil",
    ]
}
