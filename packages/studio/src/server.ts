import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonValue } from '@toolgen/runtime'
import { payloadCodec } from '@toolgen/runtime/schema'
import type { StoredSessionReader } from '@toolgen/runtime/sessions'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { type SSEMessage, streamSSE } from 'hono/streaming'
import type {
  ApiError,
  CallStart,
  ContractReport,
  ProjectInfo,
  RunAnswers,
  RunStart,
  StudioEvent,
  StudioPart,
  ToolArguments,
} from './api.js'
import type { Catalogue } from './catalogue.js'
import { RequestError } from './errors.js'
import { runFileName } from './file-name.js'
import type { ContextOptions } from './own-run.js'
import type { Listeners } from './run-record.js'
import type { Runs } from './runs.js'
import { listSessions, sessionRecord } from './sessions.js'

export interface ServedProject {
  readonly info: Omit<ProjectInfo, 'agents' | 'hasSessions'>
  readonly catalogue: Catalogue
  readonly context?: ((tool: string | undefined) => ContextOptions | Promise<ContextOptions>) | undefined
  readonly sessions?: StoredSessionReader | undefined
  readonly report?: ((report: ContractReport, base: string | undefined) => Promise<JsonValue>) | undefined
  /** `true` while the tools are loaded again. The server then rejects calls and runs. */
  readonly isLoading?: boolean
}

export interface ServedStudio {
  readonly runs: Runs
  readonly heartbeatMs: number
  readonly project: () => ServedProject
  readonly authorize: (request: Request) => boolean | Response | Promise<boolean | Response>
  /** Such as `/studio`, without a slash at the end. */
  readonly basePath: string
}

/** Large, because messages can contain images. */
const MAX_BODY = 16 * 1024 * 1024

