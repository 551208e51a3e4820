import ArgumentParser
import Canonical
import TenureAPI
import TenureClient

/// Lists the device keys of the employee who is logged in on this device, or revokes one.
struct ClientDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List your device keys, authorize another one, or revoke one.",
        discussion: """
            From an authorized device you can authorize another one of yours: compare the words that the other \
            device shows with those listed here, and pass the fingerprint of that key to --authorize. If the company's policy \
            requires an admin, only an admin can do this.

            A revoked key can never be authorized again, and its sessions end at once. If you have lost your only \
            device, ask an admin to revoke its key (tenure client revoke) and to authorize the key of your next device.

            Examples:
              tenure client devices
              tenure client devices --authorize "6b1c 0e9f …"
            """)

    @OptionGroup var account: AccountOptions

    @Option(
        help: ArgumentHelp(
            "Authorize the pending key with the fingerprint that the other device shows; spaces are ignored.",
            valueName: "fingerprint"))
    var authorize: String?

    @Option(help: ArgumentHelp("Revoke the key with this fingerprint; spaces are ignored.", valueName: "fingerprint"))
    var revoke: String?

    @Option(help: "The reason, with --revoke: a code of a-z, 0-9, point, underscore and hyphen.")
    var reason = "lost"

    func validate() throws {
        if authorize != nil && revoke != nil { throw ValidationError("Pass either --authorize or --revoke.") }
    }

    func run() async throws {
        let client = try await account.options.client()
        let session = try await account.session(client).session
        if let authorize {
            let position = try await Interruption.stopping {
                try await session.authorizeDevice(fingerprint: authorize)
            }
            return try report("authorized", "Authorized.", authorize, position)
        }
        guard let revoke else {
            let devices = try await Interruption.stopping { try await session.devices() }
            return try write(devices)
        }
        let reason = reason
        let position = try await Interruption.stopping {
            try await session.revokeDevice(fingerprint: revoke, reason: reason)
        }
        try report("revoked", "Revoked.", revoke, position)
    }

    private func report(_ outcome: String, _ words: String, _ fingerprint: String, _ position: Int64?) throws {
        guard account.options.json else { return Output.standardError().line(words) }
        try Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil([
                    "outcome": .string(outcome),
                    "fingerprint": .string(fingerprint.filter { !$0.isWhitespace }.lowercased()),
                    "position": position.map(JSONValue.integer),
                ])))
    }

    private func write(_ devices: [DeviceResponse]) throws {
        let output = Output.standardOutput()
        guard !account.options.json else {
            for device in devices { try output.write(JSONLines.line(device.json)) }
            return
        }
        var table = Table([
            .init(title: "Device"), .init(title: "Words"), .init(title: "State"), .init(title: "Presented"),
            .init(title: "App"),
            .init(title: "Authorized"),
            .init(title: "By"), .init(title: "Last used"),
        ])
        for device in devices {
            let by = device.authorizedBy.map { $0.companyEmployeeId ?? $0.kind } ?? ""
            table.add([
                Fingerprint.readable(device.fingerprint), FingerprintWords(hex: device.fingerprint).text,
                device.state + (device.isCurrent ? ", this one" : ""),
                TimeText.short(device.presentedAt),
                Printable.text(device.presentedBy?.name ?? ""), device.authorizedAt.map(TimeText.short) ?? "",
                Printable.text(by), device.lastUsedAt.map(TimeText.short) ?? "",
            ])
        }
        try output.write(table.rendered(on: output.terminal))
    }
}
