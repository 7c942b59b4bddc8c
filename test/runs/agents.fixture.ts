import type { AgentOptions } from '../../packages/runtime/src/agents/bound-agent.js'
import { getOrder, registrationOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { answer, callTools, type Decision, type Planner } from '../../packages/runtime/src/agents.js'
import {
  type BoundAgent,
  type ExecutorRequest,
  type RegistrationOptions,
  Runtime,
  type RuntimeOptions,
  type ToolCall,
} from '../../packages/runtime/src/index.js'
import type { IdKind } from '../../packages/runtime/src/types/call-options.js'

/** What the tool of the fixture answers. */
export const order: { readonly id: string; readonly total: number } = { id: 'A-1', total: 12.5 }

/** An agent over one tool, `orders.getOrder`. */
export function agentOf(
  execute: (request: ExecutorRequest) => unknown,
  { runtime = new Runtime(), options = {}, ...parts }: AgentOptions & AgentSetting = {},
): BoundAgent {
  return runtime.registerAgent(
    { name: 'support', description: 'Answers customers.' },
    [registrationOf(getOrder, execute, options)],
    parts,
  )
}

/** Where and how the tool of an agent is registered. */
export interface AgentSetting {
  readonly runtime?: Runtime
  readonly options?: RegistrationOptions
}

/** A runtime whose clock stands still and whose ids of each kind count up. */
export function stillRuntime(options: RuntimeOptions = {}): Runtime {
  const counts = { run: 0, toolCall: 0, suspension: 0, session: 0 }
  const newId = (kind: IdKind): string => {
    counts[kind] += 1
    return `${kind}-${counts[kind]}`
  }
  return new Runtime({ effects: { now: () => 1_000, newId }, ...options })
}

/** A call of the tool of the fixture. */
export function callOf(orderId = 'A-1', toolCallId?: string): ToolCall {
  return getOrder.call({ orderId }, toolCallId === undefined ? {} : { toolCallId })
}

/** Decides these one after the other, then answers `done`. */
export function script(...decisions: readonly Decision[]): Planner {
  return ({ turn }) => decisions[turn - 1] ?? answer('done')
}

/** A planner that asks for these calls in one step, then answers `done`. */
export function callsAtOnce(...calls: readonly ToolCall[]): Planner {
  return script(callTools(...calls))
}

/** Work that never ends. */
export function never(): Promise<never> {
  return new Promise(() => undefined)
}

/** Resolves after so many milliseconds. */
export function later<Value>(milliseconds: number, value: Value): Promise<Value> {
  return new Promise((resolve) => setTimeout(() => resolve(value), milliseconds))
}

/** Limit for work that must end, in milliseconds: far beyond what a busy machine needs, since only work that hangs reaches it. */
const HANGS_MS = 120_000

/** Result of work, or `hangs` if it never ends. */
export async function within<Value>(work: PromiseLike<Value>): Promise<Value | 'hangs'> {
  let timer: NodeJS.Timeout | undefined
  const hangs = new Promise<'hangs'>((resolve) => {
    timer = setTimeout(() => resolve('hangs'), HANGS_MS)
  })
  try {
    return await Promise.race([work, hangs])
  } finally {
    clearTimeout(timer)
  }
}

/** The errors that nobody handled while work went on, and one turn of the event loop after it. */
export async function unhandledDuring(work: () => PromiseLike<unknown>): Promise<readonly unknown[]> {
  const before = process.listeners('unhandledRejection')
  const seen: unknown[] = []
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (error) => seen.push(error))
  try {
    await work()
    await later(5, undefined)
  } finally {
    process.removeAllListeners('unhandledRejection')
    for (const listener of before) process.on('unhandledRejection', listener)
  }
  return seen
}

/** A signal that is aborted after so many milliseconds, by a caller who no longer wants the answer. */
export function abortedIn(milliseconds: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), milliseconds)
  return controller.signal
}
