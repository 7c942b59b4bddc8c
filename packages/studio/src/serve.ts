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
  /** Store whose sessions the studio shows. Absent if there is none. */
  readonly sessions?: StoredSessionReader
  /** Returns the JSON output of a command, for example of `toolgen lint`. */
  readonly report?: (report: ContractReport, base: string | undefined) => Promise<JsonValue>
  readonly countTokens?: CountTokens
}

/** Server of a project, on this machine only. */
export interface DevServer {
  /** URL with the token that a browser needs once. */
  readonly url: string
  /** Shows a changed project. Its `generation` must be higher than before. */
  show(project: DevProject): void
  /** Cancels the runs and calls that the studio started and that have not ended. */
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
  const token = randomBytes(24).toString('base64url')
  let project = served(first)
  let isAllowed = (_: Request): boolean | Response => false
  const handler = studio.handler({ project: () => project, authorize: (request) => isAllowed(request) })
  const server = createAdaptorServer({ fetch: handler, hostname: HOST }) as Server
  await listen(server, port)
  const address = server.address()
  const actual = typeof address === 'object' && address !== null ? address.port : port
  isAllowed = access(actual, token)
  return {
    url: `http://${HOST}:${actual}/?token=${token}`,
    show(changed) {
      project = served(changed)
      studio.announce()
    },
    cancelRuns: () => studio.cancelRuns(),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

const HOST = '127.0.0.1'

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
 * origin must be this server, and the token must be in the cookie or the header `authorization`.
 */
function access(port: number, token: string): (request: Request) => boolean | Response {
  const hosts = [`${HOST}:${port}`, `localhost:${port}`]
  const cookie = `toolgen_studio_${port}`
  // Browsers send cookies to all ports of a host, so the cookie does not contain the token.
  const session = randomBytes(24).toString('base64url')
  return (request) => {
    const url = new URL(request.url)
    const host = request.headers.get('host') ?? ''
    if (!hosts.includes(host)) return denied(403, `The host \`${host}\` is not allowed.`)
    const origin = request.headers.get('origin')
    if (origin !== null && origin !== `http://${host}`) return denied(403, 'Another site sent the request.')
    const sent = url.pathname === '/' && request.method === 'GET' ? url.searchParams.get('token') : null
    if (sent !== null && isSame(sent, token)) {
      const attributes = 'HttpOnly; SameSite=Strict; Path=/'
      return new Response(null, {
        status: 302,
        headers: { location: '/', 'set-cookie': `${cookie}=${session}; ${attributes}`, 'cache-control': 'no-store' },
      })
    }
    const site = request.headers.get('sec-fetch-site')
    if (site !== null && site !== 'same-origin' && site !== 'none') return denied(403, 'Another site sent the request.')
    const pairs = (request.headers.get('cookie') ?? '').split(/; */).map((pair) => pair.split('='))
    const [, kept] = pairs.find(([name]) => name === cookie) ?? []
    const [, bearer] = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
    const isKnown = (kept !== undefined && isSame(kept, session)) || (bearer !== undefined && isSame(bearer, token))
    return isKnown || denied(401, 'The token is missing.')
  }
}

function denied(status: number, message: string): Response {
  const next = 'Open the URL that `toolgen dev` printed.'
  return Response.json({ error: { message, next } }, { status, headers: { 'cache-control': 'no-store' } })
}

/** Compares two texts in a time that does not depend on their content. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return first !== undefined && second !== undefined && timingSafeEqual(first, second)
}
