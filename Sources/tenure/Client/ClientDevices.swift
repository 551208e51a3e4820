import ArgumentParser
import Canonical
import TenureAPI
import TenureClient

/// Lists the device keys of whoever is logged in on this device, or revokes one.
struct ClientDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List your device keys, or revoke one.",
        discussion: """
            A revoked key never comes back, and its sessions end at once. Who lost their only device asks an admin to \
            revoke its key and to authorize the one of the next device.
            """)

    @Argument(help: "The company's name; the last one by default.")
    var company: String?

    @Argument(help: "The employee's id; the last one by default.")
    var employee: String?

    @Option(help: ArgumentHelp("Revoke the key with this fingerprint; spaces do not matter.", valueName: "fingerprint"))
    var revoke: String?

    @Option(help: "Why, as a code of a-z, 0-9, point, underscore and hyphen; with --revoke.")
    var reason = "lost"

    @OptionGroup var options: ClientOptions

    func validate() throws {
        if company != nil && employee == nil { throw ValidationError("A company needs the employee's id.") }
    }

    func run() async throws {
        let client = try await options.client()
        let last = options.lastAccount.name()
        guard let company = company ?? last?.companyName, let employee = employee ?? last?.companyEmployeeId,
            let session = try await client.session(companyName: company, companyEmployeeId: employee)
        else { throw TenureClientError(.notLoggedIn) }
        guard let revoke else {
            let devices = try await Interruption.stopping { try await session.devices() }
            return write(devices)
        }
        let reason = reason
        let position = try await Interruption.stopping {
            try await session.revokeDevice(fingerprint: revoke, reason: reason)
        }
        guard options.json else { return Output.standardError().line("Revoked.") }
        Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil([
                    "outcome": "revoked", "fingerprint": .string(revoke.filter { !$0.isWhitespace }.lowercased()),
                    "position": position.map(JSONValue.integer),
                ])))
    }

    private func write(_ devices: [DeviceResponse]) {
        let output = Output.standardOutput()
        guard !options.json else {
            for device in devices { output.write(JSONLines.line(device.json)) }
            return
        }
        var table = Table([
            .init(title: "Device"), .init(title: "State"), .init(title: "Presented"), .init(title: "Authorized"),
            .init(title: "By"), .init(title: "Last used"),
        ])
        for device in devices {
            let by = device.authorizedBy.map { $0.companyEmployeeId ?? $0.kind } ?? ""
            table.add([
                Fingerprint.readable(device.fingerprint), device.state + (device.isCurrent ? ", this one" : ""),
                TimeText.short(device.presentedAt), device.authorizedAt.map(TimeText.short) ?? "",
                Printable.text(by), device.lastUsedAt.map(TimeText.short) ?? "",
            ])
        }
        output.write(table.rendered(on: output.terminal))
    }
}
