import { entriesOf, isObject, isSchema, own, withKey, without } from '../json/json.js'
import type { Json, Schema } from '../json/json-schema.js'
import { eachSubschema, mapSubschemas } from '../json/keywords.js'
import { decodeFragment, keysOf, pointerOf, refTo } from '../json/pointer.js'
import { type Converted, hasErrors, type SchemaFault } from '../json/schema-fault.js'
import { definitionDepth } from './definition-depth.js'
import { definitionName } from './definition-name.js'
import { inlineDefinitions } from './inline-definitions.js'
import { modernKeys } from './modernise.js'
import { leadsNowhere } from './reference-faults.js'
import { referenceLoops } from './reference-loops.js'
import { unsupportedKeyword } from './unsupported.js'
import { unusedName } from './unused-name.js'

/** A schema in canonical form with the definitions to which it refers. */
export interface SchemaDocument {
  readonly root: Schema
  /** By name; a reference is always `#/$defs/NAME`. In the order in which they are met. */
  readonly defs: ReadonlyMap<string, Schema>
}

/** Schemas nested deeper are refused. */
const deepest = 100

const documentKeywords: readonly string[] = ['$schema', '$id', '$anchor', '$comment', '$defs']

/**
 * Brings a schema (2020-12, see `modernise.ts`; its references are pointers into itself, see `local-references.ts`) into
 * canonical form: references point to definitions by name, wherever they pointed before; definitions stand side by
 * side; what only concerns the document is gone.
 *
 * @param hint the name of a definition that must be made of the root itself
 */
export function normalise(schema: Schema, hint: string): Converted<SchemaDocument> {
  const faults: SchemaFault[] = []
  checkTree(schema, [], faults)
  if (hasErrors(faults)) return { faults }
  const table = new ReferenceTable(schema, hint, faults)
  const root = table.rewrite(schema, [])
  const defs = table.definitions()
  const keysOfDefinition = (name: string): readonly string[] => table.keysOf(name)
  faults.push(...referenceLoops(defs, keysOfDefinition), ...definitionDepth({ root, defs }, keysOfDefinition))
  return hasErrors(faults) ? { faults } : { value: inlineDefinitions({ root, defs }, table.madeUp), faults }
}

function checkTree(schema: Schema, keys: readonly string[], faults: SchemaFault[]): void {
  if (typeof schema === 'boolean') return
  if (keys.length > 2 * deepest) {
    if (!hasErrors(faults)) faults.push(tooDeep(keys))
    return
  }
  const unsupported = unsupportedKeyword(schema, keys)
  if (unsupported !== undefined) faults.push(unsupported)
  eachSubschema(schema, (subschema, inner) => checkTree(subschema, [...keys, ...inner], faults))
}

/** The names that the document itself gives to definitions. */
function definitionNames(document: Schema): readonly string[] {
  return isObject(document) ? entriesOf(document, '$defs').map(([name]) => name) : []
}

/** The definitions of one document, found by following its references. */
class ReferenceTable {
  readonly #document: Schema
  readonly #hint: string
  readonly #faults: SchemaFault[]
  /** The definitions whose names a converter made up. */
  readonly madeUp: Set<string> = new Set()
  /** Name by pointer, in the order in which they were met. */
  readonly #names = new Map<string, string>()
  readonly #pending: string[] = []
  /** The names that are given, and those that the document gives itself. */
  readonly #taken: Set<string>

  constructor(document: Schema, hint: string, faults: SchemaFault[]) {
    this.#document = document
    this.#taken = new Set(definitionNames(document))
    this.#hint = hint
    this.#faults = faults
  }

