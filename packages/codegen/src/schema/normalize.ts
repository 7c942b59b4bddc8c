import { eachSubschema, mapSubschemas, parsePointer, pointerOf } from '@toolgen/runtime/schema'
import {
  type Converted,
  entriesOf,
  hasErrors,
  isObject,
  isSchema,
  type Json,
  own,
  type Schema,
  type SchemaDiagnostic,
  schemaError,
  withKey,
  without,
} from './json-schema.js'
import { modernKeys } from './modernize.js'
import { leadsNowhere, unsupportedKeyword } from './reference-errors.js'
import { referenceLoops } from './reference-loops.js'
import { decodeFragment, isMadeUp, nameOfPointer, refTo, unusedName } from './references.js'
import { definitionDepth, inlineDefinitions, type SchemaDocument } from './schema-document.js'

const deepest = 100

const documentKeywords: readonly string[] = ['$schema', '$id', '$anchor', '$comment', '$defs']

/** Call `modernize` and `localReferences` on `schema` first. If a reference points to the root, the root becomes a definition with the name `hint`. */
export function normalize(schema: Schema, hint: string): Converted<SchemaDocument> {
  const diagnostics: SchemaDiagnostic[] = []
  checkTree(schema, [], diagnostics)
  if (hasErrors(diagnostics)) return { diagnostics }
  const table = new ReferenceTable(schema, hint, diagnostics)
  const root = table.rewrite(schema, [])
  const defs = table.definitions()
  const keysOfDefinition = (name: string): readonly string[] => table.keysOf(name)
  diagnostics.push(...referenceLoops(defs, keysOfDefinition), ...definitionDepth({ root, defs }, keysOfDefinition))
  return hasErrors(diagnostics)
    ? { diagnostics }
    : { value: inlineDefinitions({ root, defs }, table.madeUp), diagnostics }
}

function checkTree(schema: Schema, keys: readonly string[], diagnostics: SchemaDiagnostic[]): void {
  if (typeof schema === 'boolean') return
  if (keys.length > 2 * deepest) {
    if (!hasErrors(diagnostics)) diagnostics.push(tooDeep(keys))
    return
  }
  const unsupported = unsupportedKeyword(schema, keys)
  if (unsupported !== undefined) diagnostics.push(unsupported)
  eachSubschema(schema, (subschema, inner) => checkTree(subschema, [...keys, ...inner], diagnostics))
}

function definitionNames(document: Schema): readonly string[] {
  return isObject(document) ? entriesOf(document, '$defs').map(([name]) => name) : []
}

class ReferenceTable {
  readonly #document: Schema
  readonly #hint: string
  readonly #diagnostics: SchemaDiagnostic[]
  /** Definition names that are not from the author of the schema, for example `__schema0` from Zod. */
  readonly madeUp: Set<string> = new Set()
  readonly #names = new Map<string, string>()
  readonly #pending: string[] = []
  readonly #taken: Set<string>

  constructor(document: Schema, hint: string, diagnostics: SchemaDiagnostic[]) {
    this.#document = document
    this.#taken = new Set(definitionNames(document))
    this.#hint = hint
    this.#diagnostics = diagnostics
  }

  rewrite(schema: Schema, keys: readonly string[]): Schema {
    // An `enum` without values accepts nothing. It is converted to `false`, which every reader of schemas supports.
    if (typeof schema === 'boolean') return schema
    const values = own(schema, 'enum')
    if (Array.isArray(values) && values.length === 0) return false
    const bare = without(schema, documentKeywords)
    const mapped = mapSubschemas(bare, (subschema, inner) => this.rewrite(subschema, [...keys, ...inner]))
    // Later steps store data by schema object, so each location needs its own object.
    const inside = mapped === schema ? { ...mapped } : mapped
    const ref = own(inside, '$ref')
    if (typeof ref !== 'string') return inside
    return withKey(inside, '$ref', refTo(this.#nameFor(ref, keys)))
  }

  keysOf(name: string): readonly string[] {
    const [pointer = ''] = [...this.#names].find(([, known]) => known === name) ?? []
    return parsePointer(pointer) ?? []
  }

  definitions(): ReadonlyMap<string, Schema> {
    const defs = new Map<string, Schema>()
    for (let pointer = this.#pending.shift(); pointer !== undefined; pointer = this.#pending.shift()) {
      const target = targetOf(this.#document, parsePointer(pointer) ?? [])
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
      this.#diagnostics.push(leadsNowhere(ref, keys, definitionNames(this.#document)))
      return ''
    }
    const location = pointerOf(target.keys)
    const known = this.#names.get(location)
    if (known !== undefined) return known
    const wanted = nameOfPointer(target.keys, keys, this.#hint)
    const isItsOwn = target.keys.at(-1) === wanted && !isMadeUp(target.keys)
    const name = isItsOwn ? wanted : unusedName(wanted, (candidate) => !this.#taken.has(candidate))
    if (isMadeUp(target.keys)) this.madeUp.add(name)
    this.#names.set(location, name)
    this.#taken.add(name)
    this.#pending.push(location)
    return name
  }

  #resolve(ref: string): Target | undefined {
    const keys = parsePointer(decodeFragment(ref) ?? '?')
    return keys === undefined ? undefined : targetOf(this.#document, keys)
  }
}

interface Target {
  readonly schema: Schema
  readonly keys: readonly string[]
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

function tooDeep(keys: readonly string[]): SchemaDiagnostic {
  return schemaError(
    'TG3014',
    `The schema is nested more than ${deepest} levels deep.`,
    'Move inner schemas to `$defs`, and reference them with `$ref`.',
    keys.slice(0, 4),
  )
}
