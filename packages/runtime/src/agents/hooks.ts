import { LayerScope } from '../call/layer-scope.js'
import { deniedOutcome } from '../call/outcomes.js'
import type { ChatMessage } from '../types/chat.js'
import type { AfterModelContext, BeforeModelContext, HookContext, HookPhase } from '../types/hook.js'
import type { RunLayer, StepLayer, ToolLayer, ToolRequest } from '../types/layer.js'
import type { StopSignal, ToolOutcome } from '../types/outcome.js'
import type { Decision, ModelDriver, ModelResponse, Planner, RunMeta } from '../types/planner.js'
import type { AgentRun, StepResult } from '../types/run.js'
import { requireDecision } from './decision.js'
import type { HookInfo, HookOf, InstalledHook } from './installed-hook.js'
import { CHANGEABLE, changesOf, freeze } from './installed-hook.js'
import { namedDriver } from './message-compiler.js'
import { messageText } from './model-response.js'

export class AgentHooks {
  readonly #hooks: readonly InstalledHook[]
  readonly #hasModelHooks: boolean
  readonly #steps = new WeakMap<
    RunMeta,
    { readonly env: unknown; readonly turn: number; readonly stops: StopSignal[] }
  >()

  constructor(hooks: readonly InstalledHook[]) {
    this.#hooks = [...hooks].sort((a, b) => b.priority - a.priority)
    this.#hasModelHooks = hooks.some(({ phase }) => phase === 'beforeModel' || phase === 'afterModel')
  }

  get infos(): readonly HookInfo[] {
    const phases = Object.keys(CHANGEABLE)
    const inOrder = [...this.#hooks].sort((a, b) => phases.indexOf(a.phase) - phases.indexOf(b.phase))
    return Object.freeze(inOrder.map(({ phase, name, priority }) => Object.freeze({ phase, name, priority })))
  }

  scope(layers: readonly ((scope: LayerScope) => LayerScope)[]): LayerScope {
    const empty = new LayerScope()
    // This layer must be the innermost, because other layers may change the request of a step.
    const inner = this.#hasModelHooks ? empty.stepLayer(this.#trackStep) : empty
    const layered = layers.reduce((scope, add) => add(scope), inner)
    const [tool, step, run] = [this.#toolLayer(), this.#stepLayer(), this.#runLayer()]
    const withTool = tool === undefined ? layered : layered.layer(tool)
    const withStep = step === undefined ? withTool : withTool.stepLayer(step)
    return run === undefined ? withStep : withStep.runLayer(run)
  }

  driver(driver: ModelDriver): ModelDriver {
    if (!this.#hasModelHooks) return driver
    return namedDriver(
      driver,
      this.#aroundModel((request) => driver.ask(request), modelOutput, withModelText),
    )
  }

  /** Must be called before the model request with the metadata `derived`, because the model hooks look up the step by the metadata. */
  derive(meta: RunMeta, derived: RunMeta): void {
    const step = this.#steps.get(meta)
    if (step !== undefined) this.#steps.set(derived, step)
  }

  planner(planner: Planner): Planner {
    if (!this.#hasModelHooks) return planner
    const decide = async (request: Parameters<Planner>[0]) => requireDecision(await planner(request))
    return this.#aroundModel(decide, decisionOutput, withDecisionText)
  }

  #of<Name extends HookPhase>(phase: Name): readonly HookOf<Name>[] {
    return this.#hooks.filter((hook): hook is HookOf<Name> => hook.phase === phase)
  }

  // `any` in layers: the types of `useHook` check the `env` of hooks.
  #runLayer(): RunLayer<any> | undefined {
    const before = this.#of('beforeRun')
    const after = this.#of('afterRun')
    const onStop = this.#of('onStop')
    const onError = this.#of('onError')
    if (before.length + after.length + onStop.length + onError.length === 0) return undefined
    return (next) => async (request) => {
      const { env, meta } = request
      try {
        let changed = request
        for (const hook of request.isResumed === true ? [] : before) {
          const { messages, policy, fields } = changed
          const context = { env, meta, messages, policy, ...(fields !== undefined && { fields }) }
          const changes = await changesOf(hook, context)
          changed = merge(changed, { messages: changes?.messages, fields: changes?.fields })
        }
        let run = await next(changed)
        for (const hook of after) {
          const { result } = (await changesOf(hook, { env, meta, run: copyWithOutcomes(run) })) ?? {}
          if (result !== undefined && run.result !== undefined) run = { ...run, result: Object.freeze({ ...result }) }
        }
        if (run.status === 'failed') await notify(onError, { env, meta, error: run.error?.cause ?? run.error })
        if (run.status === 'stopped' || run.status === 'cancelled')
          await notify(onStop, { env, meta, run: copyWithOutcomes(run) })
        return run
      } catch (error) {
        await notify(onError, { env, meta, error })
        throw error
      }
    }
  }

  #stepLayer(): StepLayer<any> | undefined {
    const before = this.#of('beforeStep')
    const after = this.#of('afterStep')
    if (before.length + after.length === 0) return undefined
    return (next) => async (request) => {
      const { env, meta, turn } = request
      let changed = request
      const stops: StopSignal[] = []
      for (const hook of request.isResumed === true ? [] : before) {
        const context = { ...changed, outcomes: outcomeCopies(changed.outcomes) }
        const { messages, tools, fields, stop } = (await changesOf(hook, context)) ?? {}
        changed = merge(changed, { messages, tools, fields })
        if (stop !== undefined) stops.push(stopBy(hook, stop))
      }
      let result = stops.length === 0 ? await next(changed) : withStops(skippedStep(changed.messages), stops)
      // A step with suspended calls ends only after its run is resumed.
      if (result.kind === 'done' && result.suspension !== undefined && result.suspension.calls.length > 0) return result
      const endStops: StopSignal[] = []
      for (const hook of after) {
        const { messages, stop } = (await changesOf(hook, { env, meta, turn, result: copyWithOutcomes(result) })) ?? {}
        result = merge(result, { messages })
        if (stop !== undefined) endStops.push(stopBy(hook, stop))
      }
      return withStops(result, endStops)
    }
  }

  #toolLayer(): ToolLayer<any> | undefined {
    const before = this.#of('beforeTool')
    const after = this.#of('afterTool')
    if (before.length + after.length === 0) return undefined
    return (next) => async (request) => {
      let changed = request
      let denial: string | undefined
      for (const hook of before) {
        const current = changed
        const changes = await changesOf(hook, { ...toolContext(current), decode: () => current.decode() })
        denial = changes?.deny
        if (denial !== undefined) break
        if (changes?.arguments !== undefined) changed = changed.withArguments(changes.arguments)
      }
      let outcome = denial === undefined ? await next(changed) : await deniedOutcome(changed, denial)
      for (const hook of after) {
        if (outcome.status === 'suspended') return outcome
        const context = { ...toolContext(changed), outcome: outcomeCopy(outcome) }
        const { result, fail } = (await changesOf(hook, context)) ?? {}
        if (result !== undefined && fail !== undefined) {
          throw new TypeError(`Hook '${hook.name}' (afterTool) must not return both \`result\` and \`fail\`.`)
        }
        if (result === undefined && fail === undefined) continue
        const other = result === undefined ? await changed.fail(fail) : await changed.complete(result)
        outcome = outcome.stop === undefined ? other : { ...other, stop: outcome.stop }
      }
      return outcome
    }
  }

