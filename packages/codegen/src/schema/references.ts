import { parsePointer } from '@toolgen/runtime/schema'
import { byCodePoint } from '../text.js'
import { isObject, type Json, own, type Schema } from './json-schema.js'

/** Rules for reading a schema, by the dialect that `$schema` names. */
export interface Dialect {
  /** True if the schema names a dialect; one that does is taken by the letter. */
  readonly declared: boolean
  /** True if keywords next to a `$ref` have no effect: drafts 04 to 07. */
  readonly loneRef: boolean
  /** The keyword that gives a schema an address: `id` in draft 04. */
  readonly address: '$id' | 'id'
}

const drafts: RegExp = /^https?:\/\/json-schema\.org\/(?:draft\/(2020-12|2019-09)|draft-0([467]))\/schema#?$/
const openApi: RegExp = /^https:\/\/spec\.openapis\.org\/oas\/3\.1\/dialect\/[\w-]+$/

/** Returns whether a `$schema` names a dialect that is understood: drafts 04 to 2020-12, OpenAPI 3.1. */
export function isKnownDialect(name: Json): boolean {
  return typeof name === 'string' && (drafts.test(name) || openApi.test(name))
}

/** The dialect of a document; one that says nothing is read as 2020-12. */
export function dialectOf(document: Schema): Dialect {
  const name = isObject(document) ? own(document, '$schema') : undefined
  const [, , old] = drafts.exec(typeof name === 'string' ? name : '') ?? []
  return { declared: typeof name === 'string', loneRef: old !== undefined, address: old === '4' ? 'id' : '$id' }
}

/** A name for a definition that nobody named: the words of what it is for, e.g. `line_items` → `LineItems`. */
export function definitionName(text: string): string {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}

/** The name, or the first of `Name2`, `Name3` that is free. */
export function unusedName(wanted: string, isFree: (name: string) => boolean): string {
  if (isFree(wanted)) return wanted
  let number = 2
  while (!isFree(`${wanted}${number}`)) number += 1
  return `${wanted}${number}`
}

/** References by part of a schema: the same parts are read repeatedly. */
const known = new WeakMap<object, ReadonlySet<string>>()

/** The definitions that a schema needs, also through others, sorted. */
export function definitionsUsed(schema: Schema, defs: Readonly<Record<string, Schema>>): readonly string[] {
  const found = new Set<string>()
  // Not by recursion: definitions lead to each other in chains of any length.
  const pending: Schema[] = [schema]
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    for (const name of referencesIn(part)) {
      if (!Object.hasOwn(defs, name) || found.has(name)) continue
      found.add(name)
      pending.push(defs[name] ?? true)
    }
  }
  return [...found].sort(byCodePoint)
}

/** The names in the references of a schema. */
function referencesIn(schema: Schema): ReadonlySet<string> {
  if (!isObject(schema)) return none
  const references = known.get(schema) ?? readReferences(schema)
  known.set(schema, references)
  return references
}

const none: ReadonlySet<string> = new Set()

function readReferences(schema: Schema): ReadonlySet<string> {
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
}

/** Returns the reference to a definition. Names of normalized definitions need no escapes. */
export function refTo(name: string): string {
  return `#/$defs/${name}`
}

/** Returns the definition to which a normalized `$ref` points; `undefined` for any other value. */
export function refName(ref: unknown): string | undefined {
  if (typeof ref !== 'string' || !ref.startsWith('#/$defs/')) return undefined
  // Most names have nothing that is escaped.
  if (!/[%~]|^#\/\$defs\/.*\//s.test(ref)) return ref.slice('#/$defs/'.length)
  const [, name, ...deeper] = parsePointer(decodeFragment(ref) ?? '') ?? []
  return deeper.length === 0 ? name : undefined
}

/** Returns the percent-decoded fragment of a reference; `undefined` where it is malformed. */
export function decodeFragment(ref: string): string | undefined {
  try {
    return decodeURIComponent(ref.slice(ref.indexOf('#') + 1))
  } catch {
    return undefined
  }
}

/** Returns whether a name needs no escape in a reference, and is safe as a key. */
export function isPlainName(name: string): boolean {
  return /^[\p{L}\p{N}_.-]+$/u.test(name) && name !== '__proto__'
}

/** A definition keeps its name; another place is named after its last key, a made-up name after who refers to it. */
export function nameOfPointer(target: readonly string[], from: readonly string[], hint: string): string {
  const [first, last] = [target.at(-2), target.at(-1)]
  if (last === undefined) return hint
  if (!isMadeUp(target)) return isPlainName(last) ? last : definitionName(last) || hint
  const source = first === '$defs' ? from : target
  const field = source.filter((_, index) => source[index - 1] === 'properties').at(-1)
  return definitionName(field ?? '') || hint
}

/** Zod names what it has to name `__schema0`, `__schema1`, ...; a place outside `$defs` has no name at all. */
export function isMadeUp(target: readonly string[]): boolean {
  return target.at(-2) !== '$defs' || /^__schema\d+$/.test(target.at(-1) ?? '')
}
