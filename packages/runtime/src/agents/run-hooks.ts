import { deniedOutcome } from '../call/call-request.js'
import type { ChatMessage } from '../types/chat.js'
import type { StopSignal } from '../types/errors.js'
import type { AfterModelContext, BeforeModelContext } from '../types/hook.js'
import type { RunLayer, StepLayer, ToolLayer, ToolRequest } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { Decision, ModelDriver, ModelResponse, Planner } from '../types/planner.js'
import type { AgentRun, RunRequest, StepRequest, StepResult, StepUsage } from '../types/run.js'
import { requireDecision } from './decisions.js'
import {
  changesOf,
  frozenCopy,
  type HookOf,
  hooksOf,
  type InstalledHook,
  type StepFrames,
  tell,
  toldOutcome,
  toldOutcomes,
  toldRun,
  toldStep,
} from './hooks.js'
import { messageText } from './model-response.js'

/** The hooks around whole runs as a layer; `undefined` where there are none. */
export function runHooks(hooks: readonly InstalledHook[]): RunLayer<any> | undefined {
  // `any`: the env that hooks need is checked by the types of who installs them.
  const before = hooksOf(hooks, 'beforeRun')
  const after = hooksOf(hooks, 'afterRun')
  const onStop = hooksOf(hooks, 'onStop')
  const onError = hooksOf(hooks, 'onError')
  if (before.length + after.length + onStop.length + onError.length === 0) return undefined
  const asked = async <Env>(request: RunRequest<Env>): Promise<RunRequest<Env>> => {
    if (request.isResumed === true) return request
    let changed = request
    for (const hook of before) {
      const { messages, fields } = (await changesOf(hook, named(changed))) ?? {}
      changed = {
        ...changed,
        ...(messages !== undefined && { messages: Object.freeze([...messages]) }),
        ...(fields !== undefined && { fields }),
      }
    }
    return changed
  }
  const ended = async ({ env, meta }: RunRequest, run: AgentRun): Promise<AgentRun> => {
    let changed = run
    for (const hook of after) {
      const { result } = (await changesOf(hook, { env, meta, run: toldRun(changed) })) ?? {}
      if (result !== undefined && changed.result !== undefined) {
        changed = { ...changed, result: Object.freeze({ ...result }) }
      }
    }
    return changed
  }
  return (next) => async (request) => {
    const { env, meta } = request
    try {
      const run = await ended(request, await next(await asked(request)))
      if (run.status === 'failed') await tell(onError, { env, meta, error: run.error?.cause ?? run.error })
      if (run.status === 'stopped' || run.status === 'cancelled') await tell(onStop, { env, meta, run: toldRun(run) })
      return run
    } catch (error) {
      await tell(onError, { env, meta, error })
      throw error
    }
  }
}

/** A copy with the named fields alone: the run that a request belongs to is not for hooks. */
function named<Env>({ env, meta, messages, policy, fields }: RunRequest<Env>): Omit<RunRequest<Env>, 'isResumed'> {
  return { env, meta, messages, policy, ...(fields !== undefined && { fields }) }
}

