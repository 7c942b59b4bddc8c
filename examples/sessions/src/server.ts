import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type BoundAgent, isToolgenError } from '@toolgen/runtime'
import type { Session, SessionEntry, SessionRegistry } from '@toolgen/runtime/sessions'

/** Agent and sessions that the server offers. */
export interface Application {
  readonly analyst: BoundAgent
  readonly sessions: SessionRegistry<{ readonly analyst: BoundAgent }>
}

/** A request of a user whose session is open. */
interface Visit extends Application {
  readonly session: Session
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly query: URLSearchParams
}

const ROUTES: ReadonlyMap<string, (visit: Visit) => Promise<void>> = new Map([
  ['POST questions', ask],
  ['GET entries', follow],
  ['DELETE ', forget],
])

/** Serves sessions on loopback: `/sessions/ID/questions`, `/sessions/ID/entries`, and `/sessions/ID` to delete one. */
export async function serve(application: Application): Promise<Server> {
  const server = createServer((request, response) => {
    visit(application, request, response).catch((error) => refuse(response, error))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

async function visit(application: Application, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost')
  const [, , sessionId = '', place = ''] = pathname.split('/')
  const route = ROUTES.get(`${request.method} ${place}`)
  // Replace this header with your authentication.
  const { 'x-user': userId } = request.headers
  if (route === undefined || typeof userId !== 'string') {
    response.writeHead(404).end()
    return
  }
  // Opens the session: the one in this process, the stored one of an earlier process, or a new one. Sessions of other users are rejected.
  // No other process serves these sessions, so an existing lease belongs to a killed process.
  const session = await application.sessions.open(sessionId, { userId, namespaces: ['analyst'], takeOver: true })
  await route({ ...application, session, request, response, query })
}

/** Runs the agent. Reports that the run starts continue after its answer. */
async function ask({ session, analyst, request, response }: Visit): Promise<void> {
  // A real application stores the conversation and passes it to the run.
  const { status, result } = await session.run(analyst, await text(request))
  response.writeHead(status === 'completed' ? 200 : 500).end(result?.text)
}

/**
 * Sends entries as lines of JSON: first the stored entries after the last one that the user has seen, then new entries. Does not consume entries,
 * because the next run consumes them.
 */
async function follow({ session, response, query }: Visit): Promise<void> {
  const after = Number(query.get('after') ?? 0)
  const live = session[Symbol.asyncIterator]()
  const waiting = session.poll().filter(({ sequence }) => sequence > after)
  // A disconnect ends only this subscription.
  response.once('close', () => live.return?.())
  response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders()
  await pipeline(lines(waiting, live), response)
}

async function* lines(...parts: readonly (Iterable<SessionEntry> | AsyncIterable<SessionEntry>)[]) {
  for (const part of parts) for await (const entry of part) yield `${JSON.stringify(entry)}\n`
}

async function forget({ session: { id, userId }, sessions, response }: Visit): Promise<void> {
  await sessions.close(id, { cancel: true })
  await sessions.delete(id, { userId })
  response.writeHead(204).end()
}

function refuse(response: ServerResponse, error: unknown): void {
  // After the headers are sent, or if the user has disconnected, no error response is possible.
  if (response.headersSent || response.destroyed) response.destroy()
  else if (isToolgenError(error, 'SessionError'))
    response.writeHead(error.code === 'wrong_user' ? 403 : 503).end(error.code)
  else {
    console.error(error)
    response.writeHead(500).end()
  }
}
