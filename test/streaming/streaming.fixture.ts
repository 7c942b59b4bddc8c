import { toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type CallOptions,
  type ExecutorRequest,
  type JsonText,
  type RunEvent,
  Runtime,
  type ToolExecutor,
  type ToolOutcome,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'

const parts = {
  arguments: { type: 'object', properties: { to: { type: 'integer', minimum: 1 } } },
  result: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }] },
} as const

/** A tool that streams integers. `silent` is the same tool without updates. */
export const count = toolOf<{ to?: number }, unknown>('numbers.count', {
  ...parts,
  spec: { updates: { type: 'integer' } },
})
export const silent = toolOf<{ to?: number }, unknown>('numbers.silent', parts)

/** Outcome and updates of a call. */
export interface Heard {
  readonly outcome: ToolOutcome
  readonly updates: readonly JsonText[]
  readonly events: readonly RunEvent[]
}

/** Registers the two tools with an executor. */
export function registered(executor: ToolExecutor): ReturnType<typeof toolsetRegistration> {
  return toolsetRegistration({ toolset: toolsetOf(count, silent), provider: 'service' }, executor)
}

/** Calls the streaming tool or another tool, and returns its outcome and updates. */
export async function heard(executor: ToolExecutor, options: CallOptions = {}, tool = count): Promise<Heard> {
  const updates: JsonText[] = []
  const events: RunEvent[] = []
  const outcome = await new Runtime().registerToolset(registered(executor)).execute(tool.call({ to: 3 }), {
    onUpdate: (update) => updates.push(update),
    onEvent: (event) => events.push(event),
    ...options,
  })
  return { outcome, updates, events }
}

/** Returns an executor with this function. */
export function answering(execute: (request: ExecutorRequest) => unknown): ToolExecutor {
  return { execute }
}

/** Returns the JSON of a result, or the reason of a failure. */
export function wordOf(outcome: ToolOutcome): string {
  if (outcome.status === 'completed') return outcome.json
  return outcome.status === 'failed' ? outcome.hint.reason : outcome.status
}
