import fastJsonStringify from 'fast-json-stringify'
import { jsonSchemas } from './json-schemas.mjs'

export const name = 'fast-json-stringify'

export const operations = {
  encode: (shape) => fastJsonStringify(jsonSchemas()[shape]),
}
