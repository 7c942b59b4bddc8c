import { isConversation } from '../chat/messages.js'
import { isFields } from '../schema/json-values.js'
import type { Hook, HookChanges, HookContext, HookPhase } from '../types/hook.js'

/**
 * Recommended priorities of hooks. Hooks with a higher priority run first. You can use any number. Use 200 or more for hooks that can
 * reject calls.
 *
 * @example
 * useHook('afterStep', save, { priority: hookPriority.persistence })
 */
export const hookPriority: Readonly<
  Record<'guard' | 'context' | 'default' | 'persistence' | 'postProcessing' | 'deferred' | 'last', number>
> = Object.freeze({
  /** Priority for hooks that reject calls or stop the run. */
  guard: 200,
  /** Priority for hooks that add information for the model. */
  context: 100,
  default: 0,
  /** Priority for hooks that store results. */
  persistence: -50,
  /** Priority for hooks that process stored results. */
  postProcessing: -100,
  /** Priority for hooks that must run after most other hooks. */
  deferred: -200,
  /** Priority for hooks that must run after the hooks with the priority `deferred`. */
  last: -210,
})

/** Returns a description of the expected value, or `undefined` for a valid value. */
type Check = (change: unknown, context: object) => string | undefined

const anything: Check = () => undefined

export const text: Check = (change) => (typeof change === 'string' ? undefined : 'a string')

export const fields: Check = (change) => (isFields(change) ? undefined : 'an object')

export const messages: Check = (change) => (isConversation(change) ? undefined : 'an array of chat messages')

export const runStart: Check = (change) =>
  Number.isInteger(change) && Number(change) >= 0 ? undefined : 'a number of messages'

const selection: Check = (change, context) => {
  const offered: unknown = 'tools' in context ? context.tools : undefined
  const isSelection = Array.isArray(change) && Array.isArray(offered) && change.every((tool) => offered.includes(tool))
  return isSelection ? undefined : 'an array with some of the tools in `context.tools`'
}

const runResult: Check = (change) => {
  if (isFields(change)) {
    const { text: words, value } = change
    const isText = words === undefined || typeof words === 'string'
    if (isText && (value === undefined ? words !== undefined : JSON.stringify(value) !== undefined)) return undefined
  }
  return 'an object with `text`, a `value` that JSON can represent, or both'
}

/** Hook phase → properties that a hook of this phase can change. The phases are in the order of a run. */
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

export interface HookOptions {
  /**
   * Name of the hook in errors, in stop signals and in `agent.hooks`. Default: the name of the function, or the phase for a function
   * without a name.
   */
  readonly name?: string
  /**
   * Priority of the hook. In each phase, hooks with a higher priority run first; see {@link hookPriority}. Hooks with equal priority run in
   * the order in which you add them. Default: 0.
   */
  readonly priority?: number
}

export interface HookInfo {
  readonly phase: HookPhase
  readonly name: string
  readonly priority: number
}

/** `any` replaces the type of `env`, because `useHook` has already checked this type. */
export interface HookOf<Name extends HookPhase> extends HookInfo {
  readonly phase: Name
  /** A method and not a function property, because TypeScript then accepts hooks of all phases in one array. */
  run(context: HookContext<Name, any>): ReturnType<Hook<Name, any>>
}

export type InstalledHook = HookOf<HookPhase>

export function installedHook<Name extends HookPhase>(
  phase: Name,
  hook: Hook<Name, any>,
  { name, priority = 0 }: HookOptions,
): InstalledHook {
  if (!Object.hasOwn(CHANGEABLE, phase)) {
    throw new TypeError(`useHook: unknown phase '${String(phase)}'. Expected ${Object.keys(CHANGEABLE).join(', ')}.`)
  }
  if (typeof hook !== 'function') throw new TypeError(`useHook('${phase}') expects a function.`)
  if (!Number.isFinite(priority)) {
    throw new TypeError(`useHook('${phase}'): priority is ${String(priority)}. Expected a number.`)
  }
  const installed: HookOf<Name> = { phase, name: name ?? (hook.name === '' ? phase : hook.name), priority, run: hook }
  return Object.freeze(installed)
}

export async function changesOf<Name extends HookPhase>(
  hook: HookOf<Name>,
  context: HookContext<Name, any>,
): Promise<HookChanges<Name> | undefined> {
  freeze(context)
  const changes = (await hook.run(context)) ?? undefined
  if (changes === undefined) return undefined
  const problem = invalidChange(hook.phase, changes, context)
  if (problem === undefined) return changes
  throw new TypeError(`Hook '${hook.name}' (${hook.phase}) ${problem}`)
}

function invalidChange(phase: HookPhase, changes: unknown, context: object): string | undefined {
  const checks = CHANGEABLE[phase]
  const names = Object.keys(checks).join(', ')
  const allowed = names === '' ? 'It cannot change anything' : `It can change ${names}`
  if (!isFields(changes)) return `must return an object or nothing. ${allowed}.`
  for (const [name, change] of Object.entries(changes)) {
    if (change === undefined) continue
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check === undefined) return `must not change '${name}'. ${allowed}.`
    const expected = check(change, context)
    if (expected !== undefined) return `returned an invalid '${name}'. Expected ${expected}.`
  }
  return undefined
}

export function freeze(context: object): void {
  for (const [name, part] of Object.entries(context)) {
    if (Array.isArray(part) && !Object.isFrozen(part)) Object.assign(context, { [name]: Object.freeze([...part]) })
  }
  Object.freeze(context)
}
