import { isConversation } from '../chat/messages.js'
import { isFields } from '../schema/json-values.js'
import type { StopSignal } from '../types/errors.js'
import type { Hook, HookChanges, HookContext, HookPhase } from '../types/hook.js'
import type { StepLayer } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { RunMeta } from '../types/planner.js'
import type { AgentRun, StepResult } from '../types/run.js'

/** What hooks of a priority are for. */
export type HookPriority = 'guard' | 'context' | 'default' | 'persistence' | 'postProcessing' | 'deferred' | 'last'

/**
 * The priorities of hooks by what they are for. Any other number is allowed: 200 and more are guards.
 *
 * @example
 * useHook('afterStep', save, { priority: hookPriority.persistence })
 */
export const hookPriority: Readonly<Record<HookPriority, number>> = Object.freeze({
  /** Refuses what may not be. */
  guard: 200,
  /** Adds what the model should know. */
  context: 100,
  default: 0,
  /** Writes down what happened. */
  persistence: -50,
  /** Works on what was written down. */
  postProcessing: -100,
  /** What can wait for all others. */
  deferred: -200,
  /** And what waits for that too. */
  last: -210,
})

/** What a change should have been; `undefined` where it is that. */
type Check = (change: unknown, context: object) => string | undefined

const anything: Check = () => undefined
const text: Check = (change) => (typeof change === 'string' ? undefined : 'a text')
const fields: Check = (change) => (isFields(change) ? undefined : 'an object')
const messages: Check = (change) => (isConversation(change) ? undefined : 'a list of chat messages')
const runStart: Check = (change) =>
  typeof change === 'number' && Number.isInteger(change) && change >= 0 ? undefined : 'a number of messages'
const selection: Check = (change, context) => {
  const offered: unknown = 'tools' in context ? context.tools : undefined
  if (Array.isArray(change) && Array.isArray(offered) && change.every((tool) => offered.includes(tool)))
    return undefined
  return 'a selection of the tools that it was told'
}
const runResult: Check = (change) => {
  if (isFields(change)) {
    const { text: words, value } = change
    const isText = words === undefined || typeof words === 'string'
    if (isText && (value === undefined ? words !== undefined : JSON.stringify(value) !== undefined)) return undefined
  }
  return 'a result with a `text`, a `value` that JSON can say, or both'
}

/** The fields that hooks of a phase may change, in the order in which the phases come. */
const CHANGEABLE: Readonly<Record<HookPhase, Readonly<Record<string, Check>>>> = {
  beforeRun: { messages, fields },
  beforeStep: { messages, tools: selection, fields, stop: text },
  beforeModel: { messages, tools: selection, runStart, fields },
  afterModel: { text, stop: text },
  beforeTool: { arguments: text, deny: text },
  afterTool: { result: anything, fail: anything },
  afterStep: { messages, stop: text },
  afterRun: { result: runResult },
  onStop: {},
  onError: {},
}

/**
 * What a hook changes; `undefined` where it changes nothing.
 *
 * @throws what the hook throws, and {@link TypeError} for a change that its phase does not allow.
 */
export async function changesOf<Name extends HookPhase>(
  hook: HookOf<Name>,
  context: HookContext<Name, any>,
): Promise<HookChanges<Name> | undefined> {
  freeze(context)
  const changes = (await hook.run(context)) ?? undefined
  if (changes === undefined) return undefined
  const fault = faultOf(hook.phase, changes, context)
  if (fault === undefined) return changes
  throw new TypeError(`hook '${hook.name}' (${hook.phase}) ${fault}`)
}

/** Tells hooks that only watch, one after the other; what they throw is dropped. */
export async function tell<Name extends 'onStop' | 'onError'>(
  hooks: readonly HookOf<Name>[],
  context: HookContext<Name, any>,
): Promise<void> {
  freeze(context)
  for (const hook of hooks) {
    try {
      await hook.run(context)
    } catch {
      // Documented: who watches harms nobody.
    }
  }
}

/** Freezes a context with its lists; those that others hold are copied. */
function freeze(context: object): void {
  for (const [name, part] of Object.entries(context)) {
    if (Array.isArray(part) && !Object.isFrozen(part)) Object.assign(context, { [name]: Object.freeze([...part]) })
  }
  Object.freeze(context)
}

function faultOf(phase: HookPhase, changes: unknown, context: object): string | undefined {
  const checks = CHANGEABLE[phase]
  const may = `it may change ${Object.keys(checks).join(', ')}`
  if (!isFields(changes)) return `returned no fields: ${may}, or return nothing`
  for (const [name, change] of Object.entries(changes)) {
    if (change === undefined) continue
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check === undefined) return `changed '${name}': ${may}`
    const expected = check(change, context)
    if (expected !== undefined) return `changed '${name}' to something else than ${expected}`
  }
  return undefined
}

/** How a hook is installed. */
export interface HookOptions {
  /** Names it in errors, in stops, and in `agent.hooks`. Default: the name of the function, else of the phase. */
  readonly name?: string
  /** Hooks of a phase run by falling priority, equal ones as they were installed; see {@link hookPriority}. Default 0. */
  readonly priority?: number
}

