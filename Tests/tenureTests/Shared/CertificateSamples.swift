/// A certificate for localhost that is valid for a century, its key, and keys that do not fit.
enum CertificateSamples {
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBfTCCASSgAwIBAgITSJGwMjlTbu80QkINjxAfg7TZBDAKBggqhkjOPQQDAjAU
        MRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcNMjYxMTI1MTAzNTI0WhgPMjEyNjExMDEx
        MDM1MjRaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49
        AwEHA0IABC01D+I3FF0LYz+TI9P+n0ZqqqyhEKyOzzSx9ngMVD3O1CwOB2LHJU91
        vDHL8lOsqZcpyWhFt/GaSmMGf5KQSVCjUzBRMB0GA1UdDgQWBBRWjy1a5018lTtU
        XQMNi2bWWtiKjjAfBgNVHSMEGDAWgBRWjy1a5018lTtUXQMNi2bWWtiKjjAPBgNV
        HRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIF9ddyz1crVcp/5fkpkG+8AA
        iXHWtJHMsyRLtStT8FHFAiB4FaS3VGYNSmf06PQZhX7PjDojLMheEx/HNOXuduYn
        aw==
        -----END CERTIFICATE-----

        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgto9C0aj4FE7Volx5
        ct/lGdte+kDqpe8issXVNhx33dKhRANCAAQtNQ/iNxRdC2M/kyPT/p9GaqqsoRCs
        js80sfZ4DFQ9ztQsDgdixyVPdbwxy/JTrKmXKcloRbfxmkpjBn+SkElQ
        -----END PRIVATE KEY-----

        """

    static let keyOfAnother = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPBE+trPzVrcYTSTT
        BMI+TEFnWYI3FyeK2RHJa651ssChRANCAAQVpTP9JL50X4igqlRiQkzCLnwRSfhF
        ir4MfVr4rpR/CdT8nYH0V4HCz4TwG2KpxZEFYzIe3w//eidyPgKl2WT0
        -----END PRIVATE KEY-----

        """

    /// The key under a passphrase.
    static let encryptedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjJq376ZfGZ9AICA+gw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEENcBFcXcEfb+GlBiR39toYoEgZB4
        D9dadHuBUkgQ2u2dCWbqLIqljQa5kgdcBs0I2S/M2icQv2eFfxMjDITyXLFal1W+
        9NGiAYZL9wkOnVoAz9okZCTm96K1X/EH4sicFmLupevssucMSrLOPdt7/t3glANX
        8BfRoNd0GlQYcMMqfNhZ7BqsCe+zVLyJpN5LCYIX+wJiFtHNC5uX7P9y6eC7Em4=
        -----END ENCRYPTED PRIVATE KEY-----

        """
}
