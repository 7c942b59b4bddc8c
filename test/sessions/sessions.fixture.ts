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

/** One call of a streaming tool that a test leads through its life. */
export interface Work {
  /** The argument `name` of the call. */
  readonly name: string
  readonly sessionId: string | undefined
  readonly signal: AbortSignal
  emit(update: unknown): Promise<void>
  complete(result: unknown): void
  fail(error: unknown): void
}

/** Streaming tools whose calls wait for a test to say what they do. */
export class Works {
  /** All calls that have begun. */
  readonly begun: Work[] = []
  readonly #byName = new Map<string, Work>()
  readonly #awaited = new Map<string, (work: Work) => void>()

  /** The call with this argument `name`, once it has begun. */
  async of(name: string): Promise<Work> {
    return (
      this.#byName.get(name) ??
      new Promise((resolve) => {
        this.#awaited.set(name, resolve)
      })
    )
  }

  /** What the tools do. */
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

/** A toolset with one tool that streams, `build`, and one that answers once, `look`. */
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

/** A call of the streaming tool. */
export function build(name: string, toolCallId?: string): ToolCall {
  const call = { tool: 'reports.reports_build', arguments: JSON.stringify({ name }) }
  return toolCallId === undefined ? call : { ...call, toolCallId }
}

/** A call of the tool that answers once. */
export function look(name: string): ToolCall {
  return { tool: 'reports.reports_look', arguments: JSON.stringify({ name }) }
}

/** A clock that stands still and ids that count up. */
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

/** A registry over the toolset of the fixture. */
export function registryOf(
  works: Works,
  options: Partial<SessionRegistryOptions<{ reports: BoundToolset }>> & { readonly runtime?: RuntimeOptions } = {},
): SessionRegistry<{ reports: BoundToolset }> {
  const { runtime, ...rest } = options
  return new SessionRegistry({ agents: { reports: reports(works, { runtime: new Runtime(runtime) }) }, ...rest })
}

/** Session `s-1` of user `u-1`. */
export const ours = { userId: 'u-1', namespaces: ['reports'] } as const

/** The same session, taken over from a process that may have it open. */
export const takenOver = { ...ours, takeOver: true } as const

/** An answer that has to be an acknowledgement. */
export function acknowledged(answer: Acknowledgement | ToolOutcome): Acknowledgement {
  if (answer.status !== 'streaming') throw new Error(`no acknowledgement but ${JSON.stringify(answer)}`)
  return answer
}

/** A call of the streaming tool that has begun. */
export async function begun(
  session: Session,
  works: Works,
  name: string,
): Promise<{ readonly callId: string; readonly work: Work }> {
  const [answer, work] = await Promise.all([session.execute(build(name)), works.of(name)])
  return { callId: acknowledged(answer).callId, work }
}

/** What an entry says, short. */
export function said(entry: SessionEntry): string {
  if (entry.kind === 'update') return `${entry.index}:${entry.update}`
  const { outcome } = entry
  return outcome.status === 'completed'
    ? `completed ${outcome.json}`
    : outcome.status === 'failed'
      ? `failed ${outcome.error.reason}`
      : outcome.status
}

/** Everything that has been started without waiting goes on as far as it can. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Waits until something holds; the test's own time limit ends it where it never does. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
}

/** A store in memory that counts as durable, and that fails, waits and tells as a test wants. */
export class TestStore implements SessionStore {
  readonly isDurable: boolean
  readonly saved: StoredSession[] = []
  /** How often `claim` was asked. */
  claims = 0
  /** How often `save` was asked. */
  saves = 0
  /** What the store fails with; `undefined`: it works. */
  failure: Error | undefined = undefined
  /** What `claim` and `save` wait for first. */
  gate: Promise<void> | undefined = undefined
  /** Whether a failing save has been done all the same. */
  savesAndFails = false
  readonly #inner: SessionStore
  #letGo = (): void => undefined

  constructor({ isDurable = true, inner = memoryStore() }: { isDurable?: boolean; inner?: SessionStore } = {}) {
    this.isDurable = isDurable
    this.#inner = inner
    // What sessions could not save they would try again while other tests run.
    onTestFinished(() => {
      this.failure = undefined
      this.#letGo()
    })
  }

  /** Holds `claim` and `save` up until what is returned is called. */
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
    // What begins to fail meanwhile fails the next save: a save that is done and fails is another matter.
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

/** What a store fails with in tests. */
export const down: Error = new Error('connect ECONNREFUSED')

/** What whoever waits for it is then told. */
export const storeFailed: object = { name: 'SessionError', code: 'store_failed' }
