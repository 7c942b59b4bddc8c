import { eachSubschema, mapSubschemas, parsePointer, pointerOf } from '@toolgen/runtime/schema'
import { nearest } from '../diagnostics/near-names.js'
import {
  atPointer,
  type Converted,
  entriesOf,
  hasErrors,
  isObject,
  isSchema,
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaDiagnostic,
  type SchemaObject,
  schemaError,
  withKey,
  without,
} from './json-schema.js'
import { copyOf, rulesOnly } from './keywords.js'
import { modernKeys } from './modernize.js'
import { decodeFragment, definitionName, refName, refTo, unusedName } from './references.js'

/** A schema in canonical form with the definitions to which it refers. */
export interface SchemaDocument {
  readonly root: Schema
  /** By name; a reference is always `#/$defs/NAME`. In the order in which they are met. */
  readonly defs: ReadonlyMap<string, Schema>
}

const deepest = 100

const documentKeywords: readonly string[] = ['$schema', '$id', '$anchor', '$comment', '$defs']

/**
 * Brings a schema (2020-12, see `modernize.ts`; its references are pointers into itself, see `localReferences`) into
 * canonical form: references point to definitions by name, wherever they pointed before; definitions stand side by
 * side; what only concerns the document is gone.
 *
 * @param hint the name of a definition that must be made of the root itself
 */
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

/** The definitions of one document, found by following its references. */
class ReferenceTable {
  readonly #document: Schema
  readonly #hint: string
  readonly #diagnostics: SchemaDiagnostic[]
  /** The definitions whose names a converter made up. */
  readonly madeUp: Set<string> = new Set()
  /** Name by pointer, in the order in which they were met. */
  readonly #names = new Map<string, string>()
  readonly #pending: string[] = []
  /** The names that are given, and those that the document gives itself. */
  readonly #taken: Set<string>

  constructor(document: Schema, hint: string, diagnostics: SchemaDiagnostic[]) {
    this.#document = document
    this.#taken = new Set(definitionNames(document))
    this.#hint = hint
    this.#diagnostics = diagnostics
  }

