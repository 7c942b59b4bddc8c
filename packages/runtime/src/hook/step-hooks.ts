import type { ChatMessage } from '../contract/chat-message.js'
import type { StepLayer } from '../contract/layer.js'
import type { StepAccount, StepRequest, StepResult } from '../contract/step.js'
import type { StopSignal } from '../contract/stop-signal.js'
import { changesOf } from './changes-of.js'
import { type HookOf, hooksOf, type InstalledHook } from './installed-hook.js'
import { toldOutcomes, toldStep } from './told.js'

const NO_COST: StepAccount = Object.freeze({ promptTokens: 0, completionTokens: 0, toolCalls: 0 })

/** The hooks around steps as a layer; `undefined` where there are none. */
export function stepHooks(hooks: readonly InstalledHook[]): StepLayer<any> | undefined {
  // `any`: the env that hooks need is checked by the types of who installs them.
  const before = hooksOf(hooks, 'beforeStep')
  const after = hooksOf(hooks, 'afterStep')
  if (before.length + after.length === 0) return undefined
  return (next) => async (request) => {
    // The beginning of a step that goes on has been told.
    if (request.isResumed === true) return afterStep(after, request, await next(request))
    const { asked, stops } = await beforeStep(before, request)
    const result = stops.length > 0 ? withStops(leftOut(asked.messages), stops) : await next(asked)
    return afterStep(after, request, result)
  }
}

/** What a hook says to end the run. */
export function stopBy({ name }: Pick<InstalledHook, 'name'>, message: string): StopSignal {
  return Object.freeze({ reason: 'stopped', by: name, message })
}

async function beforeStep<Env>(
  hooks: readonly HookOf<'beforeStep'>[],
  request: StepRequest<Env>,
): Promise<{ readonly asked: StepRequest<Env>; readonly stops: readonly StopSignal[] }> {
  let asked = request
  const stops: StopSignal[] = []
  for (const hook of hooks) {
    const { messages, tools, fields, stop } =
      (await changesOf(hook, { ...asked, outcomes: toldOutcomes(asked.outcomes) })) ?? {}
    asked = {
      ...asked,
      ...(messages !== undefined && { messages: Object.freeze([...messages]) }),
      ...(tools !== undefined && { tools: Object.freeze([...tools]) }),
      ...(fields !== undefined && { fields }),
    }
    if (stop !== undefined) stops.push(stopBy(hook, stop))
  }
  return { asked, stops }
}

/** Whether calls of a step wait: it has not ended, and its end is told when it has gone on. */
function waits(result: StepResult): boolean {
  return result.kind === 'done' && result.suspension !== undefined && result.suspension.calls.length > 0
}

/** A step that was not made. */
function leftOut(messages: readonly ChatMessage[]): StepResult {
  return { kind: 'next', messages, outcomes: [], account: NO_COST, refused: 0 }
}

/** What is recorded further out comes first. */
function withStops(result: StepResult, stops: readonly StopSignal[]): StepResult {
  return { ...result, stops: [...stops, ...(result.stops ?? [])] }
}

async function afterStep(
  hooks: readonly HookOf<'afterStep'>[],
  { env, meta, turn }: StepRequest,
  result: StepResult,
): Promise<StepResult> {
  if (waits(result)) return result
  let changed = result
  const stops: StopSignal[] = []
  for (const hook of hooks) {
    const { messages, stop } = (await changesOf(hook, { env, meta, turn, result: toldStep(changed) })) ?? {}
    if (messages !== undefined) changed = { ...changed, messages: Object.freeze([...messages]) }
    if (stop !== undefined) stops.push(stopBy(hook, stop))
  }
  return stops.length === 0 ? changed : withStops(changed, stops)
}
