import { readDocument, type SchemaDocument } from '../../codec/evaluate/prepare.js'
import { kindsOf } from '../../codec/evaluate/types.js'
import { isFields } from '../../codec/json/kind.js'
import { parsePointer, pointerOf } from '../../codec/json/pointer.js'
import type { JsonSchema } from '../../contract/json.js'
import { restrictingKeywords } from '../keywords/annotations.js'
import type { ProjectionChange, Report, WrittenSchema } from '../report/change.js'
import { described } from '../report/described.js'
import { flattened, inlinedPart, located } from '../schema/flatten.js'
import type { NullPlan } from './null-plan.js'
import { beyondLimits } from './strict-limits.js'
import { strictPlain } from './strict-plain.js'
import { type StrictContext, type StrictNode, type StrictSite, strictNotes, unsayable } from './strict-site.js'
import { strictUnion, unionOf, withoutRequiredSets } from './strict-union.js'

/** The arguments of a tool in strict form, or why there is none. */
export interface StrictProjection {
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
  const writer = new StrictWriter(readDocument(schema), (change) => changes.push(change))
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