  rewrite(schema: Schema, keys: readonly string[]): Schema {
    // No value is one of none: written in the one way that every reader of schemas takes.
    if (typeof schema === 'boolean' || isEmptyList(own(schema, 'enum'))) return schema === true
    // Records are kept by schema object, so each location needs an object of its own.
    const bare = { ...without(schema, documentKeywords) }
    const inside = mapSubschemas(bare, (subschema, inner) => this.rewrite(subschema, [...keys, ...inner]))
    const ref = own(inside, '$ref')
    if (typeof ref !== 'string') return inside
    return withKey(inside, '$ref', refTo(this.#nameFor(ref, keys)))
  }

  keysOf(name: string): readonly string[] {
    const [pointer = ''] = [...this.#names].find(([, known]) => known === name) ?? []
    return parsePointer(pointer) ?? []
  }

  /** Everything that was referred to, and what that refers to. */
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

/** A definition keeps its name; another place is named after its last key, a made-up name after who refers to it. */
function nameOfPointer(target: readonly string[], from: readonly string[], hint: string): string {
  const [first, last] = [target.at(-2), target.at(-1)]
  if (last === undefined) return hint
  if (!isMadeUp(target)) return isPlainName(last) ? last : definitionName(last) || hint
  const source = first === '$defs' ? from : target
  const field = source.filter((_, index) => source[index - 1] === 'properties').at(-1)
  return definitionName(field ?? '') || hint
}

/** Returns whether a name needs no escape in a reference, and is safe as a key. */
export function isPlainName(name: string): boolean {
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

function tooDeep(keys: readonly string[]): SchemaDiagnostic {
  return schemaError(
    'TG3014',
    `The schema is nested more than ${deepest} levels deep.`,
    'Name the inner parts as definitions and refer to them.',
    keys.slice(0, 4),
  )
}

/** A made-up definition with more schemas than this, everything written out, stays a definition. */
const largest = 100

/**
 * Puts definitions whose names a converter made up back where they are used, if they are small and do not contain
 * themselves: models read a schema more easily without references.
 */
export function inlineDefinitions(document: SchemaDocument, madeUp: ReadonlySet<string>): SchemaDocument {
  const { defs } = document
  if (madeUp.size === 0) return document
  const sizes = new Map([...defs.keys()].filter((name) => isRecursive(name, defs)).map((name) => [name, 1] as const))
  const candidates = [...madeUp].filter((name) => !sizes.has(name))
  const inlined = new Set(candidates.filter((name) => sizeOf(name, defs, sizes) <= largest))
  const replace = (schema: Schema): Schema => {
    if (typeof schema === 'boolean') return schema
    const inside = mapSubschemas(schema, replace)
    const name = refName(own(inside, '$ref'))
    const target = name === undefined || !inlined.has(name) ? undefined : defs.get(name)
    if (target === undefined) return inside
    const written = copyOf(replace(target))
    const beside = without(inside, ['$ref'])
    const bare = Object.keys(beside).length === 0
    if (typeof written === 'boolean') return bare ? written : { allOf: [written], ...beside }
    // Keywords next to the reference restrict the value in addition: they must not replace a keyword inside.
    if (!bare && Object.keys(rulesOnly(beside)).length > 0) return withPart(beside, written)
    return objectFrom([
      ...Object.entries(written).filter(([key]) => !Object.hasOwn(beside, key)),
      ...Object.entries(beside),
    ])
  }
  const remaining = [...defs].filter(([name]) => !inlined.has(name))
  return { root: replace(document.root), defs: new Map(remaining.map(([name, schema]) => [name, replace(schema)])) }
}

function withPart(schema: SchemaObject, part: SchemaObject): SchemaObject {
  const parts = own(schema, 'allOf')
  return objectFrom<Json>([
    ['allOf', [part, ...(Array.isArray(parts) ? parts : [])]],
    ...Object.entries(schema).filter(([key]) => key !== 'allOf'),
  ])
}

function isRecursive(name: string, defs: ReadonlyMap<string, Schema>): boolean {
  const pending = [name]
  const seen = new Set<string>()
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const target of targetsIn(defs.get(next) ?? true)) {
      if (target === name) return true
      if (!seen.has(target)) pending.push(target)
      seen.add(target)
    }
  }
  return false
}

/** The definitions to which a schema refers, in order, repeated as often as it does. */
export function targetsIn(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return []
  const name = refName(own(schema, '$ref'))
  const targets = name === undefined ? [] : [name]
  eachSubschema(schema, (subschema) => targets.push(...targetsIn(subschema)))
  return targets
}

/**
 * Returns the number of schemas of a definition whose references are written out.
 *
 * @param sizes what is known already; definitions that contain themselves must be among them
 */
function sizeOf(name: string, defs: ReadonlyMap<string, Schema>, sizes: Map<string, number>): number {
  const known = sizes.get(name)
  if (known !== undefined) return known
  const schema = defs.get(name) ?? true
  const inside = targetsIn(schema).reduce((total, target) => total + sizeOf(target, defs, sizes), 0)
  const size = inside + countSchemas(schema)
  sizes.set(name, size)
  return size
}

function countSchemas(schema: Schema): number {
  let count = 1
  if (typeof schema !== 'boolean') {
    eachSubschema(schema, (subschema) => {
      count += countSchemas(subschema)
    })
  }
  return count
}

/** Values in which more definitions than these stand within each other are refused: whatever walks over them runs out of stack. */
const maxDefinitionDepth = 1000

/**
 * Definitions that are reached over too many others, each from the one before: a diagnostic for each at which that begins.
 *
 * @param keysOf the keys that lead to a definition in the source
 */
function definitionDepth(
  { root, defs }: SchemaDocument,
  keysOf: (name: string) => readonly string[],
): readonly SchemaDiagnostic[] {
  // Most schemas have fewer in all.
  if (defs.size <= maxDefinitionDepth) return []
  const met = new Set<string>()
  let level: readonly Schema[] = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    const names = new Set(level.flatMap((schema) => [...targetsIn(schema)]).filter((name) => !met.has(name)))
    if (depth > maxDefinitionDepth) return [...names].map((name) => definitionTooDeep(name, keysOf(name)))
    for (const name of names) met.add(name)
    level = [...names].map((name) => defs.get(name) ?? true)
  }
  return []
}

function definitionTooDeep(name: string, trail: readonly string[]): SchemaDiagnostic {
  return schemaError(
    'TG3014',
    `The definition \`${name}\` stands within more than ${maxDefinitionDepth} others.`,
    'Leave it out, or let it be any JSON: values that deep nobody sends.',
    trail,
  )
}

const dynamic: readonly string[] = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$vocabulary']

/**
 * The first keyword of a schema for which no code can be generated. Of a plain schema `localReferences` has
 * resolved all of them; a library's schema has them where its author wrote them as metadata.
 */
function unsupportedKeyword(schema: SchemaObject, keys: readonly string[]): SchemaDiagnostic | undefined {
  const dynamicKey = dynamic.find((keyword) => Object.hasOwn(schema, keyword))
  if (dynamicKey !== undefined) return isDynamic(dynamicKey, keys)
  if (keys.length > 0 && Object.hasOwn(schema, '$id')) {
    return schemaError(
      'TG3012',
      `No code can be generated for a schema with an address (\`$id\`) of its own ${atPointer(pointerOf(keys))}.`,
      'Move it to `$defs` without its `$id`.',
      [...keys, '$id'],
    )
  }
  const ref = own(schema, '$ref')
  return typeof ref === 'string' && !ref.startsWith('#') ? leadsOutside(ref, keys) : undefined
}

/** Keywords whose schemas judge the same value as the schema around them. */
const inPlace: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']

/** References that lead on to more definitions than these, one to the next, are refused. */
const longest = 200

/** A definition on its way from one to the next. */
interface Step {
  readonly name: string
  readonly targets: Iterator<string>
  /** Number of definitions that follow each other from here, as far as known. */
  length: number
}

/**
 * Definitions that lead back to themselves without going into the value, by way of what they refer to: no check of such
 * a schema would ever end. Nor may they lead on and on.
 *
 * @param keysOf the keys that lead to a definition in the source
 */
export function referenceLoops(
  defs: ReadonlyMap<string, Schema>,
  keysOf: (name: string) => readonly string[],
): readonly SchemaDiagnostic[] {
  const lengths = new Map<string, number>()
  const diagnostics: SchemaDiagnostic[] = []
  for (const start of defs.keys()) {
    if (lengths.has(start)) continue
    const open = new Set<string>()
    const path: Step[] = []
    const enter = (name: string): void => {
      open.add(name)
      path.push({ name, targets: new Set(targetsInPlace(defs.get(name) ?? true)).values(), length: 1 })
    }
    enter(start)
    // A stack of its own: the one of the engine is too small for what a document may refer to.
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const { done, value: target } = step.targets.next()
      if (done === true) {
        path.pop()
        open.delete(step.name)
        lengths.set(step.name, step.length)
        if (step.length === longest + 1) diagnostics.push(leadsOn(keysOf(step.name)))
        const before = path.at(-1)
        if (before !== undefined) before.length = Math.max(before.length, step.length + 1)
      } else if (open.has(target)) {
        const names = path.map(({ name }) => name)
        diagnostics.push(leadsBack([...names.slice(names.indexOf(target)), target], keysOf(target)))
      } else {
        const known = lengths.get(target)
        if (known === undefined) enter(target)
        else step.length = Math.max(step.length, known + 1)
      }
    }
  }
  return diagnostics
}

function targetsInPlace(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return []
  const name = refName(own(schema, '$ref'))
  const targets = name === undefined ? [] : [name]
  eachSubschema(schema, (subschema, [keyword = '']) => {
    if (inPlace.includes(keyword)) targets.push(...targetsInPlace(subschema))
  })
  return targets
}

function leadsBack(names: readonly string[], trail: readonly string[]): SchemaDiagnostic {
  return schemaError(
    'TG3037',
    `A reference leads back to itself: ${names.map((name) => `\`${name}\``).join(' → ')}.`,
    'Let one of the definitions describe something, or refer from within a field or an item.',
    trail,
  )
}

function leadsOn(trail: readonly string[]): SchemaDiagnostic {
  return schemaError(
    'TG3014',
    `References lead from one definition to the next more than ${longest} times.`,
    'Refer to the definition that describes something.',
    trail,
  )
}

/**
 * A reference to a place that does not exist.
 *
 * @param names the names of the document's definitions
 */
export function leadsNowhere(ref: string, keys: readonly string[], names: readonly string[]): SchemaDiagnostic {
  const near = nearest(ref.split('/').at(-1) ?? ref, names).map((name) => `#/$defs${pointerOf([name])}`)
  const message = `The reference \`${ref}\` ${atPointer(pointerOf(keys))} leads nowhere.`
  const next = near[0] === undefined ? nextStep(ref) : `Did you mean \`${near[0]}\`?`
  return { ...schemaError('TG3011', message, next, [...keys, '$ref']), ...(near.length === 0 ? {} : { near }) }
}