  readonly #trackStep: StepLayer = (next) => async (request) => {
    const { env, meta, turn } = request
    const stops: StopSignal[] = []
    this.#steps.set(meta, { env, turn, stops })
    return withStops(await next(request), stops)
  }

  #aroundModel<Request extends Omit<BeforeModelContext, 'turn'>, Response>(
    send: (request: Request) => Promise<Response>,
    output: (response: Response) => ModelOutput,
    withText: (response: Response, text: string) => Response,
  ): (request: Request) => Promise<Response> {
    const before = this.#of('beforeModel')
    const after = this.#of('afterModel')
    return async (request) => {
      const { meta } = request
      const step = this.#steps.get(meta)
      if (step === undefined) {
        throw new TypeError(
          'A model with hooks was called outside of a step. Pass the `meta` of the run to the driver unchanged.',
        )
      }
      const { env, turn, stops } = step
      // A hook can change the response, so nobody may see the original one.
      let changed = after.length === 0 ? request : withoutDeltas(request)
      for (const hook of before) {
        const { messages, tools, runStart, fields } = (await changesOf(hook, { ...changed, env, turn })) ?? {}
        changed = merge(changed, { messages, tools, runStart, fields })
      }
      let response: Response = await send(changed)
      for (const hook of after) {
        const context = { ...output(response), env, meta, turn, messages: changed.messages }
        const { text, stop } = (await changesOf(hook, context)) ?? {}
        if (text !== undefined) response = withText(response, text)
        if (stop !== undefined) stops.push(stopBy(hook, stop))
      }
      return response
    }
  }
}