  /** Copies a schema, with its references by name. */
  rewrite(schema: Schema, keys: readonly string[]): Schema {
    // No value is one of none: written in the one way that every reader of schemas takes.
    if (typeof schema === 'boolean' || isEmptyList(own(schema, 'enum'))) return schema === true
    // What is told of schemas by the object that they are is told of one place.
    const bare = { ...without(schema, documentKeywords) }
    const inside = mapSubschemas(bare, (subschema, inner) => this.rewrite(subschema, [...keys, ...inner]))
    const ref = own(inside, '$ref')
    if (typeof ref !== 'string') return inside
    return withKey(inside, '$ref', refTo(this.#nameFor(ref, keys)))
  }

  /** The keys that lead to a definition in the document. */
  keysOf(name: string): readonly string[] {
    const [pointer = ''] = [...this.#names].find(([, known]) => known === name) ?? []
    return keysOf(pointer) ?? []
  }

  /** Everything that was referred to, and what that refers to. */
  definitions(): ReadonlyMap<string, Schema> {
    const defs = new Map<string, Schema>()
    for (let pointer = this.#pending.shift(); pointer !== undefined; pointer = this.#pending.shift()) {
      const target = targetOf(this.#document, keysOf(pointer) ?? [])
      const name = this.#names.get(pointer)
      if (target !== undefined && name !== undefined) {
        defs.set(name, this.rewrite(target.schema, target.keys))
      }
    }
    return defs
  }

  #nameFor(ref: string, keys: readonly string[]): string {
    const target = this.#resolve(ref)
    if (target === undefined) {
      this.#faults.push(leadsNowhere(ref, keys, definitionNames(this.#document)))
      return ''
    }
    const place = pointerOf(target.keys)
    const known = this.#names.get(place)
    if (known !== undefined) return known
    const wanted = nameOfPointer(target.keys, keys, this.#hint)
    const isItsOwn = target.keys.at(-1) === wanted && !isMadeUp(target.keys)
    const name = isItsOwn ? wanted : unusedName(wanted, (candidate) => !this.#taken.has(candidate))
    if (isMadeUp(target.keys)) this.madeUp.add(name)
    this.#names.set(place, name)
    this.#taken.add(name)
    this.#pending.push(place)
    return name
  }

  #resolve(ref: string): Target | undefined {
    const keys = keysOf(decodeFragment(ref) ?? '?')
    return keys === undefined ? undefined : targetOf(this.#document, keys)
  }
}

/** A schema of a document, and its keys in the document's present form. */
interface Target {
  readonly schema: Schema
  readonly keys: readonly string[]
}

/** A definition keeps its name; another place is named after its last key, a made-up name after who refers to it. */
function nameOfPointer(target: readonly string[], from: readonly string[], hint: string): string {
  const [first, last] = [target.at(-2), target.at(-1)]
  if (last === undefined) return hint
  if (!isMadeUp(target)) return isPlainName(last) ? last : definitionName(last) || hint
  const source = first === '$defs' ? from : target
  const field = source.filter((_, index) => source[index - 1] === 'properties').at(-1)
  return definitionName(field ?? '') || hint
}

/** Whether a name can stand in a reference, and as a key of any object, without further thought. */
function isPlainName(name: string): boolean {
  return /^[\p{L}\p{N}_.-]+$/u.test(name) && name !== '__proto__'
}

function isEmptyList(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Zod names what it has to name `__schema0`, `__schema1`, ...; a place outside `$defs` has no name at all. */
function isMadeUp(target: readonly string[]): boolean {
  return target.at(-2) !== '$defs' || /^__schema\d+$/.test(target.at(-1) ?? '')
}

function targetOf(document: Schema, keys: readonly string[]): Target | undefined {
  let current: Json | undefined = document
  const walked: string[] = []
  for (const [index, key] of keys.entries()) {
    const steps: readonly string[] = isObject(current) ? modernKeys(current, key, keys[index + 1]) : [key]
    for (const step of steps) {
      current = Array.isArray(current) ? current[Number(step)] : isObject(current) ? own(current, step) : undefined
      walked.push(step)
    }
  }
  return isSchema(current) ? { schema: current, keys: walked } : undefined
}

function tooDeep(keys: readonly string[]): SchemaFault {
  return {
    code: 'TG3014',
    severity: 'error',
    message: `The schema is nested more than ${deepest} levels deep.`,
    next: 'Name the inner parts as definitions and refer to them.',
    trail: keys.slice(0, 4),
  }
}
