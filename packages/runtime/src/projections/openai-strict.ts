import { parsePointer, pointerOf } from '../schema/json-pointer.js'
import { type Fields, isFields } from '../schema/json-values.js'
import { kindsOf, subschemasOf } from '../schema/keywords.js'
import { readDocument, type SchemaDocument } from '../schema/prepare.js'
import type { JsonSchema } from '../types/json.js'
import { mergeSchemas } from './merge-schemas.js'
import { requiredNote, requiredSets } from './object-root.js'
import {
  type NullPlan,
  type StrictContext,
  type StrictNode,
  type StrictSite,
  strictLimits,
  strictNotes,
  strictPlain,
  unsayable,
} from './openai-strict-schema.js'
import {
  described,
  type ProjectionChange,
  type Report,
  restrictingKeywords,
  type WrittenSchema,
  without,
} from './report.js'
import { flattened, inlinedPart, located } from './schemas.js'

/** The arguments of a tool in strict form, or why there is none. */
interface StrictProjection {
  readonly changes: readonly ProjectionChange[]
  /** `undefined` where the changes hold a fallback. */
  readonly strict:
    | {
        readonly parameters: WrittenSchema
        readonly plan: NullPlan | undefined
        readonly definitions: ReadonlyMap<string, NullPlan | undefined>
      }
    | undefined
}

/**
 * Writes the strict form of a schema of arguments.
 *
 * @throws {SchemaError} when the schema itself is faulty.
 */
export function strictProjection(schema: JsonSchema): StrictProjection {
  const changes: ProjectionChange[] = []
  // The document checks only whether schemas accept null, for which patterns do not matter.
  const writer = new StrictWriter(readDocument(schema, { patterns: false }), (change) => changes.push(change))
  const root = writer.root(schema)
  const definitions = writer.definitions()
  const schemas = [...definitions].map(([name, node]) => [name, node.schema] as const)
  const parameters = { ...root.schema, ...(schemas.length > 0 && { $defs: Object.fromEntries(schemas) }) }
  for (const message of beyondLimits(parameters)) {
    changes.push({ pointer: '', keyword: 'properties', kind: 'fallback', message, loosens: false })
  }
  if (changes.some((change) => change.kind === 'fallback')) return { changes, strict: undefined }
  const plans = new Map([...definitions].map(([name, node]) => [name, node.plan]))
  return { changes, strict: { parameters, plan: root.plan, definitions: plans } }
}

/** Writes the schemas of one document, each definition once. */
class StrictWriter implements StrictContext {
  readonly document: SchemaDocument
  readonly report: Report
  readonly #written: Map<string, StrictNode | undefined> = new Map()
  readonly #pending: { readonly name: string; readonly schema: unknown }[] = []

  constructor(document: SchemaDocument, report: Report) {
    this.document = document
    this.report = report
  }

  /** The root, which must be one object. */
  root(schema: JsonSchema): StrictNode {
    const place = { pointer: '', context: this }
    const whole = isFields(schema) ? inlinedPart(schema, this.document, new Set()) : undefined
    if (whole === undefined) return unsayable(place, 'type', 'The arguments cannot be written as one object.')
    const site: StrictSite = { ...place, schema: whole }
    const union = unionOf(whole)
    const plain = union === undefined || union === 'several' ? undefined : withoutRequiredSets(site, union)
    if (union !== undefined && plain === undefined) {
      return unsayable(site, 'anyOf', 'The arguments are a union; strict mode takes one object.')
    }
    const base = plain?.base ?? whole
    const kinds = kindsOf({ schema: base, pointer: '' })
    if (kinds !== undefined && !kinds.includes('object')) {
      return unsayable(site, 'type', 'The arguments are not an object; strict mode takes nothing else.')
    }
    // Arguments are always an object, whatever else the schema would take.
    return strictPlain({ ...site, schema: { ...base, type: 'object' } }, plain === undefined ? [] : [plain.note])
  }

  /** Every definition that was referred to, in the order in which they were met. */
  definitions(): ReadonlyMap<string, StrictNode> {
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
      this.#written.set(next.name, this.write(next.schema, pointerOf(['$defs', next.name])))
    }
    const entries = [...this.#written].map(([name, node]) => [name, node ?? { schema: {}, plan: undefined }] as const)
    return new Map(entries)
  }

