import type { Hook, HookContext, HookPhase } from '../contract/hook.js'
import { CHANGEABLE } from './changeable.js'

/** How a hook is installed. */
export interface HookOptions {
  /** Names it in errors, in stops, and in `agent.hooks`. Default: the name of the function, else of the phase. */
  readonly name?: string
  /** Hooks of a phase run by falling priority, equal ones as they were installed; see {@link hookBand}. Default 0. */
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
