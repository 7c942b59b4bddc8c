import { mapSubschemas } from '@toolgen/runtime/schema'
import { entriesOf, isObject, objectFrom, own, type Schema, withKey } from '../json-schema.js'
import { toJson } from '../json-values.js'
import { refTo } from '../references.js'
import type { LibraryFindings, LibraryHooks } from './library.js'

/** What ArkType hands to a fallback: the JSON Schema without the part that it cannot say, and that part. */
interface FallbackContext {
  readonly base: Readonly<Record<string, unknown>>
  readonly pattern?: string
  readonly proto?: { readonly name: string }
  readonly domain?: string
  readonly unit?: unknown
}

type Fallback = (context: FallbackContext) => unknown

/** What is read of a part of an ArkType schema. */
interface ArkNode {
  readonly kind?: unknown
  readonly expression?: unknown
  readonly flags?: unknown
  readonly rawOut?: { readonly expression?: unknown }
}

/** Asks ArkType what JSON Schema cannot say: by itself it leaves that out without a word. */
export function arkTypeHooks(findings: LibraryFindings): LibraryHooks {
  const noJson =
    (what: (context: FallbackContext) => string): Fallback =>
    (context) => {
      findings.notJson.add(what(context))
      return context.base
    }
  const refined: Fallback = ({ base }) => {
    findings.refined = true
    return base
  }
  const fallback: Readonly<Record<string, Fallback>> = {
    date: noJson(() => 'a Date'),
    proto: noJson(({ proto }) => `an instance of ${proto?.name ?? 'a class'}`),
    domain: noJson(({ domain }) => `a ${domain ?? 'value'}`),
    unit: noJson(({ unit }) => `the value \`${String(unit)}\``),
    symbolKey: noJson(() => 'a symbol as a key'),
    arrayObject: noJson(() => 'an array with fields'),
    defaultValue: noJson(() => 'a default'),
    arrayPostfix: refined,
    predicate: refined,
    patternIntersection: ({ base, pattern }) => {
      const others: unknown = base.allOf
      return { ...base, allOf: [...(Array.isArray(others) ? others : []), { pattern }] }
    },
    morph: ({ base }) => {
      findings.untyped.add('a morph')
      return base
    },
  }
  return { options: { fallback } }
}

/** Reads from an ArkType schema what its conversion passes over: morphs, and flags of patterns. */
export function examineArkType(schema: object, findings: LibraryFindings): void {
  const references: unknown = Reflect.get(schema, 'references')
  const nodes: readonly unknown[] = Array.isArray(references) ? references : []
  for (const node of nodes.filter(isNode)) {
    if (node.kind === 'morph') {
      findings.changes.add('a morph')
      // What a function returns is unknown, unless another type follows it.
      if (node.rawOut?.expression === 'unknown') findings.untyped.add('a morph')
    }
    if (node.kind === 'pattern' && typeof node.flags === 'string' && /[ims]/.test(node.flags)) {
      findings.flags.add(String(node.expression))
    }
  }
}

/**
 * What an ArkType schema takes. Its method is asked instead of its Standard JSON Schema, which loses the default of a
 * field, or not, depending on which schemas were converted before (2.2.9).
 */
export function sentByArkType(schema: object, options: LibraryHooks['options']): unknown {
  const convert: unknown = Reflect.get(schema, 'toJsonSchema')
  if (typeof convert !== 'function') throw new Error('the schema of ArkType has no method `toJsonSchema`')
  return convert.call(schema, { target: 'draft-2020-12', ...options })
}

/**
 * A converted schema whose definitions have names that everyone knows to be made up. ArkType numbers them by all that
 * was made before in the process (`intersection228`), which says nothing and would change with any other schema.
 */
export function withPlainNames(converted: unknown): unknown {
  const copied = toJson(converted)
  if (!copied.ok || !isObject(copied.json)) return converted
  const names = entriesOf(copied.json, '$defs').map(([name], index) => [name, `__schema${index}`] as const)
  const renamed = new Map<unknown, string>(names.map(([name, plain]) => [refTo(name), refTo(plain)] as const))
  const rename = (schema: Schema): Schema => {
    if (typeof schema === 'boolean') return schema
    const inside = mapSubschemas(schema, rename)
    const ref = renamed.get(own(inside, '$ref'))
    return ref === undefined ? inside : withKey(inside, '$ref', ref)
  }
  const root = rename(copied.json)
  if (names.length === 0 || !isObject(root)) return converted
  const plain = new Map(names)
  const definitions = entriesOf(root, '$defs').map(([name, schema]) => [plain.get(name) ?? name, schema] as const)
  return withKey(root, '$defs', objectFrom(definitions))
}

function isNode(value: unknown): value is ArkNode {
  return (typeof value === 'object' || typeof value === 'function') && value !== null
}