const NO_USAGE: StepUsage = Object.freeze({ promptTokens: 0, completionTokens: 0, toolCalls: 0 })

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
function stopBy({ name }: Pick<InstalledHook, 'name'>, message: string): StopSignal {
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
  return { kind: 'next', messages, outcomes: [], usage: NO_USAGE, refused: 0 }
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

/** The hooks around tool calls as a layer; `undefined` where there are none. */
export function toolHooks(hooks: readonly InstalledHook[]): ToolLayer<any> | undefined {
  // `any`: the env that hooks need is checked by the types of who installs them.
  const before = hooksOf(hooks, 'beforeTool')
  const after = hooksOf(hooks, 'afterTool')
  if (before.length + after.length === 0) return undefined
  return (next) => async (request) => {
    const { asked, denial } = await beforeTool(before, request)
    const outcome = denial === undefined ? await next(asked) : await deniedOutcome(asked, denial)
    return afterTool(after, asked, outcome)
  }
}

async function beforeTool<Env>(
  hooks: readonly HookOf<'beforeTool'>[],
  request: ToolRequest<Env>,
): Promise<{ readonly asked: ToolRequest<Env>; readonly denial?: string }> {
  let asked = request
  for (const hook of hooks) {
    const now = asked
    const changes = await changesOf(hook, { ...told(now), decode: () => now.decode() })
    if (changes?.deny !== undefined) return { asked, denial: changes.deny }
    if (changes?.arguments !== undefined) asked = asked.withArguments(changes.arguments)
  }
  return { asked }
}

async function afterTool(
  hooks: readonly HookOf<'afterTool'>[],
  asked: ToolRequest,
  outcome: ToolOutcome,
): Promise<ToolOutcome> {
  let changed = outcome
  for (const hook of hooks) {
    // What waits has not ended.
    if (changed.status === 'suspended') return changed
    const { result, fail } = (await changesOf(hook, { ...told(asked), outcome: toldOutcome(changed) })) ?? {}
    if (result !== undefined && fail !== undefined) {
      throw new TypeError(`hook '${hook.name}' (afterTool) changed result and fail: return one of both`)
    }
    if (result === undefined && fail === undefined) continue
    const other = result === undefined ? await asked.fail(fail) : await asked.complete(result)
    changed = changed.stop === undefined ? other : { ...other, stop: changed.stop }
  }
  return changed
}

function told<Env>({
  env,
  meta,
  tool,
  call,
  arguments: sent,
}: ToolRequest<Env>): Pick<ToolRequest<Env>, 'env' | 'meta' | 'tool' | 'call' | 'arguments'> {
  return { env, meta, tool, call, arguments: sent }
}

/** The hooks around questions to a model, with the steps that they belong to. */
interface ModelHooks {
  readonly hooks: readonly InstalledHook[]
  readonly frames: StepFrames
}

/** Whether hooks are to be told of what a model is asked. */
export function hasModelHooks(hooks: readonly InstalledHook[]): boolean {
  return hooks.some(({ phase }) => phase === 'beforeModel' || phase === 'afterModel')
}

/** A driver with the hooks around each of its answers. */
export function hookedDriver(driver: ModelDriver, around: ModelHooks): ModelDriver {
  const ask = hooked(around, { ask: (request) => driver.ask(request), said: modelSaid, reworded: rewordedAnswer })
  return { name: driver.name, ask }
}

/** A planner with the hooks around each of its decisions. */
export function hookedPlanner(planner: Planner, around: ModelHooks): Planner {
  const ask = async (request: Parameters<Planner>[0]) => requireDecision(await planner(request))
  return hooked(around, { ask, said: decisionSaid, reworded: rewordedDecision })
}

type Asked = Omit<BeforeModelContext, 'turn'>

/** Somebody who is asked: a model, or a planner in its place. */
interface Oracle<Request extends Asked, Answer> {
  readonly ask: (request: Request) => Promise<Answer>
  readonly said: (answer: Answer) => Omit<AfterModelContext, 'meta' | 'turn' | 'messages'>
  /** The answer in other words. */
  readonly reworded: (answer: Answer, text: string) => Answer
}

function hooked<Request extends Asked, Answer>(
  { hooks, frames }: ModelHooks,
  { ask, said, reworded }: Oracle<Request, Answer>,
): (request: Request) => Promise<Answer> {
  const before = hooksOf(hooks, 'beforeModel')
  const after = hooksOf(hooks, 'afterModel')
  return async (request) => {
    const { meta } = request
    const { env, turn, stops } = frames.of(meta)
    let asked = request
    for (const hook of before) {
      const { messages, tools, runStart, fields } = (await changesOf(hook, { ...asked, env, turn })) ?? {}
      asked = {
        ...asked,
        ...(messages !== undefined && { messages: Object.freeze([...messages]) }),
        ...(tools !== undefined && { tools: Object.freeze([...tools]) }),
        ...(runStart !== undefined && { runStart }),
        ...(fields !== undefined && { fields }),
      }
    }
    let answer: Answer = await ask(asked)
    for (const hook of after) {
      const heard = { ...said(answer), env, meta, turn, messages: asked.messages }
      const { text, stop } = (await changesOf(hook, heard)) ?? {}
      if (text !== undefined) answer = reworded(answer, text)
      if (stop !== undefined) stops.push(stopBy(hook, stop))
    }
    return answer
  }
}

/** Of a message with its calls: `tool_calls[0].function`. */
const MESSAGE_DEPTH = 4

/** What an answer says. */
type Said = Omit<AfterModelContext, 'meta' | 'turn' | 'messages'>

/** What a model said, as hooks are told: copies. */
export function modelSaid({ message, calls, output, finishReason, usage }: ModelResponse): Said {
  return {
    text: output ?? messageText(message),
    calls: frozenCopy(calls, 2),
    message: frozenCopy(message, MESSAGE_DEPTH),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage: frozenCopy(usage, 1) }),
  }
}

/** The answer of a model with other words; its calls stay. */
export function rewordedAnswer(given: ModelResponse, text: string): ModelResponse {
  const message = { ...given.message, content: text }
  return { ...given, message, ...(given.output !== undefined && { output: text }) }
}

export function decisionSaid(decision: Decision): Said {
  const { message, finishReason, usage } = decision
  return {
    text: (decision.kind === 'question' ? decision.question : decision.text) ?? '',
    calls: decision.kind === 'calls' ? frozenCopy(decision.calls, 2) : [],
    ...(message !== undefined && { message: frozenCopy(message, MESSAGE_DEPTH) }),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage: frozenCopy(usage, 1) }),
  }
}

/** The decision of a planner with other words; its calls and its value stay. */
export function rewordedDecision(decision: Decision, text: string): Decision {
  const { message } = decision
  const reworded = message === undefined ? {} : { message: { ...message, content: text } }
  return decision.kind === 'question'
    ? { ...decision, ...reworded, question: text }
    : { ...decision, ...reworded, text }
}
