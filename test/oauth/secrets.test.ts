import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryTokenStore, oauth, type TokenStore } from '../../packages/runtime/src/mcp.js'
import { boundOver } from '../mcp/served.fixture.js'
import { shopImport } from '../mcp/shop.fixture.js'
import { authorizationServer, callerOf, endAll, protectedShop, scriptedLogin, whoami } from './oauth.fixture.js'

/** Everything that a user of the runtime could see or log. */
let output: string[] = []

const writes = (stream: NodeJS.WriteStream): void => {
  vi.spyOn(stream, 'write').mockImplementation((text) => {
    output.push(String(text))
    return true
  })
}

beforeEach(() => {
  output = []
  writes(process.stdout)
  writes(process.stderr)
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation(
      (...args) => void output.push(args.map((arg) => inspect(arg)).join(' ')),
    )
  }
})

afterEach(async () => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  await endAll()
})

/** A store that remembers the secrets of all values. */
function watchedStore(): { readonly store: TokenStore; readonly secrets: Set<string> } {
  const secrets = new Set<string>()
  const memory = memoryTokenStore()
  const collect = (value: any): void => {
    for (const [name, part] of Object.entries(value ?? {})) {
      if (typeof part === 'object') collect(part)
      else if (/token$|secret|verifier/i.test(name) && typeof part === 'string') secrets.add(part)
    }
  }
  return {
    secrets,
    store: {
      ...memory,
      set: (key, value) => {
        collect(value)
        return memory.set(key, value)
      },
    },
  }
}

/** Writes an error with its hidden properties, causes and stack. */
const shown = (value: unknown): string => inspect(value, { depth: 20, showHidden: true, maxStringLength: null })

describe('OAuth: tokens and codes are in no output', () => {
  it('of a login, a refresh, and requests that fail and whose responses repeat the secrets', async () => {
    const { store, secrets } = watchedStore()
    const server = await authorizationServer()
    const { url } = await protectedShop(server.issuer)
    const login = scriptedLogin()
    const sent: string[] = []
    let echo: ((headers: Headers) => Response | undefined) | undefined
    const send: typeof fetch = async (address, init) => {
      const headers = new Headers(init?.headers)
      sent.push(headers.get('authorization') ?? '')
      if (typeof init?.body === 'string') headers.set('x-request', String(JSON.parse(init.body).id))
      return echo?.(headers) ?? fetch(address, init)
    }
    const onError = (error: unknown): void => void output.push(shown(error))
    const caller = callerOf({ url, fetch: send, onError, auth: oauth({ store, login }) })
    const bound = boundOver(caller, shopImport)
    const run = async (): Promise<void> => {
      const onEvent = (event: unknown): void => void output.push(shown(event))
      const outcome = await bound.execute({ tool: 'client.shop_whoami', arguments: '{}' }, { onEvent })
      output.push(shown(outcome))
    }

    await run()
    // An error of the MCP server that quotes its request.
    echo = (headers) => new Response(`no access with ${headers.get('authorization')}`, { status: 403 })
    await run()
    echo = (headers) => new Response(`crashed: ${headers.get('authorization')}`, { status: 500 })
    await run()
    // Errors of the protocol.
    echo = (headers) => {
      const error = { code: -32_602, message: `bad request with ${headers.get('authorization')}` }
      return Response.json({ jsonrpc: '2.0', id: Number(headers.get('x-request')), error })
    }
    await run()
    echo = undefined

    // Errors of the authorization server that quote their requests, then a refresh that works, then a revoked token.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 })
    for (const status of [400, 401, 500]) {
      server.settings.answer = (request, response) => {
        if (request.url !== '/token') return false
        const chunks: Buffer[] = []
        request.on('data', (chunk) => chunks.push(chunk))
        request.on('end', () => {
          const body = Buffer.concat(chunks).toString()
          const quoted = { error: 'invalid_request', error_description: `${body} ${decodeURIComponent(body)}` }
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(quoted))
        })
        return true
      }
      await run()
    }
    // A response whose JSON is broken within the token.
    server.settings.answer = (request, response) => {
      if (request.url !== '/token') return false
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"token_type":"Bearer","access_token":"broken-"secret-token"}')
      return true
    }
    await run()
    server.settings.answer = undefined
    expect(await whoami(caller)).toBe('ada')

    vi.setSystemTime(Date.now() + 2 * 3_600_000)
    server.settings.answer = (request, response) => {
      if (request.url !== '/token') return false
      const error = { error: 'invalid_grant', error_description: 'revoked' }
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(error))
      return true
    }
    await run()

    const tokens = sent.map((header) => header.replace('Bearer ', '')).filter((token) => token !== '')
    const codes = login.opened.length
    expect(codes).toBeGreaterThan(0)
    expect(new Set([...secrets, ...tokens]).size).toBeGreaterThan(3)
    const all = output.join('\n')
    expect(all).toContain('no access with Bearer [secret]')
    expect(all).toContain('cannot be refreshed')
    for (const secret of [...secrets, ...tokens, 'secret-token']) expect(all).not.toContain(secret)
  })
})
