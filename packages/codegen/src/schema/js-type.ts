import { type JsType, pointerOf } from '@toolgen/runtime/schema'
import { atPointer, isObject, own, type Schema, type SchemaFault, type SchemaObject } from './json-schema.js'

/** Every type with the schema of its wire form. */
export const wireForms: { readonly [Type in JsType]: SchemaObject } = {
  Date: { type: 'string', format: 'date-time', 'x-js': 'Date' },
  bigint: { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', maxLength: 1000, 'x-js': 'bigint' },
  Uint8Array: { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' },
}

const names: readonly JsType[] = ['Date', 'bigint', 'Uint8Array']

/** What tells readers who do not know `x-js` how the text is written; a bigint may have any pattern. */
const tellingKeywords: { readonly [Type in JsType]: string } = {
  Date: 'format',
  bigint: 'pattern',
  Uint8Array: 'contentEncoding',
}

/** The type that a schema names for its texts. */
export function jsTypeOf(schema: Schema): JsType | undefined {
  const name = isObject(schema) ? own(schema, 'x-js') : undefined
  return names.find((known) => known === name)
}

/** What is wrong with `x-js` of a schema: an unknown name, or beside it keywords that say something else. */
export function jsTypeFault(schema: SchemaObject, keys: readonly (string | number)[]): SchemaFault | undefined {
  const name = own(schema, 'x-js')
  if (name === undefined) return undefined
  const type = jsTypeOf(schema)
  const known = names.map((each) => `\`${each}\``).join(', ')
  if (type === undefined) {
    return fault(`\`x-js\` is ${JSON.stringify(name)}, which is no type of a value`, `Write one of ${known}.`, keys)
  }
  const next = `Write \`${JSON.stringify(wireForms[type])}\`, or leave out \`x-js\`: the value is then a text.`
  const types = own(schema, 'type')
  const isText = types === 'string' || (Array.isArray(types) && types.includes('string'))
  if (!isText) return fault(`\`x-js\` makes a ${type} of a text, but the type is not \`string\``, next, keys)
  const listed = ['enum', 'const'].find((keyword) => Object.hasOwn(schema, keyword))
  if (listed !== undefined) return fault(`\`x-js\` cannot stand beside \`${listed}\``, next, keys)
  const keyword = tellingKeywords[type]
  const given = own(schema, keyword)
  const isTold = type === 'bigint' ? typeof given === 'string' : given === wireForms[type][keyword]
  return isTold ? undefined : fault(`\`x-js: ${type}\` needs \`${keyword}\`, by which others read the text`, next, keys)
}

function fault(what: string, next: string, keys: readonly (string | number)[]): SchemaFault {
  const message = `The schema ${atPointer(pointerOf(keys))} is not usable: ${what}.`
  return { code: 'TG3018', severity: 'error', message, next, trail: [...keys, 'x-js'] }
}
