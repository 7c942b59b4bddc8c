import type {
  ApiError,
  CallStart,
  ContractReport,
  DriftReport,
  ProjectInfo,
  RunAnswers,
  RunList,
  RunRecord,
  RunStart,
  RunSummary,
  SessionList,
  SessionRecord,
  StartedCall,
  StartedRun,
  StudioPart,
  ToolArguments,
  ToolDetails,
  ToolList,
  Validation,
} from '../src/api.js'

export type * from '../src/api.js'

export class RequestFailure extends Error {
  override readonly name = 'RequestFailure'
  /** HTTP status of the response. 0 if the server is not reachable. */
  readonly status: number
  readonly next?: string
  readonly code?: ApiError['error']['code']

  constructor(status: number, message: string, next?: string, code?: ApiError['error']['code']) {
    super(message)
    this.status = status
    if (next !== undefined) this.next = next
    if (code !== undefined) this.code = code
  }
}

async function responseOf(path: string, options: RequestInit = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(`api/${path}`, options)
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new RequestFailure(
      0,
      'The studio server is not reachable.',
      'Start `toolgen dev` again, then reload the page.',
    )
  }
  if (response.ok) return response
  const body: unknown = await response.json().catch(() => undefined)
  const { message, next, code } = (body as ApiError | undefined)?.error ?? {}
  throw new RequestFailure(
    response.status,
    message ?? `The server responded with the status ${response.status}.`,
    next ?? (response.status === 401 ? 'Open the URL that `toolgen dev` printed.' : undefined),
    code,
  )
}

async function request<Body>(path: string, options?: RequestInit): Promise<Body> {
  const response = await responseOf(path, options)
  return response.json()
}

function post<Body>(path: string, body: object, signal?: AbortSignal): Promise<Body> {
  const headers = { 'content-type': 'application/json' }
  return request(path, { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) })
}

const segment = encodeURIComponent

/** Functions that send requests to the HTTP API. After an error, the returned promise rejects with a `RequestFailure`. */
export const api = {
  project: () => request<ProjectInfo>('project'),
  tools: () => request<ToolList>('tools'),
  tool: (id: string, agent?: string) =>
    request<ToolDetails>(`tools/${segment(id)}${agent === undefined ? '' : `?agent=${segment(agent)}`}`),
  validate: (sent: ToolArguments, signal?: AbortSignal) => post<Validation>('validate', sent, signal),
  call: (start: CallStart) => post<StartedCall>('calls', start),
  run: (start: RunStart) => post<StartedRun>('runs', start),
  runs: () => request<RunList>('runs'),
  search: (words: string, signal: AbortSignal) => request<RunList>(`runs?search=${segment(words)}`, { signal }),
  record: (id: string) => request<RunRecord>(`runs/${segment(id)}`),
  parts: async (id: string): Promise<readonly StudioPart[]> => {
    const stream = await (await responseOf(`runs/${segment(id)}/parts`)).text()
    return stream.split('\n').flatMap((line) => (line.startsWith('data:') ? [JSON.parse(line.slice(5))] : []))
  },
  cassette: async (id: string) => (await responseOf(`runs/${segment(id)}/cassette`)).text(),
  answer: (id: string, answers: RunAnswers['answers']) => post<RunSummary>(`runs/${segment(id)}/answers`, { answers }),
  cancel: (id: string) => post<RunSummary>(`runs/${segment(id)}/cancel`, {}),
  /** Starts the MCP servers of the project's imported toolsets, and compares their tools with the imported tools. */
  drift: () => post<DriftReport>('contract/drift', {}),
  sessions: (after?: string) =>
    request<SessionList>(`sessions${after === undefined ? '' : `?after=${segment(after)}`}`),
  session: (id: string) => request<SessionRecord>(`sessions/${segment(id)}`),
  report: (name: ContractReport, base?: string) =>
    request<unknown>(`contract/${name}${base === undefined ? '' : `?base=${segment(base)}`}`),
}

export interface StreamListener {
  readonly message: (data: unknown) => void
  /** Called when the connection is open. `isNew` is `true` if the stream starts again from its first event. */
  readonly open?: (isNew: boolean) => void
  /** Called when the connection is lost. The stream then connects again. `isRefused` is `true` if the server responded with an error. */
  readonly lost?: (isRefused: boolean) => void
}

const FIRST_DELAY = 500
const LONGEST_DELAY = 15_000

/**
 * Follows a stream of server-sent events, and returns a function that ends the stream. After a lost connection, connects again with increasing
 * delays. While the tab is hidden, the connection is closed, because browsers allow only a few connections to a server.
 */
export function followStream(path: string, { message, open, lost }: StreamListener): () => void {
  let source: EventSource | undefined
  let delay = FIRST_DELAY
  let timer: number | undefined
  let isFirst = true
  const close = (): void => {
    clearTimeout(timer)
    source?.close()
    source = undefined
  }
  const connect = (): void => {
    close()
    if (document.hidden) return
    const current = new EventSource(`api/${path}`)
    source = current
    isFirst = true
    current.onopen = () => {
      delay = FIRST_DELAY
      open?.(isFirst)
      isFirst = false
    }
    current.onmessage = ({ data }) => message(JSON.parse(data))
    current.onerror = () => {
      // After an error response, the browser does not connect again automatically.
      const isRefused = current.readyState === EventSource.CLOSED
      lost?.(isRefused)
      if (!isRefused) return
      timer = window.setTimeout(connect, delay)
      delay = Math.min(delay * 2, LONGEST_DELAY)
    }
  }
  const onVisibility = (): void => {
    if (document.hidden) close()
    else if (source === undefined) connect()
  }
  document.addEventListener('visibilitychange', onVisibility)
  connect()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    close()
  }
}
