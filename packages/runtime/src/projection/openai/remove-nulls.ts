import { readDocument, type SchemaDocument } from '../../codec/evaluate/prepare.js'
import { Run } from '../../codec/evaluate/run.js'
import { MAX_DEPTH } from '../../codec/json/depth.js'
import { isContainer, isFields } from '../../codec/json/kind.js'
import type { WrittenSchema } from '../report/change.js'
import { located } from '../schema/flatten.js'
import type { NullPlan, VariantPlan } from './null-plan.js'

/** Where nulls are removed, and the strict schema by which the variants of unions are told apart. */
export interface NullRemoval {
  readonly parameters: WrittenSchema
  readonly plan: NullPlan
  readonly definitions: ReadonlyMap<string, NullPlan | undefined>
}

/** Takes the nulls that stand for nothing out of parsed arguments, in place; says whether there were any. */
export function nullRemover(removal: NullRemoval): (value: unknown) => boolean {
  const document = readDocument(removal.parameters)
  return (value) => new Walk(removal.definitions, document).removeFrom(value, removal.plan, 0)
}

class Walk {
  readonly #definitions: NullRemoval['definitions']
  readonly #document: SchemaDocument

  constructor(definitions: NullRemoval['definitions'], document: SchemaDocument) {
    this.#definitions = definitions
    this.#document = document
  }

  removeFrom(value: unknown, plan: NullPlan | undefined, depth: number): boolean {
    // Deeper values are refused by every codec.
    if (plan === undefined || !isContainer(value) || depth > MAX_DEPTH) return false
    switch (plan.kind) {
      case 'definition':
        return this.removeFrom(value, this.#definitions.get(plan.name), depth)
      case 'either':
        return this.removeFrom(value, this.#matching(value, plan.variants)?.plan, depth)
      case 'parts':
        return Array.isArray(value) ? this.#fromItems(value, plan, depth) : this.#fromFields(value, plan, depth)
    }
  }

  #fromFields(value: object, { fields }: Extract<NullPlan, { kind: 'parts' }>, depth: number): boolean {
    let removed = false
    if (!isFields(value)) return removed
    for (const [name, field] of fields ?? []) {
      if (!Object.hasOwn(value, name)) continue
      if (value[name] === null && field.removesNull) removed = Reflect.deleteProperty(value, name) || removed
      else removed = this.removeFrom(value[name], field.plan, depth + 1) || removed
    }
    return removed
  }

  #fromItems(value: readonly unknown[], { items }: Extract<NullPlan, { kind: 'parts' }>, depth: number): boolean {
    let removed = false
    if (items === undefined) return removed
    for (const [at, item] of value.entries()) {
      const plan = at < items.first.length ? items.first[at] : items.rest
      removed = this.removeFrom(item, plan, depth + 1) || removed
    }
    return removed
  }

  /** The first variant that the value, as the model sent it, satisfies. */
  #matching(value: unknown, variants: readonly VariantPlan[]): VariantPlan | undefined {
    return variants.find(({ schema }) => {
      const run = new Run({ faulty: false, rejectsUnknown: false })
      run.quiet = true
      return this.#document.node(located(schema, this.#document)).check(value, run, undefined)
    })
  }
}
