// A real authorization server (oidc-provider) on this machine. `oidc-provider` has no types, hence JavaScript.
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

export async function startAuthorizationServer(options = {}) {
  const requests = []
  const settings = { audience: (resource) => resource, scopes: 'read write', tokenSeconds: 3600, ...options }
  const http = createServer((request, response) => {
    requests.push(`${request.method} ${request.url.split('?')[0]}`)
    if (settings.answer?.(request, response) !== true) handle(request, response)
  })
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${http.address().port}`
  const { warn, info } = console
  // The provider prints that the login pages of this test are not for production.
  console.warn = () => undefined
  console.info = () => undefined
  const provider = new Provider(issuer, configuration(settings, issuer))
  console.warn = warn
  console.info = info
  const handle = provider.callback()
  return {
    issuer,
    provider,
    requests,
    settings,
    close: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

function configuration(settings) {
  return {
    clients: settings.clients ?? [],
    scopes: ['openid', 'offline_access', ...settings.scopes.split(' ')],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    cookies: { keys: ['key of a test'] },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      ...(settings.documents !== undefined && {
        clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      }),
      resourceIndicators: {
        enabled: true,
        defaultResource: (_, __, oneOf) => oneOf,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          scope: settings.scopes,
          audience: settings.audience(resource),
          accessTokenFormat: 'jwt',
          accessTokenTTL: settings.tokenSeconds,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    ttl: {
      AccessToken: 3600,
      ClientCredentials: 3600,
      Grant: 86_400,
      IdToken: 3600,
      Interaction: 3600,
      RefreshToken: 86_400,
      Session: 86_400,
    },
    ...(settings.documents !== undefined && { fetch: settings.documents }),
  }
}
