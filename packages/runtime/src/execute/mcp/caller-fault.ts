import type { BindingFault } from '../binding/binding-error.js'
import { peek } from '../failure/peek.js'

/** What a caller cannot do without. */
const METHODS = ['callTool', 'listTools'] as const

/** What keeps something from being the caller of a toolset, or what gives it; `undefined` where nothing does. */
export function callerFault(toolset: string, caller: unknown): BindingFault | undefined {
  if (typeof caller === 'function') return undefined
  const lacking = lackingMethods(caller)
  if (lacking.length === 0) return undefined
  const message = `the caller of toolset '${toolset}' is none (it lacks ${lacking.join(' and ')}): give a caller, such as stdioCaller({ command }), or a function that gives one`
  return { kind: 'invalid_caller', toolset, message }
}

/** The methods that something lacks to be a caller. */
export function lackingMethods(caller: unknown): readonly string[] {
  return METHODS.filter((method) => typeof peek(caller, method) !== 'function')
}