  define(reference: string): string | undefined {
    const target = this.document.index.resolve(reference, located(true, this.document))
    const [map, name, ...rest] = parsePointer(target.pointer) ?? []
    if (map !== '$defs' || name === undefined || rest.length > 0) return undefined
    if (!this.#written.has(name)) {
      this.#written.set(name, undefined)
      this.#pending.push({ name, schema: target.schema })
    }
    return name
  }

  write(schema: unknown, pointer: string): StrictNode {
    const place = { pointer, context: this }
    if (schema === false) return unsayable(place, 'type', 'Nothing is allowed here; strict mode cannot say that.')
    if (!isFields(schema) || restrictingKeywords(schema).length === 0) {
      return unsayable(place, 'type', 'The schema takes any value; strict mode needs a type.')
    }
    const whole = flattened(schema, this.document, new Set())
    if (whole === undefined) {
      return unsayable(
        place,
        'allOf',
        'The schemas that apply together cannot be written as one; strict mode has no `allOf`.',
      )
    }
    const site: StrictSite = { ...place, schema: whole }
    if (typeof whole.$ref === 'string') return this.#reference(site, whole.$ref)
    const union = unionOf(whole)
    if (union === undefined) return strictPlain(site, [])
    if (union === 'several') return unsayable(site, 'oneOf', 'Two unions apply together; strict mode cannot say that.')
    const plain = withoutRequiredSets(site, union)
    if (plain !== undefined) return strictPlain({ ...site, schema: plain.base }, [plain.note])
    return strictUnion(site, union)
  }

  /** A reference stands alone in strict mode: what is said beside it goes around it. */
  #reference(site: StrictSite, reference: string): StrictNode {
    const name = this.define(reference)
    if (name === undefined) return unsayable(site, '$ref', 'The reference does not lead to a definition in `$defs`.')
    const notes = strictNotes(site, (keyword) => ['$ref', 'title', 'description', '$defs'].includes(keyword))
    const description = described(site.schema.description, notes)
    const said = {
      ...(typeof site.schema.title === 'string' && { title: site.schema.title }),
      ...(description !== undefined && { description }),
    }
    const bare = { $ref: reference }
    const schema = Object.keys(said).length === 0 ? bare : { ...said, anyOf: [bare] }
    return { schema, plan: { kind: 'definition', name } }
  }
}

/** How large a strict schema is, as its limits count. */
interface Size {
  fields: number
  levels: number
  characters: number
  enumValues: number
  longEnum: boolean
}

/** What of a strict schema is beyond a limit, in sentences. */
function beyondLimits(schema: WrittenSchema): readonly string[] {
  const size: Size = { fields: 0, levels: 0, characters: 0, enumValues: 0, longEnum: false }
  measure(schema, 0, size)
  const { fields, levels, characters, enumValues, longEnum, longEnumCharacters } = strictLimits
  return [
    ...(size.fields > fields ? [`The schema has ${size.fields} fields; strict mode takes ${fields}.`] : []),
    ...(size.levels > levels ? [`Its objects are ${size.levels} levels deep; strict mode takes ${levels}.`] : []),
    ...(size.characters > characters
      ? [`Its names and literals have ${size.characters} characters; strict mode takes ${characters}.`]
      : []),
    ...(size.enumValues > enumValues
      ? [`It has ${size.enumValues} enum values; strict mode takes ${enumValues}.`]
      : []),
    ...(size.longEnum
      ? [`An enum of more than ${longEnum} texts has more than ${longEnumCharacters} characters.`]
      : []),
  ]
}

function measure(schema: unknown, level: number, size: Size): void {
  if (!isFields(schema)) return
  const names = isFields(schema.properties) ? Object.keys(schema.properties) : []
  const definitions = isFields(schema.$defs) ? Object.keys(schema.$defs) : []
  const values: readonly unknown[] = Array.isArray(schema.enum) ? schema.enum : []
  const below = level + (isFields(schema.properties) ? 1 : 0)
  size.fields += names.length
  size.levels = Math.max(size.levels, below)
  size.enumValues += values.length
  size.characters += lengthOf(names) + lengthOf(definitions) + lengthOf(values)
  if (Object.hasOwn(schema, 'const')) size.characters += lengthOf([schema.const])
  if (values.length > strictLimits.longEnum && lengthOf(values) > strictLimits.longEnumCharacters) size.longEnum = true
  // A definition stands for itself: how deep the references lead is not counted, as they may recur.
  for (const [part, keyword] of subschemasOf(schema)) measure(part, keyword === '$defs' ? 0 : below, size)
}

