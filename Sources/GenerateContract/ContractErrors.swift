import ErrorCodes
import TenureAPI

/// The examples of refusals: one problem document for each code.
struct ContractErrors {
    private let prose: ContractProse

    init(_ prose: ContractProse) throws { self.prose = prose }

    /// The status of a code in refusals of a family.
    static func status(of code: ErrorCode, _ family: Endpoint.Family) -> Int {
        family == .mpin && code.status == 401 && [.appUnknown, .appSecretInvalid].contains(code) ? 403 : code.status
    }

    func example(of code: ErrorCode, _ family: Endpoint.Family) throws -> (name: String, node: ContractNode) {
        let title = code.title, detail = code.advice
        let problem = try prose.section("problem")
        var value: ContractObject = [
            "type": .quoted((problem["type"]?.scalar ?? "") + code.rawValue), "title": .quoted(title),
            "status": .literal(String(code.status)), "detail": .quoted(detail), "instance": problem["instance"] ?? "",
            "code": .literal(code.rawValue), "requestId": problem["requestId"] ?? "",
        ]
        value = value.merging(try prose.section("errors")[code.rawValue]?.members ?? [])
        let other = try prose.section("mpinStatuses")[code.rawValue]
        var name = code.rawValue, summary = title
        if family == .mpin, let other {
            value["status"] = other
            (name, summary) = ("mpin-" + name, title + ", in the M-Pin protocol")
        } else if family == .oauth {
            let refusal = OAuthRefusal(status: code.status, describing: detail)
            value["errors"] = nil
            value["error"] = .text(refusal.error)
            value["error_description"] = .quoted(refusal.description)
            (name, summary) = ("oauth-" + name, title + ", with the members of RFC 6749")
        }
        let node = ContractObject(
            entries: [.init(name: "summary", node: .text(summary)), .init(name: "value", node: value.open)],
            isOpen: true)
        return (name, .object(node))
    }
}
