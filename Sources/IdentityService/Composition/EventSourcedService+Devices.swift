import Canonical

extension EventSourcedService {
    /// The caller's device keys.
    public func devices(of caller: EmployeeCaller) async throws -> [DeviceView] {
        try await ListDevices(context: context).run(caller, at: .now())
    }

    /// Revokes a device key of the caller's own.
    public func revokeDevice(
        _ input: DeviceRevocationInput, caller: EmployeeCaller, call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await RevokeDevice(context: context).run(input, caller: caller, call: call, ticket: ticket)
        }
    }
}
