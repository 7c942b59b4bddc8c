import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { ChatMessage } from '@toolgen/runtime/chat'
import type { StoredSession, StoredSessionReader } from '@toolgen/runtime/sessions'
import type { SessionList, SessionRecord } from './api.js'
import { type Catalogue, isHiddenOnlyFromEvents, READ_RESULT } from './catalogue.js'
import { RequestError } from './errors.js'
import { messageProblems } from './messages.js'

const PAGE = 20

export async function listSessions(reader: StoredSessionReader, after: string | undefined): Promise<SessionList> {
  const position = after === undefined ? undefined : opened(after)
  if (after !== undefined && position === undefined) {
    throw new RequestError(400, 'The position of the page is unknown (after).', 'Request `api/sessions` without it.')
  }
  const page = await fromStore(() => reader.list({ limit: PAGE, ...(position !== undefined && { after: position }) }))
  const { sessions, next } = page
  return {
    sessions: sessions.map(({ sessionId, namespaces, savedAt }) => ({ id: sealed(sessionId), namespaces, savedAt })),
    ...(next !== undefined && { next: sealed(next) }),
  }
}

export async function sessionRecord(
  reader: StoredSessionReader,
  id: string,
  catalogue: Catalogue,
): Promise<SessionRecord> {
  const sessionId = opened(id)
  const session = sessionId === undefined ? undefined : await fromStore(() => reader.read(sessionId))
  if (session === undefined) {
    throw new RequestError(404, `There is no session \`${id}\`.`, 'Request `api/sessions` for the current ids.')
  }
  try {
    requireReadable(session, catalogue)
    const agents = catalogue.agents.map(({ name }) => name)
    const agent = session.namespaces.find((namespace) => agents.includes(namespace))
    const messages: ChatMessage[] = (session.messages ?? []).map(({ message }) => JSON.parse(message))
    const [problem] = messageProblems(messages)
    if (problem !== undefined) throw new TypeError(problem)
    return { ...(agent !== undefined && { agent }), messages, runningCalls: session.running.length }
  } catch (error) {
    if (error instanceof RequestError) throw error
    // Logs the error instead of sending its message, which can contain parts of the session.
    console.error(error)
    throw new RequestError(409, 'The stored session is not valid.', 'The terminal of the server shows the error.')
  }
}

/** The studio must not show sessions with values that events of the tools hide. */
function requireReadable({ availableTools }: StoredSession, catalogue: Catalogue): void {
  for (const id of availableTools) {
    if (id === READ_RESULT) continue
    const specs = catalogue.specsOf(id)
    if (specs === undefined) {
      const message = `The studio does not know the tool \`${id}\` of the session, so it cannot hide sensitive values.`
      throw new RequestError(409, message, 'Pass all agents and toolsets of the sessions to the studio.')
    }
    const hiding = specs.find(isHiddenOnlyFromEvents)
    if (hiding !== undefined) {
      const message = `The tool \`${hiding.id}\` hides values from the audience \`events\`, but not from \`recording\`.`
      throw new RequestError(409, message, 'Hide them from both, then the store does not contain them.')
    }
  }
}

async function fromStore<Value>(request: () => Promise<Value>): Promise<Value> {
  try {
    return await request()
  } catch (error) {
    // Logs the error instead of sending its message, which can contain the session id.
    console.error(error)
    throw new RequestError(409, 'The session store failed.', 'The terminal of the server shows the error.')
  }
}

const KEY = randomBytes(32)
const IV = 12
const TAG = 16

/** The runtime can copy a session id to hidden fields. Equal ids have equal encrypted texts until the server restarts. */
function sealed(text: string): string {
  const iv = createHmac('sha256', KEY).update(text).digest().subarray(0, IV)
  const cipher = createCipheriv('aes-256-gcm', KEY, iv)
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url')
}

/** Returns `undefined` for an id from an earlier server process. */
function opened(token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url')
  try {
    const decipher = createDecipheriv('aes-256-gcm', KEY, bytes.subarray(0, IV), { authTagLength: TAG })
    decipher.setAuthTag(bytes.subarray(IV, IV + TAG))
    return Buffer.concat([decipher.update(bytes.subarray(IV + TAG)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
