import Canonical
import IdentityService
import TenureAPI

/// Several devices that an admin refuses at once, each by a statement of its own.
struct RefusalsContent: AccountContent {
    static let template: PageTemplate = "refusals"

    struct Item: PagePart {
        let person: String
        /// What the form says of the device.
        let choice: String
        let fingerprint: String
        let statement: String
    }

    let devices: [Item]
    /// What the button says.
    let act: String
    let form: FormPart
    /// The fingerprint of the device key that signs.
    let signer: String
    let company: String
    let employee: String
    let backPath: String
}

/// A device in the list of who waits, as a form names it.
struct RefusedDevice: Sendable, Hashable {
    /// The number of devices that are refused at once.
    static let most = 20
    let fingerprint: String
    let owner: String

    /// The value of the form's field.
    var text: String { "\(fingerprint).\(owner)" }

    /// The devices that a form or an address names, in the order of their fingerprints.
    static func all(in fields: FormReader) -> [RefusedDevice] {
        let found = fields.pairs.filter { $0.name == "key" }.compactMap { pair -> RefusedDevice? in
            let parts = pair.value.split(separator: ".", maxSplits: 1)
            guard parts.count == 2, Hex.decode(String(parts[0]))?.count == 32 else { return nil }
            return RefusedDevice(fingerprint: String(parts[0]), owner: String(parts[1]))
        }
        return Array(Set(found).sorted { $0.text < $1.text }.prefix(most))
    }
}

extension Route {
    /// `GET /account/refusals`: the devices that were chosen in the list, with a statement for each.
    static let showRefusals = account(.showRefusals) { account in
        guard let fields = try? FormReader(account.exchange.rawQuery.utf8) else {
            return try account.visit.reply(.malformed)
        }
        guard account.refusals([]).mayShow(account.exchange) else {
            return .seeOther(Endpoint.showApprovals.template.text)
        }
        let me = try await account.me()
        var items: [RefusalsContent.Item] = [], devices: [RefusedDevice] = []
        for device in RefusedDevice.all(in: fields) {
            // Who was decided about meanwhile is left out.
            guard case .signatureRequired(let statement)? = try await account.refuse(device, nil, me) else { continue }
            devices.append(device)
            items.append(
                RefusalsContent.Item(
                    person: device.owner, choice: device.text, fingerprint: device.fingerprint,
                    statement: Base64URL.encode(statement)))
        }
        guard !items.isEmpty else { return .seeOther(Endpoint.showApprovals.template.text) }
        let form = account.refusals(devices).part(
            sentTo: Endpoint.refuseDevices.template.text, request: "refusals", at: account.exchange.call.time)
        let content = RefusalsContent(
            devices: items, act: account.text("refusals.title").asAct, form: form, signer: me.session.fingerprint,
            company: me.companyName,
            employee: me.companyEmployeeId ?? "", backPath: Endpoint.showApprovals.template.text)
        return try account.page(content, "refusals.title", of: me, at: .showApprovals).reply()
    }

    /// `POST /account/refusals`, with a signature for each device.
    static let refuseDevices = accountForm(.refuseDevices) { account, form in
        let devices = RefusedDevice.all(in: form.fields), list = Endpoint.showApprovals.template.text
        guard try await account.refusals(devices).takes(form.fields, account.exchange) else { return .seeOther(list) }
        let me = try await account.me()
        var count = 0, last: Int64?
        for device in devices {
            guard let signed = form.signed(".\(device.fingerprint)"),
                case .done(_, let position)? = try await account.refuse(device, signed, me)
            else { continue }
            count += 1
            last = position ?? last
        }
        let done = DoneDecision(word: "refuseMany", person: "\(count)").fields(account)
        let fields = done + (last.map { [(name: "position", value: "\($0)")] } ?? [])
        return .seeOther(list + "?" + String(decoding: FormEncoding.encode(fields), as: UTF8.self))
    }
}

extension AccountVisit {
    /// The form that refuses some devices. That of none is the list, which leads to the page.
    func refusals(_ devices: [RefusedDevice]) -> ArmedForm {
        visit.armed(.refuseDevices, (["refusals"] + devices.map(\.text)).joined(separator: "\n"), cookie)
    }

    /// Refuses a device, or returns the statement; `nil` if that is not possible any more.
    fileprivate func refuse(
        _ device: RefusedDevice, _ signed: StatementSignature?, _ me: MeResponse
    ) async throws -> DecisionResponse? {
        let decision = DecisionPage(refusing: device.fingerprint, of: device.owner)
        do { return try await decision.decide(signed, by: self, me) } catch let error as ServiceError {
            guard AccountProblem(error) != nil else { throw error }
            return nil
        }
    }
}