function nextStep(ref: string): string {
  return ref.startsWith('#/components/')
    ? 'Give `components` of the OpenAPI document beside the schema: `{ ...schema, components: document.components }`.'
    : 'Correct the reference, or add the definition.'
}

/** A reference to what the schema does not hold. */
export function leadsOutside(ref: string, keys: readonly string[]): SchemaDiagnostic {
  return notGenerated(keys, '$ref', `the reference \`${ref}\` to another document`, 'Copy the definition into `$defs`.')
}

/** A reference whose target depends on how it was reached. */
export function isDynamic(keyword: string, keys: readonly string[]): SchemaDiagnostic {
  return notGenerated(keys, keyword, `\`${keyword}\``, 'Refer to a definition with `$ref` instead.')
}

/** Returns the error of an address that is not a URI. */
export function badAddress(address: string, keyword: string, keys: readonly string[]): SchemaDiagnostic {
  return notGenerated(keys, keyword, `the address \`${address}\`, which is no URI,`, 'Correct it, or leave it out.')
}

function notGenerated(keys: readonly string[], keyword: string, what: string, next: string): SchemaDiagnostic {
  return {
    code: 'TG3012',
    severity: 'error',
    message: `No code can be generated for ${what} ${atPointer(pointerOf(keys))}.`,
    next,
    trail: [...keys, keyword],
  }
}