/** Inline styles are allowed, because the component library needs them. */
const CONTENT_SECURITY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function studioServer(studio: ServedStudio): (request: Request) => Promise<Response> {
  const { runs, basePath, authorize } = studio
  const app = new Hono()
  const api = new Hono()
  const requireLoaded = (): void => {
    if (studio.project().isLoading !== true) return
    throw new RequestError(409, 'The module is being loaded.', 'Send the request again after the next project event.')
  }
  const runContext = () => {
    const { catalogue, context, info } = studio.project()
    if (!info.canCall) throw new RequestError(403, info.reason ?? 'The studio is read-only.')
    requireLoaded()
    return {
      catalogue,
      async optionsOf(tool: string | undefined) {
        const options = await optionsOf(context, tool)
        // Checks again, because a new load of the tools can have started in the meantime.
        requireLoaded()
        return options
      },
    }
  }

  app.use(async (c, next) => {
    await next()
    c.res.headers.set('content-security-policy', CONTENT_SECURITY)
    c.res.headers.set('x-content-type-options', 'nosniff')
    c.res.headers.set('referrer-policy', 'no-referrer')
    c.res.headers.set('cross-origin-resource-policy', 'same-origin')
  })
  app.use(async (c, next) => {
    const allowed = await authorize(c.req.raw)
    if (allowed instanceof Response) {
      // Copies the response, because the application can return the same response object again.
      const copy = allowed.clone()
      return new Response(copy.body, copy)
    }
    if (allowed !== true) throw new RequestError(403, 'The request is not allowed.')
    const site = c.req.header('sec-fetch-site')
    if (c.req.method === 'POST' && site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw new RequestError(403, 'Another site sent the request.')
    }
    return next()
  })
  app.onError((error, c) => {
    if (!(error instanceof RequestError)) {
      console.error(error)
      return c.json(
        errorBody({ message: 'The studio failed.', next: 'The terminal of the server shows the error.' }),
        500,
      )
    }
    return c.json(errorBody(error), error.status)
  })
  app.notFound((c) => c.json(errorBody({ message: 'There is no such page.', next: 'The start page is `/`.' }), 404))

  api.use(async (c, next) => {
    await next()
    if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store')
  })
  const limit = bodyLimit({
    maxSize: MAX_BODY,
    onError: () => {
      throw new RequestError(413, `The request is larger than ${MAX_BODY} bytes.`)
    },
  })
  // Handles errors of `limit`, which reads bodies of unknown length. Errors of the handlers do not arrive here.
  api.use((c, next) => limit(c, next).catch(failedUpload))
  api.get('/project', (c) => c.json(infoOf(studio.project())))
  api.get('/tools', (c) => c.json({ tools: studio.project().catalogue.tools.map(({ summary }) => summary) }))
  api.get('/tools/:id', async (c) => {
    const { catalogue } = studio.project()
    return c.json(await catalogue.details(catalogue.tool(c.req.param('id'), c.req.query('agent'))))
  })
  api.post('/validate', async (c) => {
    const { tool, agent, arguments: sent } = await bodyOf<ToolArguments>(c, bodies.validate)
    const { catalogue } = studio.project()
    return c.json(await catalogue.validate(catalogue.tool(tool, agent), sent))
  })
  api.post('/calls', async (c) => {
    const context = runContext()
    return c.json(await runs.call(await bodyOf<CallStart>(c, bodies.call), context), 201)
  })
  api.post('/runs', async (c) => {
    const context = runContext()
    return c.json({ run: await runs.run(await bodyOf<RunStart>(c, bodies.run), context) }, 201)
  })
  api.get('/runs', async (c) => {
    const search = searchOf(c.req.query('search'))
    return c.json({ runs: search === undefined ? runs.summaries : await runs.search(search) })
  })
  api.get('/runs/:id', (c) => c.json(runs.record(c.req.param('id'))))
  api.get('/runs/:id/parts', (c) => partsResponse(c, studio))
  api.get('/runs/:id/cassette', (c) => {
    const id = c.req.param('id')
    return c.body(runs.cassette(id), 200, {
      'content-type': 'application/jsonl; charset=utf-8',
      'content-disposition': `attachment; filename="${runFileName(runs.find(id).summary, 'jsonl')}"`,
    })
  })
  api.post('/runs/:id/answers', async (c) => {
    runContext()
    const own = runs.own(c.req.param('id'))
    const { answers } = await bodyOf<RunAnswers>(c, bodies.answers)
    await own.answer(answers)
    return c.json(own.record.summary)
  })
  api.post('/runs/:id/cancel', (c) => {
    runContext()
    requireJson(c)
    const own = runs.own(c.req.param('id'))
    own.cancel('A person cancelled the run.')
    return c.json(own.record.summary)
  })
  const sessionReader = (): StoredSessionReader => {
    const { sessions } = studio.project()
    if (sessions !== undefined) return sessions
    const next = 'Pass the store as `sessions` to `studio.handler`, or export it from the module of `toolgen dev`.'
    throw new RequestError(404, 'This studio has no session store.', next)
  }
  api.get('/sessions', async (c) => c.json(await listSessions(sessionReader(), c.req.query('after'))))
  api.get('/sessions/:id', async (c) => {
    return c.json(await sessionRecord(sessionReader(), c.req.param('id'), studio.project().catalogue))
  })
  api.get('/events', (c) => eventsResponse(c, studio))
  const reportOf = async (name: string, base: string | undefined): Promise<JsonValue> => {
    const { info, report } = studio.project()
    const known = info.reports.find((each) => each === name)
    if (known !== undefined && report !== undefined) return report(known, base)
    const next = info.reports.length === 0 ? 'This studio has no reports.' : `Reports: ${info.reports.join(', ')}.`
    throw new RequestError(404, `There is no report \`${name}\`.`, next)
  }
  // `POST`, because a GET request must not start processes.
  api.post('/contract/drift', async (c) => {
    requireJson(c)
    return c.json(await reportOf('drift', undefined))
  })
  api.get('/contract/:report', async (c) => {
    const name = c.req.param('report')
    if (name === 'drift') throw new RequestError(405, 'The report `drift` starts processes.', 'Send a POST request.')
    return c.json(await reportOf(name, baseOf(c.req.query('base'))))
  })
  const path = (rest: string): string => `${basePath}${rest}`
  app.route(path('/api'), api)
  app.all(path('/api/*'), () => {
    throw new RequestError(404, 'The API has no such path.', 'The README of `@toolgen/studio` lists the paths.')
  })
  if (basePath !== '') app.get(basePath, (c) => c.redirect(`${basePath}/`))
  app.get(path('/'), (c) => assetResponse(c, 'index.html'))
  app.get(path('/*'), (c) => assetResponse(c, c.req.path.slice(basePath.length + 1)))
  return async (request) => app.fetch(request)
}

async function optionsOf(context: ServedProject['context'], tool: string | undefined): Promise<ContextOptions> {
  try {
    return (await context?.(tool)) ?? {}
  } catch (error) {
    console.error(error)
    const next = 'Correct the function. The terminal of the server shows the error.'
    throw new RequestError(409, 'The function `context` of the application failed.', next)
  }
}

