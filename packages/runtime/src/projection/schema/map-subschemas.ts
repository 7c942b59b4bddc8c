import { allSubschemas } from '../../codec/evaluate/subschemas.js'
import { type Fields, isFields } from '../../codec/json/kind.js'
import { setOwn } from '../../codec/json/own.js'
import { pointerOf, type Segment } from '../../codec/json/pointer.js'
import type { DraftSchema } from '../report/change.js'

/** Replaces a schema that stands below another one; `undefined` takes it out of its list or map. */
export type ReplaceSubschema = (subschema: unknown, pointer: string) => unknown

/** A copy of a schema with every schema directly inside it replaced; data such as `default` stays as it is. */
export function mapSubschemas(schema: Fields, pointer: string, replace: ReplaceSubschema): DraftSchema {
  const copy: DraftSchema = { ...schema }
  const lists = new Map<Segment, unknown[]>()
  const maps = new Map<Segment, Record<string, unknown>>()
  for (const [subschema, keyword, key] of allSubschemas(schema)) {
    if (keyword === undefined) continue
    const made = replace(subschema, pointer + pointerOf(key === undefined ? [keyword] : [keyword, key]))
    if (key === undefined) {
      if (made === undefined) delete copy[keyword]
      else copy[keyword] = made
    } else if (typeof key === 'number') {
      if (!lists.has(keyword)) lists.set(keyword, [])
      if (made !== undefined) lists.get(keyword)?.push(made)
    } else {
      if (!maps.has(keyword)) maps.set(keyword, {})
      if (made !== undefined) setOwn(maps.get(keyword) ?? {}, key, made)
    }
  }
  for (const [keyword, list] of lists) copy[keyword] = list
  for (const [keyword, map] of maps) copy[keyword] = map
  return copy
}

/** Whether a value may be a schema. */
export function isSchema(value: unknown): value is boolean | Fields {
  return typeof value === 'boolean' || isFields(value)
}
