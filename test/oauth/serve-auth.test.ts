import { createHmac } from 'node:crypto'
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Runtime } from '../../packages/runtime/src/index.js'
import { bearerAuth, serveMcp, type TokenClaims } from '../../packages/runtime/src/mcp.js'
import { atEnd } from '../mcp/http-server.fixture.js'
import { shop } from '../mcp/shop.fixture.js'
import { callerOf, endAll, listening, protectedShop, whoami } from './oauth.fixture.js'

afterEach(async () => {
  vi.useRealTimers()
  await endAll()
})

interface Issuer {
  readonly url: string
  /** Paths that were requested. */
  readonly requests: string[]
  key: CryptoKey
  spki: string
  answer?: ((path: string) => string | undefined) | undefined
  rotate(): Promise<void>
  /** Signs a token for an audience; `changes` replaces claims. */
  token(audience: string, changes?: object): Promise<string>
}

/** An authorization server that only publishes its metadata and keys. */
async function newIssuer(): Promise<Issuer> {
  let jwks: object = {}
  let keyId = 0
  const requests: string[] = []
  const endpoint = await listening((request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    const metadata = { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks`, response_types_supported: ['code'] }
    const endpoints = { authorization_endpoint: `${issuer.url}/auth`, token_endpoint: `${issuer.url}/token` }
    const body = path === '/jwks' ? jwks : { ...metadata, ...endpoints }
    const text = issuer.answer?.(path) ?? JSON.stringify(body)
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  const issuer: Issuer = {
    url: new URL(endpoint).origin,
    requests,
    key: Object(undefined),
    spki: '',
    rotate: async () => {
      keyId += 1
      const { publicKey, privateKey } = await generateKeyPair('ES256')
      jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: `key${keyId}`, alg: 'ES256', use: 'sig' }] }
      issuer.spki = await exportSPKI(publicKey)
      issuer.key = privateKey
    },
    token: (audience, changes = {}) =>
      new SignJWT({ iss: issuer.url, aud: audience, sub: 'ada', exp: now() + 3600, scope: 'read write', ...changes })
        .setProtectedHeader({ alg: 'ES256', kid: `key${keyId}`, typ: 'at+jwt' })
        .sign(issuer.key),
  }
  await issuer.rotate()
  return issuer
}

const now = (): number => Math.floor(Date.now() / 1000)

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

/** Sends a request to the service, of protocol 2025-06-18. */
function post(url: string, token?: string, body: object = listTools, headers: object = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify(body),
  })
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('bearerAuth', () => {
  it('publishes the authorization server, and names the metadata in status 401', async () => {
    const issuer = await newIssuer()
    const { url } = await protectedShop(issuer.url, { requiredScopes: ['read'] })
    const refused = await post(url)
    expect(refused.status).toBe(401)
    const metadataUrl = `${new URL(url).origin}/.well-known/oauth-protected-resource/mcp`
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", error_description="Missing Authorization header", scope="read", resource_metadata="${metadataUrl}"`,
    )
    const metadata = await fetch(metadataUrl)
    expect(await metadata.json()).toEqual({
      resource: url,
      authorization_servers: [issuer.url],
      scopes_supported: ['read'],
    })
    const legacy = await fetch(`${new URL(url).origin}/.well-known/oauth-authorization-server`)
    expect(legacy.status).toBe(404)
  })

  it('gives the claims to `context`, with both protocols', async () => {
    const issuer = await newIssuer()
    const { url } = await protectedShop(issuer.url)
    const headers = { authorization: `Bearer ${await issuer.token(url, { sub: 'grace' })}` }
    expect(await whoami(callerOf({ url, headers }))).toBe('grace')
    const old = await post(url, await issuer.token(url), initialize)
    expect(old.status).toBe(200)
    const session = { 'mcp-session-id': old.headers.get('mcp-session-id') ?? '' }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'shop_whoami', arguments: {} } }
    const called = await post(url, await issuer.token(url), call, session)
    expect(await called.text()).toContain('\\"tenant\\":\\"ada\\"')
  })

  it.each([
    ['of another audience', { aud: 'https://other.example/mcp' }, 'issued for another server'],
    ['of several other audiences', { aud: ['https://a.example', 'https://b.example'] }, 'issued for another server'],
    ['of another issuer', { iss: 'https://other.example' }, '"iss" claim'],
    ['without issuer', { iss: undefined }, '"iss" claim'],
    ['without audience', { aud: undefined }, 'issued for another server'],
    ['without expiry', { exp: undefined }, '"exp" claim'],
    ['that has expired', { exp: now() - 60 }, '"exp" claim'],
    ['that is not valid yet', { nbf: now() + 600 }, '"nbf" claim'],
    ['without subject', { sub: undefined }, '"sub" claim'],
    ['with an empty subject', { sub: '' }, 'no subject'],
  ])('refuses a token %s', async (_, changes, message) => {
    const issuer = await newIssuer()
    const { url } = await protectedShop(issuer.url)
    const response = await post(url, await issuer.token(url, changes))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    const { error_description: description }: any = await response.json()
    expect(description).toContain(message)
  })

  it('tolerates clocks that differ by 30 seconds', async () => {
    const issuer = await newIssuer()
    const { url } = await protectedShop(issuer.url)
    const response = await post(url, await issuer.token(url, { exp: now() - 10, nbf: now() + 10 }), initialize)
    expect(response.status).toBe(200)
    const strict = await protectedShop(issuer.url, { clockToleranceSeconds: 0 })
    expect((await post(strict.url, await issuer.token(strict.url, { exp: now() - 10 }))).status).toBe(401)
  })

  it('refuses a token without a scope with status 403, and names the scope', async () => {
    const issuer = await newIssuer()
    const { url } = await protectedShop(issuer.url, { requiredScopes: ['read', 'admin'] })
    const refused = await post(url, await issuer.token(url))
    expect(refused.status).toBe(403)
    expect(refused.headers.get('www-authenticate')).toMatch(/error="insufficient_scope".*scope="read admin"/)
    const granted = await issuer.token(url, { scope: undefined, scp: ['read', 'admin'] })
    expect((await post(url, granted, initialize)).status).toBe(200)
  })

  it('refuses unsigned tokens, tokens that are signed with the public key as a secret, and other texts', async () => {
    const issuer = await newIssuer()
    const { url } = await protectedShop(issuer.url)
    const good = await issuer.token(url)
    const [header = '', payload = '', signature = ''] = good.split('.')
    const kid = JSON.parse(Buffer.from(header, 'base64url').toString()).kid
    const confused = `${base64({ alg: 'HS256', kid })}.${payload}`
    const forged = [
      `${base64({ alg: 'none' })}.${payload}.`,
      `${base64({ alg: 'none', kid })}.${payload}.${signature}`,
      `${confused}.${createHmac('sha256', issuer.spki).update(confused).digest('base64url')}`,
      `${header}.${base64({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'root' })}.${signature}`,
      `${header}.${payload}.`,
      'not-a-token',
      `${good} ${good}`,
    ]
    for (const token of forged.slice(0, 6)) expect((await post(url, token)).status).toBe(401)
    expect((await post(url, undefined, listTools, { authorization: `Basic ${good}` })).status).toBe(401)
    expect((await post(url, good, initialize)).status).toBe(200)
  })

  it('accepts new keys of the authorization server, and does not request them for each unknown key', async () => {
    const issuer = await newIssuer()
    const { url } = await protectedShop(issuer.url)
    expect((await post(url, await issuer.token(url), initialize)).status).toBe(200)
    const keyRequests = (): number => issuer.requests.filter((path) => path === '/jwks').length
    await issuer.rotate()
    const tokens = await Promise.all([1, 2, 3].map(() => issuer.token(url)))
    for (const token of tokens) expect((await post(url, token)).status).toBe(401)
    expect(keyRequests()).toBe(1)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
    for (const token of tokens) expect((await post(url, token, initialize)).status).toBe(200)
    expect(keyRequests()).toBe(2)
  })

  it.each([
    ['has no keys', (path: string) => (path === '/jwks' ? '{}' : undefined)],
    [
      'has too many keys',
      (path: string) => (path === '/jwks' ? `{"keys":[],"x":"${'x'.repeat(300_000)}"}` : undefined),
    ],
    ['has no metadata', (path: string) => (path === '/jwks' ? undefined : '{}')],
    ['has the metadata of another server', (path: string) => (path === '/jwks' ? undefined : lyingMetadata)],
  ])('answers 503 if the authorization server %s, and works again later', async (_, answer) => {
    const issuer = await newIssuer()
    const errors: unknown[] = []
    const { url } = await protectedShop(issuer.url, { onError: (error) => errors.push(error) })
    issuer.answer = answer
    const response = await post(url, await issuer.token(url))
    expect(response.status).toBe(503)
    expect(errors).toHaveLength(1)
    issuer.answer = undefined
    expect((await post(url, await issuer.token(url), initialize)).status).toBe(200)
  })

  it('answers 503 if the authorization server does not respond', async () => {
    const silent = await listening(() => undefined)
    const issuer = new URL(silent).origin
    const { url } = await protectedShop(issuer, { timeoutMs: 50 })
    expect((await post(url, 'x.y.z')).status).toBe(503)
  })

  it('verifies other tokens with `verify`, whose result determines the type of the claims', async () => {
    const issuer = 'https://login.example'
    const verify = async (token: string) => {
      if (token === 'down') throw new Error('no introspection')
      if (token === 'unknown') return undefined
      return { sub: token, aud: 'orders', scope: 'read', tenant: 7, ...(token === 'old' && { exp: now() - 600 }) }
    }
    const service = await serveMcp(new Runtime(), {
      toolsets: [shop()],
      context: ({ claims }) => ({ labels: { tenant: `${claims.sub}@${claims.tenant.toFixed(1)}` } }),
      transport: { port: 0, auth: bearerAuth({ issuer, audience: 'orders', requiredScopes: ['read'], verify }) },
    })
    atEnd(() => service.close())
    const url = service.url ?? ''
    expect(await whoami(callerOf({ url, headers: { authorization: 'Bearer ada' } }))).toBe('ada@7.0')
    const statuses = await Promise.all(['unknown', 'old', 'down'].map(async (token) => (await post(url, token)).status))
    expect(statuses).toEqual([401, 401, 503])
    const elsewhere = bearerAuth({ issuer, verify: (token) => ({ sub: token, aud: 'other' }) })
    const check = (await elsewhere.open())(new URL(url))
    const request = new Request(url, { headers: { authorization: 'Bearer ada' } })
    expect(await check.check(request)).toMatchObject({ status: 401 })
  })

  it('rejects invalid options', async () => {
    expect(() => bearerAuth({ issuer: 'login' })).toThrow("bearerAuth: issuer is not a URL: 'login'")
    expect(() => bearerAuth({ issuer: 'http://login.example' })).toThrow('must be an https URL')
    expect(() => bearerAuth({ issuer: 'https://login.example', jwksUrl: '/jwks' })).toThrow('jwksUrl is not a URL')
    expect(() => bearerAuth({ issuer: 'https://login.example', clockToleranceSeconds: -1 })).toThrow(RangeError)
    const open = serveMcp(new Runtime(), {
      toolsets: [shop()],
      transport: {
        port: 0,
        host: '0.0.0.0',
        allowedHosts: ['tools.example'],
        auth: bearerAuth({ issuer: 'https://login.example', verify: (): TokenClaims => ({ sub: 'x' }) }),
      },
    })
    await expect(open).rejects.toThrow('Set `resource` to the URL that they use')
  })
})

