import { defined } from '../defined.js'
import type { Defs, Json, Schema } from '../schema/json-schema.js'
import { resolveShape, shapeOf } from '../schema/read-shape.js'
import type { ShapeField } from '../schema/shape.js'
import type { PagingIr } from './types.js'

/** In lowercase without separators. If a tool has two arguments from one list, such as `limit` and `count`, the first name in the list counts. */
const pagingNames = {
  limit: [
    'limit',
    'pagesize',
    'perpage',
    'maxresults',
    'numresults',
    'resultsperpage',
    'maxitems',
    'take',
    'size',
    'count',
  ],
  offset: ['offset', 'skip', 'startindex', 'startat', 'startoffset'],
  page: ['page', 'pagenumber', 'pageno', 'pageindex'],
  cursor: [
    ...['cursor', 'pagetoken', 'nextcursor', 'nexttoken', 'nextpagetoken', 'startcursor', 'pagecursor'],
    ...['continuationtoken', 'startingafter', 'after'],
  ],
} as const

export function pagingOf(args: Schema, defs: Defs): PagingIr | undefined {
  const shape = resolveShape(shapeOf(args, defs), defs)
  const fields = shape.kind === 'object' ? shape.fields : []
  const find = (names: readonly string[], kind: 'number' | 'string'): ShapeField | undefined => {
    for (const name of names) {
      const field = fields.find((each) => plainName(each.name) === name && isOfKind(each, kind, defs))
      if (field !== undefined) return field
    }
    return undefined
  }
  const [offset, page] = [find(pagingNames.offset, 'number'), find(pagingNames.page, 'number')]
  const cursor = find(pagingNames.cursor, 'string')
  if (offset === undefined && page === undefined && cursor === undefined) return undefined
  const isFromZero = page !== undefined && (page.default === 0 || keyword(page, 'minimum') === 0)
  return defined({
    limit: find(pagingNames.limit, 'number')?.name,
    offset: offset?.name,
    page: page?.name,
    firstPage: isFromZero ? 0 : undefined,
    cursor: cursor?.name,
  })
}

function plainName(name: string): string {
  return name.replace(/[_\-.]/g, '').toLowerCase()
}

function isOfKind({ shape }: ShapeField, kind: 'number' | 'string', defs: Defs): boolean {
  const resolved = resolveShape(shape, defs)
  const variants = resolved.kind === 'union' ? resolved.variants : [resolved]
  return variants.some((variant) => variant.kind === kind)
}

function keyword({ shape: { schema } }: ShapeField, name: string): Json | undefined {
  return typeof schema === 'object' ? schema[name] : undefined
}
