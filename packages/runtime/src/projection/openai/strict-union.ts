import { type Fields, isFields } from '../../codec/json/kind.js'
import { pointerOf } from '../../codec/json/pointer.js'
import { restrictingKeywords, without } from '../keywords/annotations.js'
import { described } from '../report/described.js'
import { areDisjoint } from '../schema/disjoint.js'
import { flattened, inlinedPart, located } from '../schema/flatten.js'
import { mergeSchemas } from '../schema/merge-schemas.js'
import { requiredNote, requiredSets } from '../schema/required-only.js'
import { type StrictNode, type StrictSite, strictNotes, unsayable } from './strict-site.js'

/** The union of a schema. */
export interface Union {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly variants: readonly unknown[]
  /** What the schema demands beside it. */
  readonly base: Fields
}

/** The union of a schema, if it has exactly one. */
export function unionOf(schema: Fields): Union | 'several' | undefined {
  const [keyword, other] = (['anyOf', 'oneOf'] as const).filter((name) => Array.isArray(schema[name]))
  if (keyword === undefined) return undefined
  if (other !== undefined) return 'several'
  const list = schema[keyword]
  return { keyword, variants: Array.isArray(list) ? list : [], base: without(schema, [keyword]) }
}

/** A schema without a union whose variants only say which fields must be given, with that in words. */
export function withoutRequiredSets(
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
export function strictUnion(site: StrictSite, union: Union): StrictNode {
  const { pointer, context, schema } = site
  const { keyword } = union
  const wholes = wholeVariants(site, union)
  if (wholes === undefined) {
    return unsayable(site, keyword, `What stands beside \`${keyword}\` cannot be written into its variants.`)
  }
  if (wholes.length === 0) return unsayable(site, keyword, 'No variant allows anything; strict mode cannot say that.')
  if (keyword === 'oneOf') {
    const places = wholes.map(({ whole, at }) => located(whole, context.document, `${pointer}/oneOf/${at}`))
    const loosens = !areDisjoint(places, context.document.facts)
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
