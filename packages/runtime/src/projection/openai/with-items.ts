import { type Fields, isFields } from '../../codec/json/kind.js'
import type { Report } from '../report/change.js'
import { mapSubschemas } from '../schema/map-subschemas.js'
import { typeList } from '../schema/merge-schemas.js'

/** A copy of a schema whose every array says what its items are: OpenAI refuses arrays that do not, strict or not. */
export function withItems(schema: Fields, pointer: string, report: Report): Fields {
  const inside = mapSubschemas(schema, pointer, (part, place) =>
    isFields(part) ? withItems(part, place, report) : part,
  )
  if (!typeList(schema.type).includes('array') || Object.hasOwn(schema, 'items')) return inside
  report({
    pointer,
    keyword: 'items',
    kind: 'changed',
    message: 'The array takes any items, which is written out as `items: {}`: OpenAI refuses arrays without it.',
    loosens: false,
  })
  return { ...inside, items: {} }
}
