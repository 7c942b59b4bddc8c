import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  clientCredentials,
  loopbackLogin,
  type McpCallError,
  memoryTokenStore,
  oauth,
  sseCaller,
  type TokenStore,
} from '../../packages/runtime/src/mcp.js'
import type { JsonObject } from '../../packages/runtime/src/types/json.js'
import { boundOver } from '../mcp/served.fixture.js'
import { shopImport } from '../mcp/shop.fixture.js'
import {
  authorizationServer,
  browse,
  callerOf,
  endAll,
  protectedEvents,
  protectedShop,
  scriptedLogin,
  whoami,
} from './oauth.fixture.js'

afterEach(async () => {
  vi.useRealTimers()
  await endAll()
})

/** Moves the clock of the callers and servers of this process. */
function setClock(hours: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
}

const posts = (requests: readonly string[], path: string): number =>
  requests.filter((request) => request === `POST ${path}`).length

describe('OAuth: login', () => {
  it('registers a client, logs the user in and calls the tool', async () => {
    const { issuer, requests } = await authorizationServer()
    const { url } = await protectedShop(issuer, { requiredScopes: ['read'] })
    const login = scriptedLogin()
    const caller = callerOf({ url, auth: oauth({ login }) })
    expect(await whoami(caller)).toBe('ada')
    expect(login.opened).toHaveLength(1)
    expect(posts(requests, '/reg')).toBe(1)
    const asked = login.opened[0]?.searchParams
    expect(asked?.get('resource')).toBe(url)
    expect(asked?.get('code_challenge_method')).toBe('S256')
    expect(asked?.get('scope')?.split(' ')).toContain('read')
  })

  it('works over server-sent events', async () => {
    const { issuer } = await authorizationServer()
    const login = scriptedLogin()
    const caller = sseCaller({ url: await protectedEvents(issuer), auth: oauth({ login }), reconnect: { attempts: 1 } })
    expect(await caller.listTools()).toEqual([])
    expect(login.opened).toHaveLength(1)
    await caller.close()
  })

  it('uses a client ID metadata document if the authorization server supports it', async () => {
    const document = 'https://client.example/oauth/metadata.json'
    const metadata = {
      client_id: document,
      client_name: 'shop client',
      redirect_uris: ['http://127.0.0.1/callback'],
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    }
    const { issuer, requests } = await authorizationServer({ documents: async () => Response.json(metadata) })
    const { url } = await protectedShop(issuer)
    const login = scriptedLogin()
    const caller = callerOf({ url, auth: oauth({ login, clientMetadataUrl: document }) })
    expect(await whoami(caller)).toBe('ada')
    expect(login.opened[0]?.searchParams.get('client_id')).toBe(document)
    expect(posts(requests, '/reg')).toBe(0)
  })

  it('uses a registered client', async () => {
    const client = {
      client_id: 'desk',
      client_secret: 'a-secret-of-the-desk',
      redirect_uris: ['http://127.0.0.1/callback'],
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
    }
    const { issuer, requests } = await authorizationServer({ clients: [client] })
    const { url } = await protectedShop(issuer)
    const registered = { id: 'desk', secret: 'a-secret-of-the-desk', issuer }
    expect(await whoami(callerOf({ url, auth: oauth({ login: scriptedLogin(), client: registered }) }))).toBe('ada')
    expect(posts(requests, '/reg')).toBe(0)
    const other = { ...registered, issuer: 'https://other.example' }
    const error = await whoami(callerOf({ url, auth: oauth({ login: scriptedLogin(), client: other }) })).catch(
      (thrown: McpCallError) => thrown,
    )
    expect(error).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('https://other.example') })
  })

  it('refreshes an expired token without the user', async () => {
    const { issuer, requests } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const login = scriptedLogin()
    const caller = callerOf({ url, auth: oauth({ login }) })
    await whoami(caller)
    setClock(2)
    expect(await whoami(caller)).toBe('ada')
    expect(login.opened).toHaveLength(1)
    expect(posts(requests, '/token')).toBe(2)
  })

  it('logs in again when the refresh token was revoked', async () => {
    const { issuer, provider } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const store = memoryTokenStore()
    const login = scriptedLogin()
    const caller = callerOf({ url, auth: oauth({ store, login }) })
    await whoami(caller)
    await (await provider.RefreshToken.find(await refreshTokenIn(store, url))).destroy()
    setClock(2)
    expect(await whoami(caller)).toBe('ada')
    expect(login.opened).toHaveLength(2)
  })

  it('keeps the tokens and does not log in again while the authorization server has a problem', async () => {
    const server = await authorizationServer()
    const { url } = await protectedShop(server.issuer)
    const login = scriptedLogin()
    const caller = callerOf({ url, auth: oauth({ login }) })
    await whoami(caller)
    setClock(2)
    server.settings.answer = (request, response) => {
      if (request.url !== '/token') return false
      response.writeHead(503).end('down for maintenance')
      return true
    }
    const error = await whoami(caller).catch((thrown: McpCallError) => thrown)
    expect(error).toMatchObject({ message: expect.stringContaining('cannot be refreshed') })
    server.settings.answer = undefined
    expect(await whoami(caller)).toBe('ada')
    expect(login.opened).toHaveLength(1)
  })

  it('does one login and one refresh for simultaneous calls', async () => {
    const { issuer, requests } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const login = scriptedLogin()
    const auth = oauth({ login })
    const callers = [callerOf({ url, auth }), callerOf({ url, auth })]
    const calls = (): Promise<unknown[]> => Promise.all([...callers, ...callers, ...callers].map(whoami))
    expect(new Set(await calls())).toEqual(new Set(['ada']))
    expect(login.opened).toHaveLength(1)
    setClock(2)
    expect(new Set(await calls())).toEqual(new Set(['ada']))
    expect(login.opened).toHaveLength(1)
    expect(posts(requests, '/token')).toBe(2)
  })

  it('asks for further scopes when a call needs them, and keeps the earlier ones', async () => {
    const { issuer } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const login = scriptedLogin()
    // Stands for a server that needs more scopes for one of its tools.
    const send: typeof fetch = async (address, init) => {
      const token = /^Bearer (.*)$/.exec(new Headers(init?.headers).get('authorization') ?? '')?.[1]
      const claims = JSON.parse(Buffer.from(token?.split('.')[1] ?? 'e30', 'base64url').toString())
      const isCall = typeof init?.body === 'string' && init.body.includes('shop_whoami')
      if (!isCall || claims.scope?.split(' ').includes('write')) return fetch(address, init)
      return new Response(null, {
        status: 403,
        headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' },
      })
    }
    const caller = callerOf({ url, fetch: send, auth: oauth({ login, scopes: ['read'] }) })
    await caller.listTools()
    expect(await whoami(caller)).toBe('ada')
    const scopes = login.opened.map((opened) => opened.searchParams.get('scope')?.split(' '))
    expect(scopes).toEqual([expect.arrayContaining(['read']), expect.arrayContaining(['read', 'write'])])
    expect(scopes[0]).not.toContain('write')
  })

  it('fails without a login, and the failed outcome says what to do', async () => {
    const { issuer } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const caller = callerOf({ url, auth: oauth() })
    const outcome = await boundOver(caller, shopImport).execute({ tool: 'client.shop_whoami', arguments: '{}' })
    expect(outcome).toMatchObject({
      status: 'failed',
      hint: { reason: 'denied' },
      error: {
        cause: {
          code: 'unauthorized',
          status: 401,
          message: `${url} requires a login. Pass \`login\` to \`oauth\`, for example \`loopbackLogin()\`, or log in with \`startLogin\` and \`finishLogin\`.`,
        },
      },
    })
  })

  it('fails if the user declines', async () => {
    const { issuer } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const login = scriptedLogin((page) => browse(page, { declines: true }))
    await expect(whoami(callerOf({ url, auth: oauth({ login }) }))).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('access_denied'),
    })
  })

  it('fails if the user does not log in within the time limit, and if the call is cancelled', async () => {
    const { issuer } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const ignores = scriptedLogin(async () => undefined, { timeoutMs: 20 })
    await expect(whoami(callerOf({ url, auth: oauth({ login: ignores }) }))).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('no login within 20 ms'),
    })
    const controller = new AbortController()
    const cancels = scriptedLogin(async () => controller.abort(new Error('cancelled')))
    const caller = callerOf({ url, auth: oauth({ login: cancels }) })
    const call = caller.callTool({ name: 'shop_whoami', arguments: {} }, { signal: controller.signal })
    await expect(call).rejects.toThrow('cancelled')
    const redirectUrl = cancels.opened[0]?.searchParams.get('redirect_uri') ?? ''
    await expect.poll(() => fetch(redirectUrl).then(String, () => 'closed')).toBe('closed')
  })

  it('fails if the login page cannot be opened', async () => {
    const { issuer } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const open = (): never => {
      throw new Error('no browser')
    }
    const caller = callerOf({ url, auth: oauth({ login: loopbackLogin({ open }) }) })
    await expect(whoami(caller)).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('no browser'),
    })
  })

  it('ends although a browser has opened a connection without a request', async () => {
    const { issuer } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const ended: Promise<unknown>[] = []
    const login = scriptedLogin(async (page) => {
      const { port } = new URL(page.searchParams.get('redirect_uri') ?? '')
      const socket = connect(Number(port), '127.0.0.1')
      ended.push(once(socket, 'close'))
      await once(socket, 'connect')
      await browse(page)
    })
    expect(await whoami(callerOf({ url, auth: oauth({ login }) }))).toBe('ada')
    await Promise.all(ended)
  })

  it('forgets the tokens after a logout', async () => {
    const { issuer } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const login = scriptedLogin()
    const auth = oauth({ login })
    const caller = callerOf({ url, auth })
    await whoami(caller)
    await auth.logout(url)
    expect(await whoami(caller)).toBe('ada')
    expect(login.opened).toHaveLength(2)
  })

  it('logs in for a web application, which finishes the login in another process', async () => {
    const { issuer } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const store = memoryTokenStore()
    const redirectUrl = 'https://app.example/callback'
    const started = oauth({ store, redirectUrl })
    await expect(whoami(callerOf({ url, auth: started }))).rejects.toMatchObject({ code: 'unauthorized' })
    const callback = await browse(await started.startLogin(url), { user: 'grace' })
    expect(callback).toMatch(/^https:\/\/app\.example\/callback\?/)
    const finishing = oauth({ store, redirectUrl })
    const [first, second] = await Promise.allSettled([finishing.finishLogin(callback), finishing.finishLogin(callback)])
    expect([first?.status, second?.status]).toEqual(['fulfilled', 'rejected'])
    expect(await whoami(callerOf({ url, auth: finishing }))).toBe('grace')
    const other = oauth({ store: memoryTokenStore(), redirectUrl })
    for (const auth of [finishing, other]) {
      await expect(auth.finishLogin(callback)).rejects.toMatchObject({
        code: 'unauthorized',
        message: 'the callback does not belong to a started login. Start the login again',
      })
    }
    await expect(oauth().startLogin(url)).rejects.toThrow('startLogin needs the option `redirectUrl`')
  })

  it('authenticates a service with the grant client_credentials', async () => {
    const client = {
      client_id: 'reports',
      client_secret: 'a-secret-of-reports',
      redirect_uris: [],
      response_types: [],
      grant_types: ['client_credentials'],
    }
    const { issuer, requests } = await authorizationServer({ clients: [client] })
    const { url } = await protectedShop(issuer)
    const options = { clientId: 'reports', clientSecret: 'a-secret-of-reports', issuer }
    const caller = callerOf({ url, auth: clientCredentials(options) })
    expect(await whoami(caller)).toBe('reports')
    setClock(2)
    expect(await whoami(caller)).toBe('reports')
    expect(posts(requests, '/token')).toBe(2)
    const wrong = callerOf({ url, auth: clientCredentials({ ...options, clientSecret: 'another-secret' }) })
    await expect(whoami(wrong)).rejects.toMatchObject({ code: 'unauthorized' })
    const elsewhere = callerOf({ url, auth: clientCredentials({ ...options, issuer: 'https://other.example' }) })
    await expect(whoami(elsewhere)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('authenticates a service with a signed assertion (private_key_jwt), and does not send its key', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const client = {
      client_id: 'reports',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }] },
      redirect_uris: [],
      response_types: [],
      grant_types: ['client_credentials'],
    }
    const { issuer, requests } = await authorizationServer({ clients: [client] })
    const { url } = await protectedShop(issuer)
    const sent: string[] = []
    const pem = (key: KeyObject) => String(key.export({ format: 'pem', type: 'pkcs8' }))
    const options = {
      clientId: 'reports',
      algorithm: 'ES256',
      issuer,
      fetch: async (target: string | URL | Request, init?: RequestInit) => {
        sent.push(String(init?.body))
        return fetch(target, init)
      },
    }
    const keys = [pem(privateKey), { ...privateKey.export({ format: 'jwk' }) }]
    for (const key of keys) {
      const caller = callerOf({ url, auth: clientCredentials({ ...options, privateKey: key }) })
      expect(await whoami(caller)).toBe('reports')
    }
    expect(posts(requests, '/token')).toBe(2)
    const form = new URLSearchParams(sent.find((body) => body.includes('client_assertion=')))
    expect(form.get('client_assertion_type')).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
    expect(form.has('client_secret')).toBe(false)
    const [, claims = ''] = form.get('client_assertion')?.split('.') ?? []
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ iss: 'reports', sub: 'reports' })
    expect(sent.join()).not.toContain(String(privateKey.export({ format: 'jwk' }).d))

    const wrong = callerOf({ url, auth: clientCredentials({ ...options, privateKey: pem(other.privateKey) }) })
    const rejected = await whoami(wrong).catch((error: unknown) => error)
    expect(rejected).toMatchObject({ code: 'unauthorized' })
    expect(String(rejected)).not.toContain('PRIVATE KEY')
    const elsewhere = { ...options, privateKey: pem(privateKey), issuer: 'https://other.example' }
    await expect(whoami(callerOf({ url, auth: clientCredentials(elsewhere) }))).rejects.toMatchObject({
      code: 'unauthorized',
    })
    expect(sent.filter((body) => body.includes('client_assertion='))).toHaveLength(3)
  })

  it.each<[object, string]>([
    [{ clientId: 5 }, '`clientId` must be a string'],
    [{ issuer: 'login' }, '`issuer` must be the URL of the authorization server'],
    [{ clientSecret: undefined }, '`clientSecret` must be a string, but is of the type undefined'],
    [{ privateKey: 'reports.pem', algorithm: 'ES256' }, '`privateKey` must be PEM text in the format PKCS#8, or a JWK'],
    [{ privateKey: {} }, "`algorithm` must be the algorithm of the signature, such as 'ES256'"],
  ])('a service is not created with the options %j', (options, message) => {
    const valid = { clientId: 'reports', clientSecret: 'a-secret', issuer: 'https://login.example' }
    // `any`: JavaScript can pass values of any type.
    const all: any = { ...valid, ...options }
    expect(() => clientCredentials(all)).toThrow(TypeError)
    expect(() => clientCredentials(all)).toThrow(message)
  })

  it('rejects invalid options', () => {
    expect(() => oauth({ clientMetadataUrl: 'http://client.example/metadata' })).toThrow(TypeError)
    expect(() => oauth({ redirectUrl: 'callback' })).toThrow(TypeError)
    expect(() => oauth({ timeoutMs: 0 })).toThrow(RangeError)
  })

  it.each<[string, Partial<TokenStore>, string]>([
    ['cannot be read', { get: () => Promise.reject(new Error('no disk')) }, 'cannot be read from its store: no disk'],
    ['has a broken token', { get: brokenToken }, 'has characters that a header cannot contain'],
  ])('reports a store that %s, and does not try again', async (_, broken, message) => {
    const { issuer } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    let reads = 0
    const get: TokenStore['get'] = (key) => {
      reads += 1
      return broken.get?.(key)
    }
    const caller = callerOf({ url, auth: oauth({ store: { ...memoryTokenStore(), get } }), reconnect: { attempts: 4 } })
    await expect(whoami(caller)).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining(message),
    })
    expect(reads).toBe(1)
  })

  it('reports a store that returns something else', async () => {
    const { issuer } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const store: TokenStore = { ...memoryTokenStore(), get: () => ({ tokens: 1 }) }
    await expect(whoami(callerOf({ url, auth: oauth({ store, login: scriptedLogin() }) }))).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('`logout`'),
    })
  })
})

/** Value of a store with a token that contains a line break. */
function brokenToken(): JsonObject {
  return {
    redirectUrl: 'http://127.0.0.1',
    client: {},
    discovery: {},
    tokens: { access_token: 'first line\nsecond line' },
  }
}

async function refreshTokenIn(store: TokenStore, url: string): Promise<unknown> {
  const stored: any = await store.get(url)
  return stored.tokens.refresh_token
}
