extension Endpoint {
    private static func company(_ method: String, _ rest: String, _ summary: String) -> Endpoint {
        Endpoint(method, "/v1/companies/{companyName}" + rest, .appOrEmployee, summary)
    }

    /// Reads a company.
    public static let readCompany = company("GET", "", "Read a company")
    /// Lists employees.
    public static let listEmployees = company("GET", "/employees", "List the employees of a company")
    /// Reads an employee with keys.
    public static let readEmployee = company(
        "GET", "/employees/{companyEmployeeId}", "Read an employee with the device keys")
    /// Reads the security admin.
    public static let readSecurityAdmin = company("GET", "/security-admin", "Read who is the security admin, and why")
    /// Lists keys that wait.
    public static let listAuthorizations = company(
        "GET", "/authorizations", "List the keys that wait, with the statement to sign")
    /// Lists events.
    public static let listEvents = company("GET", "/events", "List the events of a company")
    /// Reads the checkpoint.
    public static let readCheckpoint = company("GET", "/checkpoint", "Read the signed checkpoint of a company's ledger")
    /// Reads a tile.
    public static let readTile = Endpoint(
        "GET", "/v1/companies/{companyName}/tile/{tile}", takesRest: true, .appOrEmployee,
        "Read a tile of hashes or a bundle of entries of a company's ledger")
    /// Proves an event.
    public static let proveEvent = company(
        "GET", "/events/{position}/proof", "Prove that an event is in a company's ledger")
    /// Reads the policy.
    public static let readPolicy = company("GET", "/policy", "Read the policy of a company")
    /// Changes the policy.
    public static let changePolicy = company("PATCH", "/policy", "Change the policy of a company")
    /// Links an app.
    public static let linkApp = company("PUT", "/apps/{appId}", "Link an app to a company")
    /// Unlinks an app.
    public static let unlinkApp = company("DELETE", "/apps/{appId}", "Unlink an app from a company")
    /// Reclaims an e-mail.
    public static let reclaimEmail = company("POST", "/reclaimed-emails", "Reclaim a company-owned e-mail")

    private static let key = "/employees/{companyEmployeeId}/keys/{fingerprint}"
    /// Authorizes a key.
    public static let authorizeKey = company("POST", key + "/authorization", "Authorize an employee key")
    /// Refuses a key.
    public static let refuseKey = company("POST", key + "/refusal", "Refuse an employee key")
    /// Revokes a key.
    public static let revokeKey = company("POST", key + "/revocation", "Revoke an employee key")
    /// Approves an employee.
    public static let approveEmployee = company(
        "POST", "/employees/{companyEmployeeId}/approval", "Approve an employee")
    /// Cancels an employee.
    public static let cancelEmployee = company(
        "POST", "/employees/{companyEmployeeId}/cancellation", "Cancel an employee")
    /// Gives or takes a role.
    public static let changeRole = company("POST", "/employees/{companyEmployeeId}/role", "Change an employee's role")
    /// Takes an employee back.
    public static let reinstateEmployee = company(
        "POST", "/employees/{companyEmployeeId}/reinstatement", "Take a cancelled employee back")
}