const lyingMetadata = JSON.stringify({
  issuer: 'https://honest.example',
  jwks_uri: 'https://honest.example/jwks',
  authorization_endpoint: 'https://honest.example/auth',
  token_endpoint: 'https://honest.example/token',
  response_types_supported: ['code'],
})

describe('sessions of clients with tokens', () => {
  it('belong to the subject that has opened them', async () => {
    const issuer = await newIssuer()
    const { url } = await protectedShop(issuer.url)
    const [ada, grace] = [await issuer.token(url), await issuer.token(url, { sub: 'grace' })]
    const opened = await post(url, ada, initialize)
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    expect((await post(url, grace, listTools, session)).status).toBe(404)
    const ended = await fetch(url, { method: 'DELETE', headers: { ...session, authorization: `Bearer ${grace}` } })
    expect(ended.status).toBe(404)
    expect((await post(url, undefined, listTools, session)).status).toBe(401)
    expect((await post(url, await issuer.token(url), listTools, session)).status).toBe(200)
  })

  it('are limited per subject: a new one replaces the oldest one of the same subject', async () => {
    const issuer = await newIssuer()
    const { url } = await protectedShop(issuer.url, {}, { maxSessionsPerSubject: 2 })
    const open = async (sub: string): Promise<string> =>
      (await post(url, await issuer.token(url, { sub }), initialize)).headers.get('mcp-session-id') ?? ''
    const status = async (sub: string, id: string): Promise<number> =>
      (await post(url, await issuer.token(url, { sub }), listTools, { 'mcp-session-id': id })).status
    const other = await open('grace')
    const sessions = [await open('ada'), await open('ada'), await open('ada')]
    expect(await Promise.all(sessions.map((id) => status('ada', id)))).toEqual([404, 200, 200])
    expect(await status('grace', other)).toBe(200)
  })
})

