import { parsePointer } from '@toolgen/runtime/schema'
import { cachedBy } from '../defined.js'
import { byCodePoint } from '../text.js'
import { isObject, type Json, own, type Schema, type SchemaObject } from './json-schema.js'

export interface Dialect {
  /** True if the document has `$schema`. The rules of this draft then apply strictly: for example, `nullable` of OpenAPI has no effect. */
  readonly declared: boolean
  /** True if `$ref` disables other keywords in the same schema, as in drafts 04 to 07. */
  readonly loneRef: boolean
  /** The URI of a schema is in `id` in draft 04, and in `$id` in later drafts. */
  readonly address: '$id' | 'id'
}

const drafts: RegExp = /^https?:\/\/json-schema\.org\/(?:draft\/(2020-12|2019-09)|draft-0([467]))\/schema#?$/
const openApi: RegExp = /^https:\/\/spec\.openapis\.org\/oas\/3\.1\/dialect\/[\w-]+$/

export function isKnownDialect(name: Json): boolean {
  return typeof name === 'string' && (drafts.test(name) || openApi.test(name))
}

export function dialectOf(document: Schema): Dialect {
  const name = isObject(document) ? own(document, '$schema') : undefined
  const [, , old] = drafts.exec(typeof name === 'string' ? name : '') ?? []
  return { declared: typeof name === 'string', loneRef: old !== undefined, address: old === '4' ? 'id' : '$id' }
}

export function definitionName(text: string): string {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}

export function unusedName(wanted: string, isFree: (name: string) => boolean): string {
  if (isFree(wanted)) return wanted
  let number = 2
  while (!isFree(`${wanted}${number}`)) number += 1
  return `${wanted}${number}`
}

export function definitionsUsed(schema: Schema, defs: Readonly<Record<string, Schema>>): readonly string[] {
  const found = new Set<string>()
  // A loop instead of recursion, because chains of references can have any length.
  const pending: Schema[] = [schema]
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    for (const name of isObject(part) ? referencesIn(part) : none) {
      if (!Object.hasOwn(defs, name) || found.has(name)) continue
      found.add(name)
      pending.push(defs[name] ?? true)
    }
  }
  return [...found].sort(byCodePoint)
}

const none: ReadonlySet<string> = new Set()

const referencesIn = cachedBy((schema: SchemaObject): ReadonlySet<string> => {
  const references = new Set<string>()
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isObject(value)) return
    const name = refName(value.$ref)
    if (name !== undefined) references.add(name)
    Object.values(value).forEach(visit)
  }
  visit(schema)
  return references
})

export function refTo(name: string): string {
  return `#/$defs/${name.replaceAll('%', '%25').replaceAll('~', '~0').replaceAll('/', '~1')}`
}

export function refName(ref: unknown): string | undefined {
  if (typeof ref !== 'string' || !ref.startsWith('#/$defs/')) return undefined
  // Fast path for names without escapes.
  if (!/[%~]|^#\/\$defs\/.*\//s.test(ref)) return ref.slice('#/$defs/'.length)
  const [, name, ...deeper] = parsePointer(decodeFragment(ref) ?? '') ?? []
  return deeper.length === 0 ? name : undefined
}

export function decodeFragment(ref: string): string | undefined {
  try {
    return decodeURIComponent(ref.slice(ref.indexOf('#') + 1))
  } catch {
    return undefined
  }
}

/** Such a name is safe as an object key and needs no escaping in a reference. */
export function isPlainName(name: string): boolean {
  return /^[\p{L}\p{N}_.-]+$/u.test(name) && name !== '__proto__'
}

/**
 * Prefers the name from the author, such as `Address` for `['$defs', 'Address']`. Otherwise uses a field name: for a name from Zod such as
 * `__schema0`, the last field on the path `from` of the reference, and for a schema outside of `$defs`, the last field on `target`.
 */
export function nameOfPointer(target: readonly string[], from: readonly string[], hint: string): string {
  const [first, last] = [target.at(-2), target.at(-1)]
  if (last === undefined) return hint
  if (!isMadeUp(target)) return isPlainName(last) ? last : definitionName(last) || hint
  const source = first === '$defs' ? from : target
  const field = source.filter((_, index) => source[index - 1] === 'properties').at(-1)
  return definitionName(field ?? '') || hint
}

/** Names such as `__schema0` are from Zod. */
export function isMadeUp(target: readonly string[]): boolean {
  return target.at(-2) !== '$defs' || /^__schema\d+$/.test(target.at(-1) ?? '')
}
