import { onTestFinished } from 'vitest'
import {
  type BoundToolset,
  type Effects,
  Runtime,
  type RuntimeOptions,
  type ToolCall,
  type ToolOutcome,
  tool,
  toolset,
} from '../../packages/runtime/src/index.js'
import {
  memoryStore,
  type Session,
  type SessionEntry,
  SessionRegistry,
  type SessionRegistryOptions,
  type SessionStore,
  type StoredSession,
} from '../../packages/runtime/src/sessions.js'
import type { Acknowledgement } from '../../packages/runtime/src/types/outcome.js'

/** A call of a streaming tool that a test controls. */
export interface Work {
  /** Argument `name` of the call. */
  readonly name: string
  readonly sessionId: string | undefined
  readonly signal: AbortSignal
  emit(update: unknown): Promise<void>
  complete(result: unknown): void
  fail(error: unknown): void
}

/** Streaming tools whose calls a test controls. */
export class Works {
  /** All calls that have begun, in order. */
  readonly begun: Work[] = []
  readonly #byName = new Map<string, Work>()
  readonly #awaited = new Map<string, (work: Work) => void>()

  /** Resolves with the call with this argument `name` when it has begun. */
  async of(name: string): Promise<Work> {
    return (
      this.#byName.get(name) ??
      new Promise((resolve) => {
        this.#awaited.set(name, resolve)
      })
    )
  }

  /** Implementation of the tools. */
  readonly run = (
    { name }: { readonly name: string },
    {
      meta,
      emit,
    }: { readonly meta: { readonly sessionId?: string; readonly signal: AbortSignal }; readonly emit: Work['emit'] },
  ): Promise<unknown> =>
    new Promise((complete, fail) => {
      const work = { name, sessionId: meta.sessionId, signal: meta.signal, emit, complete, fail }
      this.begun.push(work)
      this.#byName.set(name, work)
      this.#awaited.get(name)?.(work)
    })
}

const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

/** Returns a toolset with a streaming tool, `build`, and one that does not stream, `look`. */
export function reports(works: Works, { name = 'reports', runtime = new Runtime() } = {}): BoundToolset {
  const build = tool({
    name: `${name}_build`,
    description: 'Builds a report.',
    parameters: named,
    updates: true,
    run: works.run,
  })
  const look = tool({
    name: `${name}_look`,
    description: 'Looks at a report.',
    parameters: named,
    run: async (args: { readonly name: string }, { meta, emit }) =>
      args.name === 'wait' ? works.run(args, { meta, emit }) : { looked: args.name, session: meta.sessionId },
  })
  return runtime.registerToolset(toolset(name, build, look))
}

/** Returns a call of the streaming tool. */
export function build(name: string, toolCallId?: string): ToolCall {
  const call = { tool: 'reports.reports_build', arguments: JSON.stringify({ name }) }
  return toolCallId === undefined ? call : { ...call, toolCallId }
}

/** Returns a call of the tool that does not stream. */
export function look(name: string): ToolCall {
  return { tool: 'reports.reports_look', arguments: JSON.stringify({ name }) }
}

/** Returns a fixed clock and consecutive ids. */
export function stillEffects(): Effects {
  const counts = new Map<string, number>()
  return {
    now: () => 1_000,
    newId: (kind) => {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return `${kind}-${count}`
    },
  }
}

/** Returns a registry with the toolset of the fixture. */
export function registryOf(
  works: Works,
  options: Partial<SessionRegistryOptions<{ reports: BoundToolset }>> & { readonly runtime?: RuntimeOptions } = {},
): SessionRegistry<{ reports: BoundToolset }> {
  const { runtime, ...rest } = options
  return new SessionRegistry({ agents: { reports: reports(works, { runtime: new Runtime(runtime) }) }, ...rest })
}

export const ours = { userId: 'u-1', namespaces: ['reports'] } as const

/** Options that take the session over from a process that may have it open. */
export const takenOver = { ...ours, takeOver: true } as const

/** Returns the acknowledgement of a call. Throws for another result. */
export function acknowledged(answer: Acknowledgement | ToolOutcome): Acknowledgement {
  if (answer.status !== 'streaming') throw new Error(`no acknowledgement but ${JSON.stringify(answer)}`)
  return answer
}

/** Starts a call of the streaming tool, and waits until it has begun. */
export async function begun(
  session: Session,
  works: Works,
  name: string,
): Promise<{ readonly callId: string; readonly work: Work }> {
  const [answer, work] = await Promise.all([session.execute(build(name)), works.of(name)])
  return { callId: acknowledged(answer).callId, work }
}

/** Returns a short text for an entry. */
export function said(entry: SessionEntry): string {
  if (entry.kind === 'update') return `${entry.index}:${entry.update}`
  const { outcome } = entry
  return outcome.status === 'completed'
    ? `completed ${outcome.json}`
    : outcome.status === 'failed'
      ? `failed ${outcome.error.reason}`
      : outcome.status
}

/** Waits some turns of the event loop, so that started work without timers can continue. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Waits until a condition is true. If this never happens, the test ends at its time limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
}

/** A durable store in memory whose failures and delays a test controls. */
export class TestStore implements SessionStore {
  readonly isDurable: boolean
  readonly saved: StoredSession[] = []
  /** Number of calls of `claim`. */
  claims = 0
  /** Number of calls of `save`. */
  saves = 0
  /** Error of the store. `undefined`: the store works. */
  failure: Error | undefined = undefined
  /** Promise that `claim` and `save` await first. */
  gate: Promise<void> | undefined = undefined
  /** True if a failing save stores the session nevertheless. */
  savesAndFails = false
  readonly #inner: SessionStore
  #letGo = (): void => undefined

  constructor({ isDurable = true, inner = memoryStore() }: { isDurable?: boolean; inner?: SessionStore } = {}) {
    this.isDurable = isDurable
    this.#inner = inner
    // Otherwise sessions would repeat failed saves while other tests run.
    onTestFinished(() => {
      this.failure = undefined
      this.#letGo()
    })
  }

  /** Blocks `claim` and `save` until the returned function is called. */
  hold(): () => void {
    this.gate = new Promise((resolve) => {
      this.#letGo = () => {
        this.gate = undefined
        resolve()
      }
    })
    return this.#letGo
  }

  async claim(...given: Parameters<SessionStore['claim']>): Promise<StoredSession | undefined> {
    this.claims += 1
    await this.gate
    if (this.failure !== undefined) throw this.failure
    return this.#inner.claim(...given)
  }

  async save(...given: Parameters<SessionStore['save']>): Promise<void> {
    this.saves += 1
    await this.gate
    // Read before the save, because a failure that begins during the save must affect only the next one.
    const { failure } = this
    if (failure === undefined || this.savesAndFails) {
      await this.#inner.save(...given)
      this.saved.push(given[0])
    }
    if (failure !== undefined) throw failure
  }

  async delete(...given: Parameters<SessionStore['delete']>): Promise<boolean> {
    if (this.failure !== undefined) throw this.failure
    return this.#inner.delete(...given)
  }

  release(...given: Parameters<NonNullable<SessionStore['release']>>): void {
    this.#inner.release?.(...given)
  }
}

/** Error of a store in tests. */
export const down: Error = new Error('connect ECONNREFUSED')

/** Expected error of callers that wait for the failing store. */
export const storeFailed: object = { name: 'SessionError', code: 'store_failed' }
