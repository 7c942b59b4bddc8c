import { kindInWords, quotedList } from '../issues/words.js'
import { isFields, kindOf } from '../json/kind.js'
import { keyword, schemaObject, textKeyword } from './keywords.js'
import { type LiteralTest, literalTest } from './literals.js'
import type { Node } from './node.js'
import type { Located } from './references.js'
import type { Admitted, SchemaFacts } from './schema-facts.js'
import type { Site } from './site.js'
import type { Tags } from './tags.js'

/** One variant of a union, with what can be said of it without a value. */
export interface Variant extends Admitted {
  readonly node: Node
  /** What issues call it. */
  readonly name: string
  /** The literals that it demands of fields it requires, by field. */
  readonly tags: Tags
  /** How many of its shallow demands an object meets: which variant was probably meant. */
  readonly likeness: (value: unknown) => number
}

/** Prepares the variants of `anyOf` or `oneOf`. */
export function prepareVariants(site: Site, name: 'anyOf' | 'oneOf'): readonly Variant[] {
  return site.facts.variants(site, name).map((located, index) => {
    const { kinds, literals } = site.facts.admitted(located)
    const tags = site.facts.tags(located)
    return {
      node: site.below(located.schema, name, index),
      name: nameOf(located, { kinds, literals, tags }, index),
      kinds,
      literals,
      tags,
      likeness: likenessTo(located, site.facts),
    }
  })
}

/** Whether a value is of a kind that can match. */
export function admits({ kinds }: Pick<Admitted, 'kinds'>, value: unknown): boolean {
  if (kinds === undefined || kinds.includes(kindOf(value))) return true
  return kinds.includes('integer') && Number.isInteger(value)
}

function nameOf(located: Located, facts: Pick<Variant, 'kinds' | 'literals' | 'tags'>, index: number): string {
  const place = { schema: schemaObject(located.schema) ?? {}, pointer: located.pointer }
  const title = keyword(place.schema, 'title')
  if (typeof title === 'string') return title
  const reference = textKeyword(place, '$ref')
  const referred = reference?.split(/[/#]/).at(-1)
  if (referred !== undefined && referred !== '') return referred
  const [tag] = facts.tags
  if (tag !== undefined) return `${tag[0]}: ${quotedList(tag[1])}`
  if (facts.literals !== undefined) return quotedList(facts.literals)
  if (facts.kinds !== undefined && facts.kinds.length > 0)
    return facts.kinds.map((kind) => kindInWords(kind)).join(' or ')
  return `variant ${index + 1}`
}

function likenessTo(located: Located, facts: SchemaFacts): (value: unknown) => number {
  const required = new Set(facts.requiredNames(located))
  const tests = [...facts.tags(located)].map(([name, literals]): readonly [string, LiteralTest] => [
    name,
    literalTest(literals),
  ])
  const declared = declaredKinds(located, facts)
  return (value) => {
    if (!isFields(value)) return 0
    let points = 0
    for (const [name, test] of tests) if (Object.hasOwn(value, name) && test(value[name])) points += 8
    for (const name of required) if (Object.hasOwn(value, name)) points += 2
    for (const key of Object.keys(value)) {
      const field = declared.get(key)
      if (field !== undefined) points += admits(field, value[key]) ? 2 : 1
    }
    return points
  }
}

function declaredKinds(located: Located, facts: SchemaFacts): ReadonlyMap<string, Pick<Admitted, 'kinds'>> {
  const declared = new Map<string, Pick<Admitted, 'kinds'>>()
  for (const part of facts.conjuncts(located)) {
    const properties = schemaObject(keyword(schemaObject(part.schema) ?? {}, 'properties')) ?? {}
    for (const name of Object.keys(properties)) {
      const field = facts.field(part, name)
      if (field !== undefined && !declared.has(name)) declared.set(name, facts.admitted(field))
    }
  }
  return declared
}