/** A hook as a built agent shows it. */
export interface HookInfo {
  readonly phase: HookPhase
  readonly name: string
  readonly priority: number
}

/** A hook of one phase. `any`: the env that it needs is checked by the types of who installs it. */
export interface HookOf<Name extends HookPhase> extends HookInfo {
  readonly phase: Name
  /** A method, so that hooks of all phases may stand in one list. */
  run(context: HookContext<Name, any>): ReturnType<Hook<Name, any>>
}

/** A hook of any phase. */
export type InstalledHook = HookOf<HookPhase>

/** @throws {TypeError} for an unknown phase, a hook that is no function, a priority that is no number. */
export function installedHook<Name extends HookPhase>(
  phase: Name,
  hook: Hook<Name, any>,
  { name, priority = 0 }: HookOptions = {},
): HookOf<Name> {
  if (!Object.hasOwn(CHANGEABLE, phase)) {
    throw new TypeError(`useHook: there is no phase '${String(phase)}': give ${Object.keys(CHANGEABLE).join(', ')}`)
  }
  if (typeof hook !== 'function') throw new TypeError(`useHook('${phase}'): the hook is no function`)
  if (!Number.isFinite(priority)) {
    throw new TypeError(`useHook('${phase}'): the priority is ${String(priority)}, give a number`)
  }
  return Object.freeze({ phase, name: name ?? (hook.name === '' ? phase : hook.name), priority, run: hook })
}

/** The hooks of a phase, the first to run first. */
export function hooksOf<Name extends HookPhase>(hooks: readonly InstalledHook[], phase: Name): readonly HookOf<Name>[] {
  const isOfPhase = (hook: InstalledHook): hook is HookOf<Name> => hook.phase === phase
  return hooks.filter(isOfPhase).sort((a, b) => b.priority - a.priority)
}

/** All hooks by phase, in the order in which they run. */
export function hookInfos(hooks: readonly InstalledHook[]): readonly HookInfo[] {
  const phases = Object.keys(CHANGEABLE)
  const inOrder = [...hooks].sort(
    (a, b) => phases.indexOf(a.phase) - phases.indexOf(b.phase) || b.priority - a.priority,
  )
  return Object.freeze(inOrder.map(({ phase, name, priority }) => Object.freeze({ phase, name, priority })))
}

/** What the hooks around a question to the model know of its step. */
interface StepFrame {
  readonly env: unknown
  readonly turn: number
  /** Reasons to end the run that they add. */
  readonly stops: StopSignal[]
}

/** The steps under way by the meta of their runs: neither planners nor drivers are told the env. */
export class StepFrames {
  readonly #frames = new WeakMap<RunMeta, StepFrame>()

  /** Opens the frame of a step; innermost, since outer layers may change what it is asked with. */
  readonly layer: StepLayer = (next) => async (request) => {
    const { env, meta, turn } = request
    const frame: StepFrame = { env, turn, stops: [] }
    this.#frames.set(meta, frame)
    const result = await next(request)
    return frame.stops.length === 0 ? result : { ...result, stops: [...frame.stops, ...(result.stops ?? [])] }
  }

  /** @throws {TypeError} where the question belongs to no step. */
  of(meta: RunMeta): StepFrame {
    const frame = this.#frames.get(meta)
    if (frame !== undefined) return frame
    throw new TypeError('a model with hooks was asked outside of a step: pass the `meta` of the run on as it is')
  }
}

// What hooks are told is copied and frozen as deep as it belongs to the run, so that only what a hook returns changes
// anything. The declared value of a result is its tool's own, and the messages are those of the conversation.

const copies = new WeakMap<ToolOutcome, ToolOutcome>()

export function toldOutcome(outcome: ToolOutcome): ToolOutcome {
  const known = copies.get(outcome)
  if (known !== undefined) return known
  const copy = frozenCopy(outcome, 2)
  copies.set(outcome, copy)
  return copy
}

export function toldOutcomes(outcomes: readonly ToolOutcome[]): readonly ToolOutcome[] {
  return Object.freeze(outcomes.map(toldOutcome))
}

export function toldStep(result: StepResult): StepResult {
  return Object.freeze({ ...frozenCopy(result, 2), outcomes: toldOutcomes(result.outcomes) })
}

export function toldRun(run: AgentRun): AgentRun {
  return Object.freeze({ ...frozenCopy(run, 2), outcomes: toldOutcomes(run.outcomes) })
}

/** A copy of what is a list or a plain object, with what is in it down to a depth; of anything else the value itself. */
export function frozenCopy<Value>(value: Value, depth: number): Value {
  return copied(value, depth)
}

// `any`: a copy has the type of what it is a copy of.
function copied(value: any, depth: number): any {
  if (depth === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map((item) => copied(item, depth - 1)))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const fields = Object.entries(Object.getOwnPropertyDescriptors(value)).map(([name, field]) => {
    // What is not enumerable stays so: the cause of an error.
    const isOwn = 'value' in field && field.enumerable === true
    return [name, isOwn ? { ...field, value: copied(field.value, depth - 1) } : field] as const
  })
  return Object.freeze(Object.defineProperties({}, Object.fromEntries(fields)))
}