async function notify<Name extends 'onStop' | 'onError'>(
  hooks: readonly HookOf<Name>[],
  context: HookContext<Name, any>,
): Promise<void> {
  freeze(context)
  for (const hook of hooks) {
    try {
      await hook.run(context)
    } catch {}
  }
}

function merge<Value extends object>(
  value: Value,
  changes: { readonly [Name in keyof BeforeModelContext]?: BeforeModelContext[Name] | undefined },
): Value {
  const copy = { ...value }
  for (const [name, change] of Object.entries(changes)) {
    if (change !== undefined) {
      Object.assign(copy, { [name]: Array.isArray(change) ? Object.freeze([...change]) : change })
    }
  }
  return copy
}

function stopBy({ name }: HookInfo, message: string): StopSignal {
  return Object.freeze({ reason: 'stopped', by: name, message })
}

function withStops(result: StepResult, stops: readonly StopSignal[]): StepResult {
  return stops.length === 0 ? result : { ...result, stops: [...stops, ...(result.stops ?? [])] }
}

function skippedStep(messages: readonly ChatMessage[]): StepResult {
  const usage = Object.freeze({ promptTokens: 0, completionTokens: 0, toolCalls: 0 })
  return { kind: 'next', messages, outcomes: [], usage, refused: 0 }
}

function toolContext(request: ToolRequest<any>): Pick<ToolRequest, 'env' | 'meta' | 'tool' | 'call' | 'arguments'> {
  const { env, meta, tool, call, arguments: json } = request
  return { env, meta, tool, call, arguments: json }
}

type ModelOutput = Omit<AfterModelContext, 'meta' | 'turn' | 'messages'>

export function modelOutput(response: ModelResponse): ModelOutput {
  const { message, calls, output } = response
  return { ...outputCopies(response), text: output ?? messageText(message), calls: frozenCopy(calls, 2) }
}

export function withModelText(response: ModelResponse, text: string): ModelResponse {
  const message = { ...response.message, content: text }
  return { ...response, message, ...(response.output !== undefined && { output: text }) }
}

export function decisionOutput(decision: Decision): ModelOutput {
  const words = decision.kind === 'question' ? decision.question : decision.kind === 'stop' ? '' : decision.text
  const calls = decision.kind === 'calls' ? frozenCopy(decision.calls, 2) : []
  return { ...outputCopies(decision), text: words ?? '', calls }
}

export function withDecisionText(decision: Decision, text: string): Decision {
  if (decision.kind === 'stop') return decision
  const message = decision.message !== undefined && { message: { ...decision.message, content: text } }
  return decision.kind === 'question' ? { ...decision, ...message, question: text } : { ...decision, ...message, text }
}

function outputCopies({ message, finishReason, usage }: Pick<Decision, 'message' | 'finishReason' | 'usage'>) {
  return {
    // The copy is deep enough for `tool_calls[0].function`.
    ...(message !== undefined && { message: frozenCopy(message, 4) }),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage: frozenCopy(usage, 1) }),
  }
}

// The next functions copy outcomes for hooks, so that only returned changes have an effect. They do not copy `data`
// and messages.

const copies = new WeakMap<ToolOutcome, ToolOutcome>()

function outcomeCopy(outcome: ToolOutcome): ToolOutcome {
  const existing = copies.get(outcome)
  if (existing !== undefined) return existing
  const copy = frozenCopy(outcome, 2)
  copies.set(outcome, copy)
  return copy
}

function outcomeCopies(outcomes: readonly ToolOutcome[]): readonly ToolOutcome[] {
  return Object.freeze(outcomes.map(outcomeCopy))
}

function copyWithOutcomes<Result extends AgentRun | StepResult>(result: Result): Result {
  return Object.freeze({ ...frozenCopy(result, 2), outcomes: outcomeCopies(result.outcomes) })
}

function frozenCopy<Value>(value: Value, depth: number): Value
// `any`: a copy has the type of the original.
function frozenCopy(value: any, depth: number): any {
  if (depth === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map((item) => frozenCopy(item, depth - 1)))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const fields = Object.entries(Object.getOwnPropertyDescriptors(value)).map(([name, field]) => {
    // Keeps getters and hidden properties, such as the cause of an error.
    const isOwn = 'value' in field && field.enumerable === true
    return [name, isOwn ? { ...field, value: frozenCopy(field.value, depth - 1) } : field] as const
  })
  return Object.freeze(Object.defineProperties({}, Object.fromEntries(fields)))
}

function withoutDeltas<Request extends object>(request: Request & { readonly onDelta?: unknown }): Request {
  const { onDelta: _, ...others } = request
  // Only the optional property is missing.
  return others as unknown as Request
}
