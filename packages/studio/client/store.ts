import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { api, followStream, type ProjectInfo, RequestFailure, type RunSummary, type StudioEvent } from './api.js'

/** State of the connection to the server. */
export type Connection = 'connecting' | 'open' | 'lost'

/** State that all pages share. */
export interface StudioState {
  readonly connection: Connection
  /** Absent until the server has sent it. */
  readonly project?: ProjectInfo
  /** Runs, the newest first. Absent until the server has sent them. */
  readonly runs?: readonly RunSummary[]
  /** Error of the last request for the project. Absent if it succeeded. */
  readonly error?: RequestFailure
}

let state: StudioState = { connection: 'connecting' }
const listeners = new Set<() => void>()

function update(change: Partial<StudioState>): void {
  state = { ...state, ...change }
  for (const listener of listeners) listener()
}

/** Events of one animation frame are applied together. */
let waiting: StudioEvent[] = []

function applyEvents(): void {
  const events = waiting
  waiting = []
  const runs = new Map(state.runs?.map((run) => [run.id, run]))
  let { project } = state
  for (const event of events) {
    if (event.kind === 'project') project = event.project
    else if (event.kind === 'removed') runs.delete(event.run)
    else runs.set(event.summary.id, event.summary)
  }
  const sorted = [...runs.values()].sort((a, b) => b.startedAt - a.startedAt)
  update({ ...(project && { project }), runs: sorted })
}

/** Loads the project and the runs, and follows their changes. */
export function startStore(): () => void {
  let received = 0
  const load = async (attempts = 5): Promise<void> => {
    try {
      const before = received
      const [project, { runs }] = await Promise.all([api.project(), api.runs()])
      // The answer can be older than events that arrived in the meantime.
      if (received !== before && attempts > 1) return await load(attempts - 1)
      update({ project, runs, error: undefined })
    } catch (error) {
      update({ error: failureOf(error) })
    }
  }
  void load()
  return followStream('events', {
    message: (data) => {
      received += 1
      if (waiting.push(data as StudioEvent) === 1) requestAnimationFrame(applyEvents)
    },
    open: (isNew) => {
      // The runs of a server that started again are new.
      if (state.connection === 'lost' || isNew) void load()
      update({ connection: 'open' })
    },
    lost: (isRefused) => {
      update({ connection: 'lost' })
      // The response has the reason, for example that the token is from an earlier server.
      if (isRefused || state.project === undefined) void load()
    },
  })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function useStudio(): StudioState {
  return useSyncExternalStore(subscribe, () => state)
}

/** Returns the project. In contrast to `useStudio`, changes of runs do not render the component again. */
export function useProject(): ProjectInfo | undefined {
  return useSyncExternalStore(subscribe, () => state.project)
}

/** Returns the current summary of a run. Absent if the server does not store it. */
export function useSummary(id: string | undefined): RunSummary | undefined {
  return useStudio().runs?.find((run) => run.id === id)
}

/** Result of a request: exactly one of `value` and `error` is present when it has ended. */
export interface Loaded<Value> {
  readonly value?: Value
  readonly error?: RequestFailure
  readonly isLoading: boolean
  /** Sends the request again. */
  readonly reload: () => void
}

/**
 * Sends a request when `key` or `version` changes. Keeps the last value during a reload with the same key.
 *
 * @param version version of what the key names, for example the generation of the project
 */
export function useLoaded<Value>(key: string, load: () => Promise<Value>, version = 0): Loaded<Value> {
  const [result, setResult] = useState<{ key: string; value?: Value; error?: RequestFailure }>()
  const [attempt, setAttempt] = useState(0)
  const [isLoading, setLoading] = useState(true)
  // `key` and `version` stand for everything that `load` uses.
  useEffect(() => {
    let isCurrent = true
    setLoading(true)
    load()
      .then(
        (value) => isCurrent && setResult({ key, value }),
        (error) => isCurrent && setResult({ key, error: failureOf(error) }),
      )
      .finally(() => isCurrent && setLoading(false))
    return () => {
      isCurrent = false
    }
  }, [key, version, attempt])
  const reload = useCallback(() => setAttempt((last) => last + 1), [])
  const current = result?.key === key ? result : undefined
  return { value: current?.value, error: current?.error, isLoading: isLoading || current === undefined, reload }
}

export function failureOf(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error
  return new RequestFailure(0, error instanceof Error ? error.message : String(error))
}

/** Location in the hash of the URL: path segments and options. */
export interface Route {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

const routeListeners = new Set<() => void>()

// The address changes before its event, and components can render in between. All components therefore read this copy, which changes for all
// of them at the same time. Otherwise the old page could render with the route of the next page, and request its data.
let currentHash = window.location.hash

window.addEventListener('hashchange', () => {
  currentHash = window.location.hash
  for (const listener of [...routeListeners]) listener()
})

function subscribeHash(listener: () => void): () => void {
  routeListeners.add(listener)
  return () => void routeListeners.delete(listener)
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribeHash, () => currentHash)
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) }
}

const CHAT = 'toolgen:chat'

/** Returns the link to the last conversation of this tab, or to the page Chat if there is none, and stores it while the page is open. */
export function useChatLink(): string {
  const { path } = useRoute()
  const { project, runs } = useStudio()
  const isOpen = path[0] === 'chat' && path[1] !== undefined
  useEffect(() => {
    if (isOpen) window.sessionStorage.setItem(CHAT, JSON.stringify(path))
  })
  if (isOpen) return linkTo(path)
  const stored: readonly string[] = JSON.parse(window.sessionStorage.getItem(CHAT) ?? '[]')
  const [, agent, run] = stored
  const isKnown =
    project?.agents.some(({ name }) => name === agent) && (run === undefined || runs?.some(({ id }) => id === run))
  return linkTo(isKnown === true ? stored : ['chat'])
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the link to a page. Options that are `undefined` are left out. */
export function linkTo(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const search = new URLSearchParams(entries).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

/** Opens a page. `replace` keeps the length of the browser's history. */
export function open(link: string, { replace = false } = {}): void {
  if (window.location.hash === link) return
  if (!replace) {
    window.location.hash = link
    return
  }
  window.history.replaceState(null, '', link)
  window.dispatchEvent(new HashChangeEvent('hashchange'))
}
