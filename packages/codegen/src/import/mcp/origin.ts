import { isObject, own } from '../../schema/json/json.js'
import type { Json } from '../../schema/json/json-schema.js'

/**
 * Where a server is: what starts it, or its address. `${NAME}` in it stands for a variable of the environment, so that no
 * secret is written down.
 */
export type McpOrigin = { readonly command: readonly string[] } | { readonly url: string }

/** What stands for a variable of the environment. */
export const reference: RegExp = /\$\{(\w+)\}/g

/** Reads where a server is from a snapshot; `undefined` where it does not say so. */
export function readOrigin(recorded: Json | undefined): McpOrigin | undefined {
  if (!isObject(recorded)) return undefined
  const [url, command] = [own(recorded, 'url'), own(recorded, 'command')]
  if (typeof url === 'string') return { url }
  if (!Array.isArray(command) || command.length === 0) return undefined
  const words = command.filter((word) => typeof word === 'string')
  return words.length === command.length ? { command: words } : undefined
}

/** Where a server is, in words for people. */
export function shownOrigin(origin: McpOrigin): string {
  return `\`${'url' in origin ? origin.url : origin.command.join(' ')}\``
}

/** An origin whose variables are filled in. */
export interface FilledOrigin {
  readonly origin: McpOrigin
  /** A text with what was filled in taken out again: messages may quote it. */
  hide(text: string): string
}

/** Fills in the variables of an origin, or names those that the environment does not have. */
export function fillOrigin(
  origin: McpOrigin,
  env: Readonly<Record<string, string | undefined>>,
): FilledOrigin | { readonly missing: readonly string[] } {
  const used = new Map<string, string>()
  const missing = new Set<string>()
  const fill = (text: string): string =>
    text.replace(reference, (written, name: string) => {
      const value = env[name]
      if (value === undefined) missing.add(name)
      else if (value !== '') used.set(written, value)
      return value ?? written
    })
  const filled = 'url' in origin ? { url: fill(origin.url) } : { command: origin.command.map(fill) }
  if (missing.size > 0) return { missing: [...missing] }
  const hide = (text: string): string =>
    [...used].reduce((shown, [written, value]) => shown.replaceAll(value, () => written), text)
  return { origin: filled, hide }
}
