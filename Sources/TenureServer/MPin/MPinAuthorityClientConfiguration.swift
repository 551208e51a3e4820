package import MPinRequests

/// What the service needs to know of its two D-TAs.
package struct MPinAuthorityClientConfiguration: Sendable {
    /// One D-TA: its address, and the key that signs requests to it.
    package struct Authority: Sendable {
        /// The address as the service reaches it.
        package var address: MPinAuthorityAddress
        /// The key that the D-TA shares with the service.
        package var signingKey: MPinSigningKey

        /// Names a D-TA.
        package init(address: MPinAuthorityAddress, signingKey: MPinSigningKey) {
            self.address = address
            self.signingKey = signingKey
        }
    }

    /// The D-TA whose shares of client keys the service gets.
    package var first: Authority
    /// The D-TA whose shares of client keys the clients get themselves.
    package var second: Authority
    /// The address of the second D-TA as clients reach it.
    package var clientAddress: MPinAuthorityAddress
    /// A file with the certificates, in PEM, that the D-TAs' certificates must lead to; `nil` for those of the system.
    package var certificateAuthorityFile: String?
    /// Whether the service may ask D-TAs beyond loopback in clear text.
    package var allowsClearText: Bool
    /// The epoch of new keys, from 1.
    package var epoch: UInt32
    /// The oldest epoch whose keys still authenticate.
    package var oldestEpoch: UInt32
    /// The longest time that a request to a D-TA takes, with its second attempt.
    package var timeLimit: Duration

    /// Describes two D-TAs.
    ///
    /// - Parameter clientAddress: Default: the address of the second D-TA.
    package init(
        first: Authority, second: Authority, clientAddress: MPinAuthorityAddress? = nil,
        certificateAuthorityFile: String? = nil, allowsClearText: Bool = false, epoch: UInt32 = 1,
        oldestEpoch: UInt32 = 1, timeLimit: Duration = .seconds(5)
    ) {
        self.first = first
        self.second = second
        self.clientAddress = clientAddress ?? second.address
        self.certificateAuthorityFile = certificateAuthorityFile
        self.allowsClearText = allowsClearText
        self.epoch = epoch
        self.oldestEpoch = oldestEpoch
        self.timeLimit = timeLimit
    }

    /// Throws if no client may be made of the configuration.
    func validate() throws(MPinAuthorityClientError) {
        for authority in [first, second]
        where authority.address.isClearText && !authority.address.isLoopback && !allowsClearText {
            throw MPinAuthorityClientError(
                .clearTextBeyondLoopback, "key shares would be received in clear text from \(authority.address)")
        }
        guard !clientAddress.isClearText || clientAddress.isLoopback else {
            throw MPinAuthorityClientError(
                .clientAddressInClearText, "clients ask no D-TA in clear text beyond loopback: \(clientAddress)")
        }
        guard first.address != second.address else {
            throw MPinAuthorityClientError(.sameAuthority, "both D-TAs have the address \(first.address)")
        }
        guard epoch >= 1, (1...epoch).contains(oldestEpoch) else {
            throw MPinAuthorityClientError(
                .epochInvalid, "the epochs \(oldestEpoch) to \(epoch) are no range from 1")
        }
    }
}

/// The reason why the service cannot use its D-TAs as configured.
package struct MPinAuthorityClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a failure.
    package enum Code: String, Hashable, Sendable {
        /// Shares would be received in clear text beyond loopback without permission.
        case clearTextBeyondLoopback
        /// Clients would have to ask the second D-TA in clear text beyond loopback, which they refuse.
        case clientAddressInClearText
        /// Both addresses are the same.
        case sameAuthority
        /// The epochs are not a range from 1.
        case epochInvalid
        /// The file of certificates cannot be read.
        case certificatesUnreadable
    }

    /// What kind of failure it is.
    package let code: Code

    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
