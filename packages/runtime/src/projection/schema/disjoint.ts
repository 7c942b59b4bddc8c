import type { Located } from '../../codec/evaluate/references.js'
import type { SchemaFacts } from '../../codec/evaluate/schema-facts.js'
import { equalityKey } from '../../codec/json/equality-key.js'

/** Whether no value matches two of the schemas, as far as kinds, literals and tags tell. */
export function areDisjoint(schemas: readonly Located[], facts: SchemaFacts): boolean {
  return schemas.every((a, at) => schemas.slice(at + 1).every((b) => excludeEachOther(a, b, facts)))
}

function excludeEachOther(a: Located, b: Located, facts: SchemaFacts): boolean {
  const [left, right] = [facts.admitted(a), facts.admitted(b)]
  if (haveNothingInCommon(left.literals, right.literals)) return true
  if (left.kinds === undefined || right.kinds === undefined) return false
  const widened = new Set(right.kinds.map((kind) => (kind === 'integer' ? 'number' : kind)))
  const common = left.kinds.filter((kind) => widened.has(kind === 'integer' ? 'number' : kind))
  if (common.length === 0) return true
  if (common.some((kind) => kind !== 'object')) return false
  const tags = facts.tags(b)
  return [...facts.tags(a)].some(([name, literals]) => haveNothingInCommon(literals, tags.get(name)))
}

function haveNothingInCommon(a: readonly unknown[] | undefined, b: readonly unknown[] | undefined): boolean {
  if (a === undefined || b === undefined) return false
  const known = new Set(b.map(equalityKey))
  return !a.some((value) => known.has(equalityKey(value)))
}
