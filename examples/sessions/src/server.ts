import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type BoundAgent, isToolgenError } from '@toolgen/runtime'
import type { Session, SessionEntry, SessionRegistry } from '@toolgen/runtime/sessions'

/** What the server offers to users. */
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
  // This stands for your authentication, which alone knows who the user is.
  const { 'x-user': userId } = request.headers
  if (route === undefined || typeof userId !== 'string') {
    response.writeHead(404).end()
    return
  }
  // The one that is open, the one that is stored, whichever process left it, or a new one. Another user's is refused.
  // No other process serves these sessions, so a lease can only be that of a process that was killed.
  const session = await application.sessions.open(sessionId, { userId, namespaces: ['analyst'], takeOver: true })
  await route({ ...application, session, request, response, query })
}

/** Runs the agent. The reports that it has begun go on behind its answer. */
async function ask({ session, analyst, request, response }: Visit): Promise<void> {
  // An application with conversations keeps them itself, and gives the one so far.
  const { status, result } = await session.run(analyst, await text(request))
  response.writeHead(status === 'completed' ? 200 : 500).end(result?.text)
}

/**
 * Tells, in lines of JSON, what waits in the session behind the entry that the user has seen last, then what comes. Takes
 * nothing: what the calls of a run came to is taken by the next run.
 */
async function follow({ session, response, query }: Visit): Promise<void> {
  const after = Number(query.get('after') ?? 0)
  const live = session[Symbol.asyncIterator]()
  const waiting = session.poll().filter(({ sequence }) => sequence > after)
  // Who disconnects ends this subscription and nothing else.
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
  // Where the answer has begun, or the user has gone, nobody can be told.
  if (response.headersSent || response.destroyed) response.destroy()
  else if (isToolgenError(error, 'SessionError'))
    response.writeHead(error.code === 'wrong_user' ? 403 : 503).end(error.code)
  else {
    console.error(error)
    response.writeHead(500).end()
  }
}
