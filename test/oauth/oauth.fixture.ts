import type { ServerResponse } from 'node:http'
import { Runtime } from '../../packages/runtime/src/index.js'
import type { LoopbackLoginOptions } from '../../packages/runtime/src/mcp.js'
import {
  type BearerAuthOptions,
  bearerAuth,
  type HttpCallerOptions,
  httpCaller,
  type Login,
  loopbackLogin,
  type McpService,
  type SdkCaller,
  serveMcp,
  type TokenClaims,
} from '../../packages/runtime/src/mcp.js'
import { atEnd, listening } from '../mcp/http-server.fixture.js'
import { shop } from '../mcp/shop.fixture.js'
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.mjs'

export { endAll, listening } from '../mcp/http-server.fixture.js'

/** Starts an authorization server that ends with the test. */
export async function authorizationServer(
  options: Parameters<typeof startAuthorizationServer>[0] = {},
): Promise<AuthorizationServer> {
  const server = await startAuthorizationServer(options)
  atEnd(() => server.close())
  return server
}

/** Serves the tools of the shop to clients with tokens. */
export async function protectedShop(
  issuer: string,
  options: Partial<BearerAuthOptions> = {},
  listen: { readonly maxSessionsPerSubject?: number } = {},
): Promise<McpService & { readonly url: string }> {
  const service = await serveMcp(new Runtime(), {
    toolsets: [shop()],
    transport: { port: 0, ...listen, auth: bearerAuth({ issuer, requiredScopes: ['read'], ...options }) },
    context: ({ claims }: { readonly claims: TokenClaims }) => ({ labels: { tenant: claims.sub } }),
  })
  atEnd(() => service.close())
  return { ...service, url: service.url ?? '' }
}

/** Serves server-sent events without tools, to all clients with a token. Returns its URL. */
export async function protectedEvents(issuer: string): Promise<string> {
  let stream: ServerResponse | undefined
  const url = await listening(async (request, response) => {
    if (request.url?.startsWith('/.well-known') === true) {
      const metadata = { resource: url, authorization_servers: [issuer], scopes_supported: ['read'] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
      return
    }
    if (request.headers.authorization === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end()
      return
    }
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      stream.write('event: endpoint\ndata: /messages\n\n')
      return
    }
    let body = ''
    for await (const chunk of request) body += chunk
    const { id, method, params } = JSON.parse(body)
    response.writeHead(202).end()
    const protocolVersion = params?.protocolVersion
    const results: Record<string, unknown> = {
      initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'events', version: '1' } },
      'tools/list': { tools: [] },
    }
    if (method in results) stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: results[method] })}\n\n`)
  })
  return url
}

/** Creates a caller that ends with the test and connects only once. */
export function callerOf(options: HttpCallerOptions): SdkCaller {
  const caller = httpCaller({ reconnect: { attempts: 1 }, ...options })
  atEnd(() => caller.close())
  return caller
}

/** Calls a tool of the shop that returns the user. */
export async function whoami(caller: SdkCaller): Promise<unknown> {
  const { content } = await caller.callTool({ name: 'shop_whoami', arguments: {} }, { signal: neverAborted })
  const [block]: any = content
  return JSON.parse(block.text).tenant
}

const neverAborted = new AbortController().signal

/** A login with a scripted browser, which records the URLs of the login pages. */
export function scriptedLogin(
  visit: (url: URL) => Promise<unknown> = (url) => browse(url),
  options: LoopbackLoginOptions = {},
): Login & { readonly opened: URL[] } {
  const opened: URL[] = []
  const open = (url: URL): void => {
    opened.push(url)
    void visit(url)
  }
  return { ...loopbackLogin({ open, ...options }), opened }
}

export interface Visit {
  readonly user?: string
  /** Clicks "Cancel" instead of logging in. */
  readonly declines?: boolean
  /** Changes the URL of the callback before it is opened. */
  readonly callback?: (url: URL) => URL
}

/** Logs in and consents, as a user in a browser. Returns the text of the last page, or the URL of the callback of a web application. */
export async function browse(
  start: URL,
  { user = 'ada', declines = false, callback = (url) => url }: Visit = {},
): Promise<string> {
  const cookies = new Map<string, string>()
  let url = start
  let form: URLSearchParams | undefined
  for (let step = 0; step < 20; step += 1) {
    const response: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form !== undefined && { method: 'POST', body: form }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    form = undefined
    const location = response.headers.get('location')
    if (location !== null) {
      const target = new URL(location, url)
      const isCallback = target.searchParams.has('state') && target.pathname.endsWith('/callback')
      url = isCallback ? callback(target) : target
      if (url.hostname.endsWith('.example')) return url.href
      continue
    }
    const page = await response.text()
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? []
    if (action === undefined || url.pathname.endsWith('/callback')) return page
    const [, abort] = /<a href="([^"]*\/abort)"/.exec(page) ?? []
    if (declines && abort !== undefined) {
      url = new URL(abort, url)
      continue
    }
    const prompt = page.includes('name="login"')
      ? { prompt: 'login', login: user, password: 'x' }
      : { prompt: 'consent' }
    url = new URL(action, url)
    form = new URLSearchParams(prompt)
  }
  throw new Error(`the login has too many pages; the last one is ${url}`)
}
