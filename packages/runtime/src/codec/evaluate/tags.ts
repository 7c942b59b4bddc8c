import type { JsonValue } from '../../contract/json.js'
import { isContainer } from '../json/kind.js'
import type { Located } from './references.js'
import type { SchemaFacts } from './schema-facts.js'

/** Literals by the field that must hold one of them. */
export type Tags = ReadonlyMap<string, readonly JsonValue[]>

/** The fields that every object of a schema has with one of a few literals: what can tell variants apart. */
export function tagsOf(located: Located, facts: SchemaFacts): Tags {
  const tags = new Map<string, readonly JsonValue[]>()
  for (const name of facts.requiredNames(located)) {
    const field = facts.field(located, name)
    const literals = field === undefined ? undefined : facts.admitted(field).literals
    if (literals !== undefined && !literals.some(isContainer)) tags.set(name, literals)
  }
  return tags.size > 0 ? tags : commonTags(located, facts)
}

/** The tags that all variants of a union have. */
function commonTags(located: Located, facts: SchemaFacts): Tags {
  const tags = new Map<string, readonly JsonValue[]>()
  for (const union of ['anyOf', 'oneOf'] as const) {
    const variants = facts.conjuncts(located).flatMap((part) => facts.variants(part, union))
    const [first, ...others] = variants.map((variant) => facts.tags(variant))
    for (const [name, literals] of first ?? []) {
      const lists = others.map((other) => other.get(name))
      if (lists.every((list) => list !== undefined)) tags.set(name, [...new Set([literals, ...lists].flat())])
    }
  }
  return tags
}