/** Arguments of processes and paths of files cannot contain control characters. */
function baseOf(sent: string | undefined): string | undefined {
  if (sent === undefined || !/\p{Cc}/u.test(sent)) return sent
  const message = 'The base of the comparison contains a control character (base).'
  throw new RequestError(400, message, 'Send a Git revision, or the path of a lock file.')
}

const MAX_SEARCH = 200

function searchOf(sent: string | undefined): string | undefined {
  if (sent === undefined || sent.length <= MAX_SEARCH) return sent
  const message = `The search has ${sent.length} characters (search).`
  throw new RequestError(400, message, `Search for at most ${MAX_SEARCH} characters.`)
}

function errorBody({ message, next, code }: Pick<RequestError, 'message' | 'next'> & Partial<RequestError>): ApiError {
  return { error: { message, ...(next !== undefined && { next }), ...(code !== undefined && { code }) } }
}

const text = { type: 'string' } as const
const start = { sessionId: text, labels: { type: 'object', additionalProperties: text } } as const
const message = {
  type: 'object',
  properties: { role: { enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] } },
  required: ['role'],
  additionalProperties: true,
} as const
const call = { tool: text, agent: text, arguments: text } as const
const answer = (properties: object, required: readonly string[]): object => ({ type: 'object', properties, required })

const bodies = {
  validate: body({ properties: call, required: ['tool', 'arguments'] }),
  call: body({ properties: { ...call, ...start }, required: ['tool', 'arguments'] }),
  run: body({
    properties: {
      ...{ agent: text, after: text, replayOf: text, ...start },
      input: {
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'array', items: message, minItems: 1 },
        ],
      },
    },
    required: ['agent', 'input'],
  }),
  answers: body({
    properties: {
      answers: {
        type: 'object',
        minProperties: 1,
        additionalProperties: {
          anyOf: [
            answer({ decision: { const: 'approve' }, arguments: text }, ['decision']),
            answer({ decision: { const: 'deny' }, reason: text }, ['decision']),
            answer({ text }, ['text']),
            answer({ content: { type: 'object', additionalProperties: true } }, ['content']),
            answer({ result: {} }, ['result']),
          ],
        },
      },
    },
    required: ['answers'],
  }),
} as const

type BodyCodec = ReturnType<typeof body>

function body(schema: object) {
  return payloadCodec<never, unknown>({ schema: { type: 'object', ...schema } })
}

function requireJson(c: Context): void {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return
  const next = 'Send the header `content-type: application/json`.'
  throw new RequestError(415, 'The body of the request must be JSON.', next)
}

/** Usually, the client closed the connection. */
function failedUpload(error: unknown): never {
  if (error instanceof RequestError) throw error
  throw new RequestError(400, 'The body of the request did not arrive completely.', 'Send the request again.')
}

async function bodyOf<Body>(c: Context, codec: BodyCodec): Promise<Body> {
  requireJson(c)
  const decoded = codec.decode(await c.req.text().catch(failedUpload))
  // The schema of the codec describes the type `Body`.
  if (decoded.ok) return decoded.value as Body
  const issues = decoded.issues.map(({ path, message: what }) => `${path === '' ? 'body' : `body${path}`}: ${what}`)
  throw new RequestError(400, `The body of the request is invalid. ${issues.join(' ')}`, 'See the types of the API.')
}

function partsResponse(c: Context, studio: ServedStudio): Response {
  const record = studio.runs.find(c.req.param('id') ?? '')
  const sent = c.req.header('last-event-id') ?? ''
  let last = /^\d{1,15}$/.test(sent) ? Math.min(Number(sent), record.lastPart) : 0
  // A suspended run of the application is not over, because the application can resume the run.
  const isOver = (): boolean => record.isEnded && (record.facts.isOwn || record.summary.status !== 'suspended')
  // After the status 204, the browser does not connect again.
  if (isOver() && last >= record.lastPart) return c.body(null, 204)
  let isRemovalSent = false
  return eventStream(c, studio, record.changes, () => {
    const { removal } = record
    if (removal !== undefined) {
      if (isRemovalSent) return 'end'
      isRemovalSent = true
      return { data: JSON.stringify({ kind: 'removed', reason: removal } satisfies StudioPart) }
    }
    const part = record.partAfter(last)
    if (part === undefined) return isOver() ? 'end' : 'wait'
    last = part.number
    return { id: String(last), data: part.json }
  })
}

/** Each server process has a different prefix of event ids, and ignores event ids with any other prefix. */
const SERVER = crypto.randomUUID().slice(0, 8)

