import { listKeyword } from '../../codec/evaluate/keywords.js'
import { equalityKey } from '../../codec/json/equality-key.js'
import type { WrittenSchema } from '../report/change.js'
import type { NullPlan } from './null-plan.js'
import { type StrictNode, type StrictSite, unsayable } from './strict-site.js'

/** The keywords that are dealt with here. */
export const arrayKeywords: readonly string[] = ['items', 'prefixItems', 'unevaluatedItems']

/** An array schema with what becomes of its items. */
export interface StrictArray {
  readonly schema: WrittenSchema
  readonly items: { readonly first: readonly (NullPlan | undefined)[]; readonly rest: NullPlan | undefined }
  /** What the description should say of the items. */
  readonly notes: readonly string[]
}

/** Writes an array: one schema for all of its items. */
export function strictArray(site: StrictSite): StrictArray {
  const { schema, pointer, context } = site
  const first = (listKeyword(site, 'prefixItems') ?? []).map((item, at) =>
    context.write(item, `${pointer}/prefixItems/${at}`),
  )
  if (first.length > 0) return strictTuple(site, first)
  if (!Object.hasOwn(schema, 'items')) {
    unsayable(site, 'items', 'The array does not say what its items are; strict mode needs that.')
    return { schema: { type: 'array' }, items: { first: [], rest: undefined }, notes: [] }
  }
  const items = context.write(schema.items, `${pointer}/items`)
  return { schema: { type: 'array', items: items.schema }, items: { first: [], rest: items.plan }, notes: [] }
}

/** Strict mode has no places in arrays: every item may be what any of them may be. */
function strictTuple(site: StrictSite, first: readonly StrictNode[]): StrictArray {
  const { schema, pointer, context } = site
  const { items, maxItems } = schema
  const most = typeof maxItems === 'number' ? maxItems : Number.POSITIVE_INFINITY
  const isOpen = most > first.length && (items === undefined ? schema.unevaluatedItems !== false : items !== false)
  const rest = isOpen && items !== undefined ? context.write(items, `${pointer}/items`) : undefined
  if (isOpen && rest === undefined) {
    unsayable(site, 'prefixItems', 'The array does not say what its further items are; strict mode needs that.')
  }
  const nodes = [...first, ...(rest === undefined ? [] : [rest])]
  const variants = [...new Map(nodes.map(({ schema }) => [equalityKey(schema), schema])).values()]
  const [only] = variants
  const loosens = variants.length > 1
  context.report({
    pointer,
    keyword: 'prefixItems',
    kind: loosens ? 'moved_to_description' : 'changed',
    message: loosens
      ? 'Strict mode has no items by place; every item may be what any of them may be, and the description says which.'
      : 'The items by place, which are all the same, are written as `items`.',
    loosens,
  })
  const written = {
    type: 'array',
    items: loosens || only === undefined ? { anyOf: variants } : only,
    ...(!isOpen && { maxItems: Math.min(first.length, most) }),
  }
  return {
    schema: written,
    items: { first: first.map((item) => planOf(item, nodes)), rest: rest && planOf(rest, nodes) },
    notes: loosens ? [`The items are, in order: ${first.map((item) => itemName(item.schema)).join(', ')}.`] : [],
  }
}

/** At a place the model may have written what belongs to another one: the item that belongs there comes first. */
function planOf(node: StrictNode, all: readonly StrictNode[]): NullPlan | undefined {
  return all.every(({ plan }) => plan === undefined) ? undefined : { kind: 'either', variants: [node, ...all] }
}

function itemName(schema: WrittenSchema): string {
  if (typeof schema.title === 'string') return schema.title
  const types = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type
  return typeof types === 'string' ? types : 'value'
}