describe('questions of a call with protocol 2026-07-28', () => {
  it('are answered only by the subject of the call', async () => {
    const issuer = await newIssuer()
    const service = await serveMcp(new Runtime(), {
      toolsets: [shop()],
      transport: { port: 0, auth: bearerAuth({ issuer: issuer.url }) },
      context: async ({ client, claims }) => {
        await client.elicit({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } })
        return { labels: { tenant: claims.sub } }
      },
    })
    atEnd(() => service.close())
    const url = service.url ?? ''
    const version = '2026-07-28'
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    }
    const call = async (sub: string, more: object): Promise<any> => {
      const params = { name: 'shop_whoami', arguments: {}, _meta, ...more }
      const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'shop_whoami' }
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const response = await post(url, await issuer.token(url, { sub }), body, headers)
      const { result, error }: any = await response.json()
      return result ?? error
    }
    const { inputRequests, requestState } = await call('ada', {})
    const inputResponses = { [Object.keys(inputRequests)[0] ?? '']: { action: 'accept', content: {} } }
    const refused = await call('grace', { requestState, inputResponses })
    expect(refused).toMatchObject({ code: -32602, message: expect.stringContaining('asked by another call') })
    const { content } = await call('ada', { requestState, inputResponses })
    expect(content[0].text).toContain('"tenant":"ada"')
  })
})