function eventsResponse(c: Context, studio: ServedStudio): Response {
  const { runs, project } = studio
  const [server, change, version] = (c.req.header('last-event-id') ?? '').split('-')
  const isKnown = server === SERVER && Number(change) <= runs.lastChange
  let last = isKnown ? Number(change) : 0
  let generation = isKnown ? Number(version) : -1
  // Skips removals before the connection of a new client.
  const first = isKnown ? 0 : runs.lastChange
  const { lastForgotten } = runs
  return eventStream(c, studio, runs.changes, () => {
    const { info } = project()
    const isNew = info.generation !== generation
    generation = info.generation
    // Ends the stream of a client that is too slow to receive a removal. The client then connects again and requests all runs.
    if (runs.lastForgotten > lastForgotten && last < runs.lastForgotten) return 'end'
    // Sends only the last state of a run to a slow client.
    let change = isNew ? undefined : runs.changeAfter(last)
    while (change !== undefined && change.summary === undefined && change.number <= first) {
      change = runs.changeAfter(change.number)
    }
    if (change !== undefined) last = change.number
    const id = `${SERVER}-${last}-${generation}`
    if (isNew) return { id, data: JSON.stringify({ kind: 'project', project: infoOf(project()) }) }
    if (change === undefined) return 'wait'
    const { summary } = change
    const event: StudioEvent = summary === undefined ? { kind: 'removed', run: change.id } : { kind: 'run', summary }
    return { id, data: JSON.stringify(event) }
  })
}

function infoOf({ info, catalogue, sessions }: ServedProject): ProjectInfo {
  return { ...info, agents: catalogue.agents, hasSessions: sessions !== undefined }
}

const BEATS_PER_CHECK = 4

async function isAllowed({ authorize }: ServedStudio, request: Request): Promise<boolean> {
  try {
    return (await authorize(request)) === true
  } catch (error) {
    console.error(error)
    return false
  }
}

/**
 * Requests the next message only after the client has received the last message, so that a slow client needs no buffer.
 *
 * @param next returns the next message, `wait` to call `next` again after the next change, or `end` after the last message
 */
function eventStream(
  c: Context,
  studio: ServedStudio,
  changes: Listeners,
  next: () => SSEMessage | 'wait' | 'end',
): Response {
  if (c.req.raw.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' })
  c.header('x-accel-buffering', 'no') // Without this header, nginx buffers the events.
  const response = streamSSE(c, async (stream) => {
    let wake = (): void => undefined
    let isIdle = false
    let isRefused = false
    let beats = 0
    const leave = changes.add(() => wake())
    stream.onAbort(() => wake())
    const check = async (): Promise<void> => {
      if (await isAllowed(studio, c.req.raw)) return
      isRefused = true
      wake()
    }
    const beat = async (): Promise<void> => {
      beats += 1
      if (beats % BEATS_PER_CHECK === 0) void check()
      if (!isIdle) return
      isIdle = false
      await stream.write(': alive\n\n')
      isIdle = true
    }
    const timer = setInterval(() => void beat(), studio.heartbeatMs)
    timer.unref()
    try {
      await stream.write(': connected\n\n')
      while (!stream.aborted && !isRefused) {
        const message = next()
        if (message === 'end') return
        if (message !== 'wait') {
          await stream.writeSSE(message)
          continue
        }
        isIdle = true
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        isIdle = false
      }
    } finally {
      clearInterval(timer)
      leave()
    }
  })
  response.headers.set('cache-control', 'no-cache, no-transform')
  // Removes headers that HTTP/2 does not allow. HTTP/1.1 servers set these headers again.
  response.headers.delete('transfer-encoding')
  response.headers.delete('connection')
  return response
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

const ASSETS = new URL('../assets/', import.meta.url)

/** Compares the path with the existing files in the folder, so that no path can leave the folder. */
async function assetResponse(c: Context, path: string): Promise<Response> {
  const files = await readdir(ASSETS, { recursive: true }).catch(() => [])
  const file = files.find((each) => each.replaceAll('\\', '/') === path)
  const type = MEDIA_TYPES[extname(path)]
  if (file === undefined || type === undefined) {
    if (path !== 'index.html') throw new RequestError(404, 'There is no such page.', 'The start page is `/`.')
    const next = 'Install the published package, or build the page: `npm run build`.'
    throw new RequestError(404, 'The page of the studio is missing in this installation.', next)
  }
  const hasHash = /-[\w-]{8}\.\w+$/.test(path)
  const cache = hasHash ? 'private, max-age=31536000, immutable' : 'no-cache'
  return c.body(await readFile(fileURLToPath(new URL(file, ASSETS))), 200, {
    'content-type': type,
    'cache-control': cache,
  })
}
