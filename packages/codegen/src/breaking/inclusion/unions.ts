import { objectFrom, own } from '../../schema/json/json.js'
import type { Json, Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { refName } from '../../schema/json/pointer.js'
import { knownNames } from './declared-fields.js'
import { isDisjoint } from './disjoint.js'
import { firstList } from './finite-values.js'
import { flatten, schemaMap, textsOf, type Union } from './flatten.js'
import { typeNames, typesOf } from './json-types.js'
import type { Fit, Prover } from './prover.js'
import { type Refusal, tooMuch, whole } from './refusal.js'
import type { Taken } from './taken.js'

/** What of some values fits no variant of a union, or too many. */
export function fitUnion(taken: Taken, { keyword, variants }: Union, prover: Prover): Fit {
  const fits = variants.map((variant): Fit => {
    const flat = flatten([variant], prover.sides.taker)
    return flat === undefined ? { refusals: [tooMuch], applying: [] } : prover.fit(taken, flat)
  })
  const fitting = fits.filter((fit) => fit.refusals.length === 0)
  if (fitting.length === 0) return { refusals: nearest(taken, variants, fits, prover), applying: [] }
  if (keyword === 'anyOf') return { refusals: [], applying: fitting.flatMap((fit) => fit.applying) }
  const chosen = fits.findIndex((fit) => fit.refusals.length === 0)
  const isOnly = variants.every((variant, index) => index === chosen || isDisjoint(taken, variant, prover.sides))
  if (isOnly) return { refusals: [], applying: fits[chosen]?.applying ?? [] }
  return { refusals: [whole('variant', shown(taken.plain), 'exactly one of several')], applying: [] }
}

/** What the variant that was meant says, as far as one can tell which it was. */
function nearest(taken: Taken, variants: readonly Schema[], fits: readonly Fit[], prover: Prover): readonly Refusal[] {
  if (!prover.spend(variants.length)) return [tooMuch]
  const names = new Set(taken.plain.flatMap(knownNames))
  const meant = fits
    .filter((_, index) => !isDisjoint(taken, variants[index] ?? false, prover.sides))
    .map(({ refusals, applying }) => ({
      refusals,
      shared: applying.flatMap(knownNames).filter((name) => names.has(name)).length,
    }))
    .sort((a, b) => b.shared - a.shared || a.refusals.length - b.refusals.length)
  const [first] = meant
  // What one variant refuses another may take, so that each value fits one of them: no witness is found then.
  if (first !== undefined) return first.refusals
  return [whole('variant', shown(taken.plain), variants.map(briefly))]
}

/** What tells a variant from others: its tags, else its kinds. */
function briefly(schema: Schema): Json {
  return typeof schema === 'boolean' ? schema : shown([schema])
}

function shown(plain: readonly SchemaObject[]): Json {
  const tags = plain.flatMap((schema) =>
    schemaMap(schema, 'properties').flatMap(([name, part]) => {
      const value = typeof part === 'boolean' ? undefined : own(part, 'const')
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  if (tags.length > 0) return objectFrom(tags)
  const names = textsOf(plain, '$ref').map((reference) => refName(reference) ?? reference)
  return names[0] ?? firstList(plain) ?? typeNames(typesOf(plain))
}
