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

/** Result of the tool of the fixture. */
export const order: { readonly id: string; readonly total: number } = { id: 'A-1', total: 12.5 }

/** Returns an agent with one tool, `orders.getOrder`. */
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

/** Options of the runtime and of the registration. */
export interface AgentSetting {
  readonly runtime?: Runtime
  readonly options?: RegistrationOptions
}

/** Creates a runtime with a fixed clock and consecutive ids. */
export function stillRuntime(options: RuntimeOptions = {}): Runtime {
  const counts = { run: 0, toolCall: 0, suspension: 0, session: 0 }
  const newId = (kind: IdKind): string => {
    counts[kind] += 1
    return `${kind}-${counts[kind]}`
  }
  return new Runtime({ effects: { now: () => 1_000, newId }, ...options })
}

/** Returns a call of the fixture's tool. */
export function callOf(orderId = 'A-1', toolCallId?: string): ToolCall {
  return getOrder.call({ orderId }, toolCallId === undefined ? {} : { toolCallId })
}

/** Returns a planner that makes these decisions in order, then answers `done`. */
export function script(...decisions: readonly Decision[]): Planner {
  return ({ turn }) => decisions[turn - 1] ?? answer('done')
}

/** Returns a planner that makes these calls in one step, then answers `done`. */
export function callsAtOnce(...calls: readonly ToolCall[]): Planner {
  return script(callTools(...calls))
}

/** Never resolves. */
export function never(): Promise<never> {
  return new Promise(() => undefined)
}

/** Resolves with a value after some milliseconds. */
export function later<Value>(milliseconds: number, value: Value): Promise<Value> {
  return new Promise((resolve) => setTimeout(() => resolve(value), milliseconds))
}

/** Maximum duration of work that must end, in milliseconds. Only work that hangs reaches it, even on a busy machine. */
const HANGS_MS = 120_000

/** Resolves with the result of the work, or with `hangs` if it does not end. */
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

/** Returns unhandled rejections during the work and during one further turn of the event loop. */
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

/** Returns a signal that is aborted after some milliseconds. */
export function abortedIn(milliseconds: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), milliseconds)
  return controller.signal
}
