import { isConversation } from '../chat/messages.js'
import { isFields } from '../schema/json-values.js'
import type { Hook, HookChanges, HookContext, HookPhase } from '../types/hook.js'

/**
 * Priorities of hooks by purpose. Any other number is allowed: 200 and more are guards.
 *
 * @example
 * useHook('afterStep', save, { priority: hookPriority.persistence })
 */
export const hookPriority: Readonly<
  Record<'guard' | 'context' | 'default' | 'persistence' | 'postProcessing' | 'deferred' | 'last', number>
> = Object.freeze({
  /** Refuses calls and steps. */
  guard: 200,
  /** Adds information for the model. */
  context: 100,
  default: 0,
  /** Stores what happened. */
  persistence: -50,
  /** Works on what was stored. */
  postProcessing: -100,
  /** Can wait for all others. */
  deferred: -200,
  /** Waits even for deferred hooks. */
  last: -210,
})

/** Returns a description of the value that was expected, or `undefined` for a valid change. */
type Check = (change: unknown, context: object) => string | undefined

const anything: Check = () => undefined

export const text: Check = (change) => (typeof change === 'string' ? undefined : 'a text')

export const fields: Check = (change) => (isFields(change) ? undefined : 'an object')

export const messages: Check = (change) => (isConversation(change) ? undefined : 'a list of chat messages')

export const runStart: Check = (change) =>
  Number.isInteger(change) && Number(change) >= 0 ? undefined : 'a number of messages'

const selection: Check = (change, context) => {
  const offered: unknown = 'tools' in context ? context.tools : undefined
  const isSelection = Array.isArray(change) && Array.isArray(offered) && change.every((tool) => offered.includes(tool))
  return isSelection ? undefined : 'a selection of the tools that it was told'
}

const runResult: Check = (change) => {
  if (isFields(change)) {
    const { text: words, value } = change
    const isText = words === undefined || typeof words === 'string'
    if (isText && (value === undefined ? words !== undefined : JSON.stringify(value) !== undefined)) return undefined
  }
  return 'a result with a `text`, a `value` that JSON can say, or both'
}

/** Fields that hooks of a phase can change, in the order of the phases. */
export const CHANGEABLE: Readonly<Record<HookPhase, Readonly<Record<string, Check>>>> = {
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

/** Options of `useHook`. */
export interface HookOptions {
  /** Name in errors, in stops, and in `agent.hooks`. Default: the name of the function, else of the phase. */
  readonly name?: string
  /** Hooks of a phase run by falling priority, equal ones as they were installed; see {@link hookPriority}. Default 0. */
  readonly priority?: number
}

/** A hook of a built agent. */
export interface HookInfo {
  readonly phase: HookPhase
  readonly name: string
  readonly priority: number
}

/** A hook of one phase. `any`: the types of `useHook` check the env that it needs. */
export interface HookOf<Name extends HookPhase> extends HookInfo {
  readonly phase: Name
  /** A method, so that hooks of all phases fit in one array. */
  run(context: HookContext<Name, any>): ReturnType<Hook<Name, any>>
}

/** A hook of any phase. */
export type InstalledHook = HookOf<HookPhase>

/** @throws {TypeError} for an unknown phase, a hook that is no function, a priority that is no number. */
export function installedHook<Name extends HookPhase>(
  phase: Name,
  hook: Hook<Name, any>,
  { name, priority = 0 }: HookOptions,
): InstalledHook {
  if (!Object.hasOwn(CHANGEABLE, phase)) {
    throw new TypeError(`useHook: there is no phase '${String(phase)}': give ${Object.keys(CHANGEABLE).join(', ')}`)
  }
  if (typeof hook !== 'function') throw new TypeError(`useHook('${phase}'): the hook is no function`)
  if (!Number.isFinite(priority)) {
    throw new TypeError(`useHook('${phase}'): the priority is ${String(priority)}, give a number`)
  }
  const installed: HookOf<Name> = { phase, name: name ?? (hook.name === '' ? phase : hook.name), priority, run: hook }
  return Object.freeze(installed)
}

/**
 * Runs a hook and returns its changes; `undefined` for none.
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
  const problem = invalidChange(hook.phase, changes, context)
  if (problem === undefined) return changes
  throw new TypeError(`hook '${hook.name}' (${hook.phase}) ${problem}`)
}

function invalidChange(phase: HookPhase, changes: unknown, context: object): string | undefined {
  const checks = CHANGEABLE[phase]
  const allowed = `it may change ${Object.keys(checks).join(', ')}`
  if (!isFields(changes)) return `returned no fields: ${allowed}, or return nothing`
  for (const [name, change] of Object.entries(changes)) {
    if (change === undefined) continue
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check === undefined) return `changed '${name}': ${allowed}`
    const expected = check(change, context)
    if (expected !== undefined) return `changed '${name}' to something else than ${expected}`
  }
  return undefined
}

/** Freezes a context with its arrays; arrays that are not frozen are copied first. */
export function freeze(context: object): void {
  for (const [name, part] of Object.entries(context)) {
    if (Array.isArray(part) && !Object.isFrozen(part)) Object.assign(context, { [name]: Object.freeze([...part]) })
  }
  Object.freeze(context)
}