function lengthOf(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + String(value).length, 0)
}

/** The union of a schema. */
interface Union {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly variants: readonly unknown[]
  /** What the schema demands beside it. */
  readonly base: Fields
}

/** The union of a schema, if it has exactly one. */
function unionOf(schema: Fields): Union | 'several' | undefined {
  const [keyword, other] = (['anyOf', 'oneOf'] as const).filter((name) => Array.isArray(schema[name]))
  if (keyword === undefined) return undefined
  if (other !== undefined) return 'several'
  const list = schema[keyword]
  return { keyword, variants: Array.isArray(list) ? list : [], base: without(schema, [keyword]) }
}

/** A schema without a union whose variants only say which fields must be given, with that in words. */
function withoutRequiredSets(
  site: StrictSite,
  { keyword, variants, base }: Union,
): { readonly base: Fields; readonly note: string } | undefined {
  const sets = requiredSets(variants)
  if (sets === undefined || !Object.hasOwn(base, 'properties')) return undefined
  site.context.report({
    pointer: site.pointer,
    keyword,
    kind: 'moved_to_description',
    message: `Strict mode cannot say which fields must be given together in \`${keyword}\`; the description says it.`,
    loosens: true,
  })
  return { base, note: requiredNote(sets) }
}

/** Writes a union whose variants are whole schemas: what stands beside it is written into each of them. */
function strictUnion(site: StrictSite, union: Union): StrictNode {
  const { pointer, context, schema } = site
  const { keyword } = union
  const wholes = wholeVariants(site, union)
  if (wholes === undefined) {
    return unsayable(site, keyword, `What stands beside \`${keyword}\` cannot be written into its variants.`)
  }
  if (wholes.length === 0) return unsayable(site, keyword, 'No variant allows anything; strict mode cannot say that.')
  if (keyword === 'oneOf') {
    const places = wholes.map(({ whole, at }) => located(whole, context.document, `${pointer}/oneOf/${at}`))
    const loosens = !context.document.facts.areDisjoint(places)
    context.report({
      pointer,
      keyword,
      kind: 'changed',
      message: `\`oneOf\` is written as \`anyOf\`${loosens ? ', which also takes what matches several variants' : ''}.`,
      loosens,
    })
  }
  const nodes = wholes.map(({ whole, at }) => context.write(whole, `${pointer}${pointerOf([keyword, at])}`))
  const notes = strictNotes({ ...site, schema: annotationsOf(schema) }, (name) =>
    ['title', 'description', '$defs'].includes(name),
  )
  const description = described(schema.description, notes)
  const said = {
    ...(typeof schema.title === 'string' && { title: schema.title }),
    ...(description !== undefined && { description }),
  }
  const plans = nodes.map((node) => node.plan)
  const variants = nodes.map((node) => ({ schema: node.schema, plan: node.plan }))
  return {
    schema: { ...said, anyOf: nodes.map((node) => node.schema) },
    plan: plans.every((plan) => plan === undefined) ? undefined : { kind: 'either', variants },
  }
}

/** The variants that something matches, each with what stands beside the union; `undefined` where that cannot be said. */
function wholeVariants(
  site: StrictSite,
  { variants, base }: Union,
): readonly { readonly whole: unknown; readonly at: number }[] | undefined {
  const { document } = site.context
  const possible = variants.map((variant, at) => ({ variant, at })).filter(({ variant }) => variant !== false)
  const rules = rulesOf(base)
  if (rules === undefined) return possible.map(({ variant, at }) => ({ whole: variant, at }))
  const wholes = possible.map(({ variant, at }) => {
    const flat = isFields(variant) ? inlinedPart(variant, document, new Set()) : undefined
    const whole = flat === undefined ? undefined : mergeSchemas(flat, rules)
    return whole === undefined ? undefined : { whole: flattened(whole, document, new Set()), at }
  })
  return wholes.every((whole) => whole?.whole !== undefined) ? wholes.filter((whole) => whole !== undefined) : undefined
}

/** What restricts values; `undefined`: nothing does. */
function rulesOf(schema: Fields): Fields | undefined {
  const names = restrictingKeywords(schema)
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, schema[name]]))
}

function annotationsOf(schema: Fields): Fields {
  return without(schema, restrictingKeywords(schema))
}
