import { isFields } from '../codec/json/kind.js'
import type { HookChanges, HookContext, HookPhase } from '../contract/hook.js'
import { CHANGEABLE } from './changeable.js'
import type { HookOf } from './installed-hook.js'

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
