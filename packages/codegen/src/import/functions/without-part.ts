import { isObject, own, withKey, without } from '../../schema/json/json.js'
import type { Json } from '../../schema/json/json-schema.js'

/** A copy of a value without the property to which keys lead; the value itself where they lead to none. */
export function withoutPart(json: Json, keys: readonly (string | number)[]): Json {
  const [first, ...rest] = keys.map(String)
  if (first === undefined) return json
  if (Array.isArray(json)) {
    return json.map((item: Json, index) => (String(index) === first ? withoutPart(item, rest) : item))
  }
  if (!isObject(json)) return json
  if (rest.length === 0) return without(json, [first])
  const part = own(json, first)
  return part === undefined ? json : withKey(json, first, withoutPart(part, rest))
}
