import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { api, followStream, type ProjectInfo, RequestFailure, type RunSummary, type StudioEvent } from './api.js'

export type Connection = 'connecting' | 'open' | 'lost'

export interface StudioState {
  readonly connection: Connection
  readonly project?: ProjectInfo
  /** Stored runs, newest first. Absent until the first response of the server. */
  readonly runs?: readonly RunSummary[]
  readonly error?: RequestFailure
}

let state: StudioState = { connection: 'connecting' }
const listeners = new Set<() => void>()

function update(change: Partial<StudioState>): void {
  state = { ...state, ...change }
  for (const listener of listeners) listener()
}

// Events since the last animation frame, applied together in the next frame.
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

export function startStore(): () => void {
  let received = 0
  const load = async (attempts = 5): Promise<void> => {
    try {
      const before = received
      const [project, { runs }] = await Promise.all([api.project(), api.runs()])
      // Loads again if events arrived during the request, because the response can be older than these events.
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
      // Loads the runs again, because the stream can belong to a new server process, which has other runs.
      if (state.connection === 'lost' || isNew) void load()
      update({ connection: 'open' })
    },
    lost: (isRefused) => {
      update({ connection: 'lost' })
      // Sends a request, because its response contains the reason for the error, for example an old token.
      if (isRefused || state.project === undefined) void load()
    },
  })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Hook that returns a part of the state. `select` must not create objects, because React renders the component again whenever `select` returns a
 * different value.
 */
export function useStudio<Value>(select: (state: StudioState) => Value): Value {
  return useSyncExternalStore(subscribe, () => select(state))
}

export function useSummary(id: string | undefined): RunSummary | undefined {
  return useStudio(({ runs }) => runs?.find((run) => run.id === id))
}

export interface Loaded<Value> {
  readonly value?: Value
  readonly error?: RequestFailure
  readonly isLoading: boolean
  readonly reload: () => void
}

/**
 * Hook that sends a request with `load` after each change of `key` or `version`. Until the response, returns the previous value if only `version` has
 * changed.
 *
 * @param version number that changes with the requested data, for example the version of the project
 */
export function useLoaded<Value>(key: string, load: () => Promise<Value>, version = 0): Loaded<Value> {
  const [result, setResult] = useState<{ key: string; value?: Value; error?: RequestFailure }>()
  const [attempt, setAttempt] = useState(0)
  const [isLoading, setLoading] = useState(true)
  // `load` is not a dependency, because `key` and `version` identify the request.
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

/** Path segments and query in the hash of the URL. */
export interface Route {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

const routeListeners = new Set<() => void>()

// Components read this copy of the hash instead of the URL. The browser changes the URL before the event `hashchange`. A render between the
// two would show the old page with the route of the next page, and would send a wrong request.
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

export function storedValue<Value>(key: string): Value | undefined {
  try {
    return JSON.parse(window.sessionStorage.getItem(key) ?? '') as Value
  } catch {
    return undefined
  }
}

/** Stores a value in the session storage, so that a reload of the page does not lose the value. Has no effect if the storage is full. */
export function storeValue(key: string, value: unknown): void {
  try {
    window.sessionStorage.setItem(key, JSON.stringify(value))
  } catch {
    // The page works without the stored value. Only a reload loses the value.
  }
}

const CHAT = 'toolgen:chat'

export function useChatLink(): string {
  const { path } = useRoute()
  const isOpen = path[0] === 'chat' && path[1] !== undefined
  useEffect(() => {
    if (isOpen) storeValue(CHAT, path)
  })
  const stored = storedValue<readonly string[]>(CHAT) ?? []
  const [, agent, run] = stored
  const isKnown = useStudio(
    ({ project, runs }) =>
      project?.agents.some(({ name }) => name === agent) && (run === undefined || runs?.some(({ id }) => id === run)),
  )
  if (isOpen) return linkTo(path)
  return linkTo(isKnown === true ? stored : ['chat'])
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function linkTo(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const search = new URLSearchParams(entries).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

export function open(link: string, { replace = false } = {}): void {
  if (window.location.hash === link) return
  if (!replace) {
    window.location.hash = link
    return
  }
  window.history.replaceState(null, '', link)
  window.dispatchEvent(new HashChangeEvent('hashchange'))
}
