import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import type { JsonValue } from '@toolgen/runtime'
import type { StoredSessionReader } from '@toolgen/runtime/sessions'
import type { ContractReport, ProjectInfo } from './api.js'
import { Catalogue, type CountTokens, type StudioTools } from './catalogue.js'
import type { ContextOptions } from './own-run.js'
import type { ServedProject } from './server.js'
import { Studio } from './studio.js'

/** State of the project that `toolgen dev` shows. Each code generation and each load of the module creates a new state. */
export interface DevProject extends Omit<ProjectInfo, 'agents' | 'hasSessions'> {
  readonly tools: readonly StudioTools[]
  /** Returns the options for a call of `tool`, or for a run if `tool` is `undefined`. Default: no options. */
  readonly context?: (tool: string | undefined) => ContextOptions | Promise<ContextOptions>
  /** Session store for the list of sessions. Absent for a project without a session store. */
  readonly sessions?: StoredSessionReader
  /** Returns a report as JSON, for example the output of `toolgen lint`. `base` is the Git revision with which `diff` compares. */
  readonly report?: (report: ContractReport, base: string | undefined) => Promise<JsonValue>
  readonly countTokens?: CountTokens
}

/** Studio server for `toolgen dev`. Accepts connections from this machine only. */
export interface DevServer {
  /** URL with the access token. A browser that opens this URL receives a cookie for all later requests. */
  readonly url: string
  /** Returns a URL with a code instead of the access token. The code works once, within one minute. */
  oneTimeUrl(): string
  /** Replaces the shown project. `generation` of the new project must be higher than `generation` of the old project. */
  show(project: DevProject): void
  /** Cancels all runs and calls of the studio before a new load of the module. Rejects new runs and calls until the next `show`. */
  cancelRuns(): void
  /** Stops the server and closes all connections. */
  close(): Promise<void>
}

/**
 * Internal: serves a project on 127.0.0.1 for `toolgen dev`. Accepts only requests with the access token, and only from pages of this server.
 *
 * @param port port number. 0 selects any free port
 * @throws {Error} if the server cannot listen on the port, for example with the code `EADDRINUSE`
 */
export async function serveStudio(first: DevProject, { port }: { readonly port: number }): Promise<DevServer> {
  const studio = new Studio()
  const token = secret()
  let project = served(first)
  const codes = new Map<string, number>()
  let isAllowed = (_: Request): boolean | Response => false
  const handler = studio.handler({ project: () => project, authorize: (request) => isAllowed(request) })
  const server = createAdaptorServer({ fetch: handler, hostname: HOST }) as Server
  await listen(server, port)
  const address = server.address()
  const actual = typeof address === 'object' && address !== null ? address.port : port
  isAllowed = access(actual, token, codes)
  return {
    url: `http://${HOST}:${actual}/?token=${token}`,
    oneTimeUrl() {
      const code = secret()
      codes.set(code, Date.now() + CODE_LIMIT)
      return `http://${HOST}:${actual}/?code=${code}`
    },
    show(changed) {
      project = served(changed)
      studio.announce()
    },
    cancelRuns() {
      project = { ...project, isLoading: true }
      studio.cancelRuns()
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

const HOST = '127.0.0.1'

/** Time in milliseconds after which a one-time code expires. */
const CODE_LIMIT = 60_000

function secret(): string {
  return randomBytes(24).toString('base64url')
}

function served({ tools, context, sessions, report, countTokens, ...info }: DevProject): ServedProject {
  return { info, catalogue: new Catalogue(tools, countTokens), context, sessions, report }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/**
 * The header `host` must name this machine, which prevents DNS rebinding. A browser receives the session cookie after it has opened a URL with the
 * access token or a one-time code.
 */
function access(port: number, token: string, codes: Map<string, number>): (request: Request) => boolean | Response {
  const hosts = [`${HOST}:${port}`, `localhost:${port}`]
  const cookie = `toolgen_studio_${port}`
  // The cookie does not contain the token, because browsers send cookies to all ports of a host.
  const session = secret()
  const isCode = (sent: string): boolean => {
    const known = [...codes].find(([code]) => isSame(sent, code))
    if (known === undefined) return false
    codes.delete(known[0])
    return Date.now() < known[1]
  }
  return (request) => {
    const { headers, method } = request
    const { pathname, searchParams } = new URL(request.url)
    const host = headers.get('host') ?? ''
    if (!hosts.includes(host)) return denied(403, `The host \`${host}\` is not allowed.`)
    const origin = headers.get('origin')
    if (origin !== null && origin !== `http://${host}`) return denied(403, 'Another site sent the request.')
    // Allows requests from other sites, because people open a link in another program. Only a whole page can open the link, not a frame.
    if (pathname === '/' && method === 'GET' && (headers.get('sec-fetch-dest') ?? 'document') === 'document') {
      const [sent, code] = [searchParams.get('token'), searchParams.get('code')]
      if ((sent !== null && isSame(sent, token)) || (code !== null && isCode(code))) return entry(cookie, session)
    }
    const site = headers.get('sec-fetch-site')
    if (site !== null && site !== 'same-origin' && site !== 'none') return denied(403, 'Another site sent the request.')
    const pairs = (headers.get('cookie') ?? '').split(/; */).map((pair) => pair.split('='))
    const [, kept] = pairs.find(([name]) => name === cookie) ?? []
    const [, bearer] = /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
    const isKnown = (kept !== undefined && isSame(kept, session)) || (bearer !== undefined && isSame(bearer, token))
    if (isKnown) return true
    // An unknown cookie comes from an earlier server on this port.
    const message =
      kept === undefined
        ? 'The token is missing or from an earlier server.'
        : 'The server was started again with a new token.'
    return headers.get('sec-fetch-dest') === 'document' ? deniedPage(message) : denied(401, message)
  }
}

/** A redirect would not work: after a redirect of a request from a different site, a browser sends no cookie. */
function entry(cookie: string, session: string): Response {
  const head = '<meta http-equiv="refresh" content="0; url=/"><link rel="icon" href="data:,">'
  return new Response(`<!doctype html>${head}<title>toolgen studio</title>`, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'set-cookie': `${cookie}=${session}; HttpOnly; SameSite=Strict; Path=/`,
      'cache-control': 'no-store',
    },
  })
}

const NEXT = 'Open the new URL that `toolgen dev` printed.'

function denied(status: number, message: string): Response {
  return Response.json({ error: { message, next: NEXT } }, { status, headers: { 'cache-control': 'no-store' } })
}

function deniedPage(message: string): Response {
  const style = 'body{font:16px/1.5 system-ui;max-width:36em;margin:15vh auto;padding:0 1em;color-scheme:light dark}'
  const head = `<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><style>${style}</style>`
  const text = `<h1>${message}</h1><p>${NEXT.replace(/`(.*?)`/g, '<code>$1</code>')}</p>`
  return new Response(`<!doctype html><html lang="en"><title>toolgen studio</title>${head}${text}</html>`, {
    status: 401,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  })
}

/** The time of the comparison does not depend on the content, which prevents timing attacks. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return first !== undefined && second !== undefined && timingSafeEqual(first, second)
}
