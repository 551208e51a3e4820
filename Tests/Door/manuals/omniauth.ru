# Debian's ruby-omniauth-openid-connect, with the options of its README.
require 'omniauth'
require 'omniauth_openid_connect'

issuer = URI(ENV.fetch('ISSUER'))
# Its README fetches the document of the provider over https only; this is the switch for plain http on this machine.
SWD.url_builder = URI::HTTP
OmniAuth.config.allowed_request_methods = [:get, :post]
OmniAuth.config.silence_get_warning = true

use Rack::Session::Cookie, secret: 'a secret of the test, of sixty-four characters or more: 0123456789'
use OmniAuth::Builder do
  provider :openid_connect, {
    name: :openid_connect, scope: %i[openid email profile], response_type: :code, discovery: true,
    issuer: issuer.to_s, uid_field: 'preferred_username',
    client_options: {
      port: issuer.port, scheme: issuer.scheme, host: issuer.host,
      identifier: ENV.fetch('CLIENT_ID'), secret: ENV.fetch('CLIENT_SECRET'),
      redirect_uri: "#{ENV.fetch('SITE')}/auth/openid_connect/callback"
    }
  }
end
run lambda { |env|
  text = if (found = env['omniauth.auth'])
           "Hello #{found.info.email}"
         elsif env['PATH_INFO'] == '/auth/failure'
           "Failed: #{env['QUERY_STRING']}"
         else
           '<a href="/auth/openid_connect">Log in</a>'
         end
  [200, { 'Content-Type' => 'text/html' }, [text]]
}
