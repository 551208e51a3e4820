import ArgumentParser
import Foundation
import LocalDevelopment
import MPinAuthority
import MPinRequests
import TenureServer

extension Settings {
    /// The D-TAs of M-Pin; `nil` if none is configured.
    ///
    /// - Throws: ``CommandFailure`` that names what is missing if only some settings are there.
    func mpinAuthorities() throws -> MPinAuthorityClientConfiguration? {
        let needed: [Name] = [.mpinDta1Url, .mpinDta1KeyFile, .mpinDta2Url, .mpinDta2KeyFile]
        let given = (needed + [.mpinDta2PublicUrl, .mpinCaFile]).filter { text($0) != nil }
        guard let some = given.first else { return nil }
        let missing = needed.filter { text($0) == nil }.map(\.variable)
        guard missing.isEmpty else {
            throw CommandFailure(
                .usage, "M-Pin needs two D-TAs: \(some.variable) is set, but not \(missing.joined(separator: ", "))",
                remedy: "Set all four of docs/mpin.md, or none of them: without D-TAs M-Pin is not offered.")
        }
        let epochs = 1...Int(Int32.max)
        let epoch = try number(.mpinEpoch, in: epochs, default: 1)
        let oldest = try number(.mpinOldestEpoch, in: 1...epoch, default: 1)
        return MPinAuthorityClientConfiguration(
            first: try mpinAuthority(.mpinDta1Url, .mpinDta1KeyFile),
            second: try mpinAuthority(.mpinDta2Url, .mpinDta2KeyFile),
            clientAddress: text(.mpinDta2PublicUrl) == nil ? nil : try mpinAddress(.mpinDta2PublicUrl),
            certificateAuthorityFile: text(.mpinCaFile), allowsClearText: try flag(.mpinClearTextAllowed),
            epoch: UInt32(epoch), oldestEpoch: UInt32(oldest))
    }

    private func mpinAuthority(_ url: Name, _ keyFile: Name) throws -> MPinAuthorityClientConfiguration.Authority {
        let address = try mpinAddress(url)
        let file = try required(keyFile)
        do throws(MPinAuthorityError) {
            return .init(address: address, signingKey: try MPinSigningKey(file: file))
        } catch {
            throw CommandFailure(
                .usage, "\(keyFile.variable): \(error.reason)",
                remedy: error.remedy ?? "Copy the file whose path tenure dta init printed, with mode 0600.")
        }
    }

    private func mpinAddress(_ name: Name) throws -> MPinAuthorityAddress {
        guard let address = MPinAuthorityAddress(try required(name)) else {
            throw CommandFailure(
                .usage, "\(name.variable) is not the address of a D-TA", remedy: "For example: https://dta-1.example/")
        }
        return address
    }
}

extension CommandFailure {
    /// Converts a refusal of the configured D-TAs to a message for the person.
    static func mpinAuthorityClient(_ error: MPinAuthorityClientError) -> CommandFailure {
        let remedy: String =
            switch error.code {
            case .clearTextBeyondLoopback:
                "Use https, or set \(Settings.Name.mpinClearTextAllowed.variable)=true in a network of your own."
            case .clientAddressInClearText:
                "Set \(Settings.Name.mpinDta2PublicUrl.variable) to the https address that clients use."
            case .sameAuthority:
                "Run two D-TAs, on hosts of different operators, and name both."
            case .epochInvalid:
                "Set \(Settings.Name.mpinOldestEpoch.variable) to at most \(Settings.Name.mpinEpoch.variable)."
            case .certificatesUnreadable:
                "Check \(Settings.Name.mpinCaFile.variable)."
            }
        return CommandFailure(.usage, "the D-TAs cannot be used: \(error)", remedy: remedy)
    }
}

extension MPinAuthorityClientConfiguration {
    /// What the service needs to know of the D-TAs of a development service.
    ///
    /// - Throws: `MPinAuthorityError` if a signing key cannot be read.
    init(development state: StateDirectory, port: Int) throws {
        let addresses = MPinDevelopmentAuthorities.addresses(after: port)
        let authorities = try zip(addresses, MPinDevelopmentAuthorities.signingKeyFiles(in: state)).map { text, file in
            guard let address = MPinAuthorityAddress(text) else {
                throw CommandFailure(.failure, "\(text) is not an address")
            }
            return Authority(address: address, signingKey: try MPinSigningKey(file: file))
        }
        self.init(first: authorities[0], second: authorities[1])
    }
}
