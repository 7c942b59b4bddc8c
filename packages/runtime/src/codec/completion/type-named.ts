import { keyword, schemaObject } from '../evaluate/keywords.js'
import type { Located } from '../evaluate/references.js'
import { type JsType, jsTypes } from '../typed/js-type.js'

/** The JavaScript type that a schema names for its values. */
export function typeNamed({ schema }: Located): JsType | undefined {
  const name = keyword(schemaObject(schema) ?? {}, 'x-js')
  return jsTypes.find((type) => type === name)
}
