import { deepEqual, isTyped, type JsType, jsTypeOf, pointerOf, typedText } from '@toolgen/runtime/schema'
import {
  atPointer,
  isObject,
  own,
  type Schema,
  type SchemaDiagnostic,
  type SchemaObject,
  schemaError,
} from './json-schema.js'

export const wireForms: { readonly [Type in JsType]: SchemaObject } = {
  Date: { type: 'string', format: 'date-time', 'x-js': 'Date' },
  bigint: { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', maxLength: 1000, 'x-js': 'bigint' },
  Uint8Array: { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' },
}

const names: readonly JsType[] = ['Date', 'bigint', 'Uint8Array']

/** Programs that do not know `x-js` need one of these keywords next to `x-js`. */
const tellingKeywords: { readonly [Type in JsType]: string } = {
  Date: 'format',
  bigint: 'pattern',
  Uint8Array: 'contentEncoding',
}

export function jsTypeOfJsType(schema: Schema): JsType | undefined {
  const name = isObject(schema) ? own(schema, 'x-js') : undefined
  return names.find((known) => known === name)
}

export function jsTypeError(schema: SchemaObject, keys: readonly (string | number)[]): SchemaDiagnostic | undefined {
  const name = own(schema, 'x-js')
  if (name === undefined) return undefined
  const type = jsTypeOfJsType(schema)
  const known = names.map((each) => `\`${each}\``).join(', ')
  if (type === undefined) {
    return diagnostic(`\`x-js\` is ${JSON.stringify(name)}, which is not a known type`, `Write one of ${known}.`, keys)
  }
  const next = `Write \`${JSON.stringify(wireForms[type])}\`, or remove \`x-js\`: the value is then a string.`
  const types = own(schema, 'type')
  const isText = types === 'string' || (Array.isArray(types) && types.includes('string'))
  if (!isText) return diagnostic(`\`x-js\` converts a string to a ${type}, but the type is not \`string\``, next, keys)
  const listed = ['enum', 'const'].find((keyword) => Object.hasOwn(schema, keyword))
  if (listed !== undefined) return diagnostic(`\`x-js\` cannot be combined with \`${listed}\``, next, keys)
  const keyword = tellingKeywords[type]
  const input = own(schema, keyword)
  const isRecognized = type === 'bigint' ? typeof input === 'string' : input === wireForms[type][keyword]
  return isRecognized
    ? undefined
    : diagnostic(`\`x-js: ${type}\` requires \`${keyword}\`, which describes the string to other readers`, next, keys)
}

function diagnostic(what: string, next: string, keys: readonly (string | number)[]): SchemaDiagnostic {
  const message = `The schema ${atPointer(pointerOf(keys))} is invalid: ${what}.`
  return schemaError('TG3018', message, next, [...keys, 'x-js'])
}

export function jsTypeOfValue(value: unknown): JsType | undefined {
  return isTyped(value) ? jsTypeOf(value) : undefined
}

const maxTextDepth = 200

export function withWireTexts(
  value: unknown,
  isText: (keys: readonly (string | number)[], type: JsType) => boolean = () => true,
  keys: readonly (string | number)[] = [],
): unknown {
  if (isTyped(value)) return isText(keys, jsTypeOf(value)) ? (typedText(value) ?? value) : value
  if (typeof value !== 'object' || value === null || keys.length > maxTextDepth) return value
  if (Array.isArray(value)) return value.map((item: unknown, index) => withWireTexts(item, isText, [...keys, index]))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value
  const entries: [string, unknown][] = Object.entries(value)
  return Object.fromEntries(entries.map(([key, item]) => [key, withWireTexts(item, isText, [...keys, key])]))
}

export function holdsTyped(value: unknown, depth: number = 0): boolean {
  if (isTyped(value)) return true
  if (typeof value !== 'object' || value === null || depth > maxTextDepth) return false
  return Object.values(value).some((part) => holdsTyped(part, depth + 1))
}

/** Dates must be the same object, because two equal dates can both be the current time. */
export function isSameConstant(first: unknown, second: unknown): boolean {
  if (jsTypeOfValue(first) === 'Date' || jsTypeOfValue(second) === 'Date') return first === second
  if (
    holdsTyped(first) &&
    typeof first === 'object' &&
    typeof second === 'object' &&
    first !== null &&
    second !== null
  ) {
    if (isTyped(first) || isTyped(second)) return deepEqual(first, second)
    const [entries, others] = [Object.entries(first), new Map(Object.entries(second))]
    return entries.length === others.size && entries.every(([key, part]) => isSameConstant(part, others.get(key)))
  }
  return typeof first === 'bigint' ? first === second : JSON.stringify(first) === JSON.stringify(second)
}
