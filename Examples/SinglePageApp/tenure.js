// Logs people in with Tenure from a page without a server of its own: OpenID Connect, authorization code with PKCE.
// No token is stored except the ID token, which the log-out names.

const random = () => encode(crypto.getRandomValues(new Uint8Array(32)));
const encode = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const claims = (token) => JSON.parse(new TextDecoder().decode(
  Uint8Array.from(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0))));

/** @param {Response} response @returns {Promise<any>} */
async function read(response) {
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error_description ?? answer.error);
  return answer;
}

export class Tenure {
  /** @param {{issuer: string, clientId: string}} settings */
  constructor({issuer, clientId}) {
    this.issuer = issuer;
    this.clientId = clientId;
    /** The address of this page, which is registered for the client as redirect URI and for after the log-out. */
    this.page = location.origin + location.pathname;
  }

  /** What the provider says about itself. */
  async provider() {
    return this.metadata ??= await read(await fetch(this.issuer + "/.well-known/openid-configuration"));
  }

  /** Sends the person to the log-in. */
  async logIn() {
    const attempt = {verifier: random(), state: random(), nonce: random()};
    sessionStorage.setItem("attempt", JSON.stringify(attempt));
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(attempt.verifier));
    location.assign((await this.provider()).authorization_endpoint + "?" + new URLSearchParams({
      response_type: "code", client_id: this.clientId, redirect_uri: this.page, scope: "openid profile email",
      state: attempt.state, nonce: attempt.nonce,
      code_challenge: encode(new Uint8Array(digest)), code_challenge_method: "S256",
    }));
  }

  /** Finishes a log-in when the page was opened by its answer.
   * @returns {Promise<Record<string, any> | null>} What the provider says about the person; null without an answer. */
  async finish() {
    const answer = new URLSearchParams(location.search);
    const attempt = JSON.parse(sessionStorage.getItem("attempt") ?? "null");
    if (!answer.has("state")) return null;
    history.replaceState(null, "", this.page);
    sessionStorage.removeItem("attempt");
    if (attempt?.state !== answer.get("state") || answer.get("iss") !== this.issuer) {
      throw new Error("This answer belongs to no log-in of this page.");
    }
    if (answer.has("error")) throw new Error(answer.get("error_description") ?? answer.get("error") ?? "");
    const tokens = await read(await fetch((await this.provider()).token_endpoint, {
      method: "POST", body: new URLSearchParams({
        grant_type: "authorization_code", client_id: this.clientId, redirect_uri: this.page,
        code: answer.get("code") ?? "", code_verifier: attempt.verifier,
      }),
    }));
    // The token came from the provider itself over TLS, which takes the place of checking its signature
    // (OpenID Connect Core, section 3.1.3.7).
    const token = claims(tokens.id_token);
    if (token.iss !== this.issuer || token.aud !== this.clientId || token.nonce !== attempt.nonce) {
      throw new Error("The ID token is for another log-in.");
    }
    sessionStorage.setItem("idToken", tokens.id_token);
    return token;
  }

  /** What the last log-in of this tab said about the person; null without one. */
  person() {
    const token = sessionStorage.getItem("idToken");
    return token ? claims(token) : null;
  }

  /** Ends the log-in here and at the provider. */
  async logOut() {
    const hint = sessionStorage.getItem("idToken") ?? "";
    sessionStorage.removeItem("idToken");
    location.assign((await this.provider()).end_session_endpoint + "?" +
      new URLSearchParams({id_token_hint: hint, post_logout_redirect_uri: this.page}));
  }
}
