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

/** Project of `toolgen dev`, as it is after one generation or load. */
export interface DevProject extends Omit<ProjectInfo, 'agents' | 'hasSessions'> {
  readonly tools: readonly StudioTools[]
  /** Returns the options of a call of a tool, or of a run if `tool` is absent. */
  readonly context?: (tool: string | undefined) => ContextOptions | Promise<ContextOptions>
  /** Store whose sessions the studio shows. Absent if it does not exist. */
  readonly sessions?: StoredSessionReader
  /** Returns the JSON output of a command, for example of `toolgen lint`. */
  readonly report?: (report: ContractReport, base: string | undefined) => Promise<JsonValue>
  readonly countTokens?: CountTokens
}

/** Server of a project, on this machine only. */
export interface DevServer {
  /** URL with the token. A browser needs it once. */
  readonly url: string
  /** Returns a URL with a code in place of the token. The code works once, within one minute. */
  oneTimeUrl(): string
  /** Shows a changed project. Its `generation` must be higher than before. */
  show(project: DevProject): void
  /** Cancels the runs and calls of the studio, because the module is loaded again. Refuses new ones until the next `show`. */
  cancelRuns(): void
  /** Ends all connections. */
  close(): Promise<void>
}

/**
 * Internal: serves a project on 127.0.0.1 for `toolgen dev`. Accepts requests only with the token, and only from pages of this server.
 *
 * @param port port number; 0 for any free port
 * @throws the error of the server if it cannot listen, for example with the code `EADDRINUSE`
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

/** Time in which a code must be used, in milliseconds. */
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
 * Returns the check of a request. The host must be this machine, so that no other domain that resolves to it has access (DNS rebinding). The
 * origin must be this server, and the token must be in the header `authorization`, or a session in the cookie. A browser that opens a URL with
 * the token or a code receives the cookie.
 */
function access(port: number, token: string, codes: Map<string, number>): (request: Request) => boolean | Response {
  const hosts = [`${HOST}:${port}`, `localhost:${port}`]
  const cookie = `toolgen_studio_${port}`
  // Browsers send cookies to all ports of a host, so the cookie does not contain the token.
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
    // A link in another program leads here, so the request can come from another site. It must open a page, not a part of a page.
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
    // Only an earlier server on this port can have set the cookie.
    const message =
      kept === undefined
        ? 'The token is missing or from an earlier server.'
        : 'The server was started again with a new token.'
    return headers.get('sec-fetch-dest') === 'document' ? deniedPage(message) : denied(401, message)
  }
}

/** Sets the cookie and opens the start page. After a redirect of a request from another site, a browser would not send the cookie. */
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

/** Next step of a refused request. Code is in backticks. */
const NEXT = 'Open the new URL that `toolgen dev` printed.'

function denied(status: number, message: string): Response {
  return Response.json({ error: { message, next: NEXT } }, { status, headers: { 'cache-control': 'no-store' } })
}

/** Page for a person who opens the studio without a valid token. */
function deniedPage(message: string): Response {
  const style = 'body{font:16px/1.5 system-ui;max-width:36em;margin:15vh auto;padding:0 1em;color-scheme:light dark}'
  const head = `<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><style>${style}</style>`
  const text = `<h1>${message}</h1><p>${NEXT.replace(/`(.*?)`/g, '<code>$1</code>')}</p>`
  return new Response(`<!doctype html><html lang="en"><title>toolgen studio</title>${head}${text}</html>`, {
    status: 401,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  })
}

/** Compares two texts in a time that does not depend on their content. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return first !== undefined && second !== undefined && timingSafeEqual(first, second)
}
