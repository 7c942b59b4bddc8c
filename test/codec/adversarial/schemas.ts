// biome-ignore-all lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema
import type { Json, Schema, SchemaObject } from '../../../packages/codegen/src/schema/json-schema.js'
import type { SchemaCase } from '../differential/compiled-codecs.js'

const date = { type: 'string', format: 'date-time', 'x-js': 'Date' }
const big = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', maxLength: 1000, 'x-js': 'bigint' }
const bytes = { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' }
const a = { type: 'object', properties: { a: { type: 'string' } } }
const b = { type: 'object', properties: { b: { type: 'string' } } }
const withDefault = { type: 'object', properties: { a: {}, b: { default: 1 }, c: {} } }
const integer = { type: 'integer' }

/** Returns an object schema whose properties have the names of inherited properties. */
function hostileFields(field: Json): SchemaObject {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']
  return Object.fromEntries(names.map((name) => [name, field]))
}

function only(tag: string, field: string): SchemaObject {
  return { type: 'object', properties: { tag: { const: tag }, [field]: {} }, required: ['tag'] }
}

/** Schemas that apply to hostile values, by topic. */
const alone: Readonly<Record<string, Schema>> = {
  'anything at all': true,
  'nothing at all': false,
  'no keywords': {},
  'hostile names, declared': {
    type: 'object',
    properties: hostileFields({ type: 'object', default: { polluted: true } }),
  },
  'hostile names, whole numbers': { type: 'object', properties: hostileFields(integer) },
  'hostile names, required': { type: 'object', required: ['__proto__', 'constructor', 'toString'] },
  'hostile names, required and declared': {
    type: 'object',
    properties: hostileFields({}),
    required: ['__proto__', 'constructor'],
  },
  'hostile names, depending': { type: 'object', dependentRequired: { constructor: ['x'], toString: ['__proto__'] } },
  'hostile names, depending schemas': { ...a, dependentSchemas: hostileFields(b) },
  'hostile names by pattern': { type: 'object', patternProperties: { '^__proto__$': integer, o: {} } },
  'a hostile tag': {
    anyOf: ['a', 'b'].map((tag) => ({
      type: 'object',
      properties: { constructor: { const: tag }, [tag]: integer },
      required: ['constructor'],
    })),
  },
  'a map of objects': { type: 'object', additionalProperties: { type: 'object' } },
  'a map of anything': { type: 'object', additionalProperties: true },
  'a map of numbers': { type: 'object', additionalProperties: { type: 'number' } },
  'names of limited length': { type: 'object', propertyNames: { maxLength: 2 } },
  'names from a list': { type: 'object', propertyNames: { enum: ['a', 'key', '__proto__'] } },
  'so many fields': { type: 'object', minProperties: 1, maxProperties: 2 },
  'an object without fields': { type: 'object', properties: {} },
  'a whole number': integer,
  'a number in a range': { type: 'number', minimum: -1e300, exclusiveMaximum: 9007199254740992 },
  'a multiple of a cent': { type: 'number', multipleOf: 0.01 },
  'a multiple of a very small number': { type: 'number', multipleOf: 1e-8 },
  'a few kinds': { type: ['integer', 'string', 'null'] },
  'a text of two characters': { type: 'string', minLength: 2, maxLength: 2 },
  'a text by code points': { type: 'string', pattern: '^.$' },
  'a text with hostile characters': { type: 'string', pattern: '^[\\w-.`$\\/"\'\\\\\\u2028]+$' },
  'a text with a format and a pattern': { type: 'string', format: 'date', pattern: '^20' },
  'text of every format': {
    type: 'array',
    items: {
      anyOf: ['uri', 'regex', 'ipv6', 'email', 'duration', 'uuid'].map((format) => ({ type: 'string', format })),
    },
  },
  'small things that differ': { enum: [0, false, null, '', [], {}] },
  'null alone': { const: null },
  'false alone': { const: false },
  'zero alone': { const: 0 },
  'a deep literal': { enum: [{ a: [1, { b: 2 }], c: 3 }] },
  'many literals': { enum: Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? index : `t${index}`)) },
  'unique items': { type: 'array', uniqueItems: true },
  'unique objects': { type: 'array', uniqueItems: true, items: withDefault },
  'a list of numbers': { type: 'array', items: { type: 'number' } },
  'a list of anything': { type: 'array' },
  'some items': { type: 'array', contains: integer, minContains: 2, maxContains: 3 },
  'a tuple': { type: 'array', prefixItems: [a, integer], items: b },
  'a closed tuple': { type: 'array', prefixItems: [integer, { type: 'string' }], items: false, minItems: 1 },
  'two parts': { allOf: [a, b] },
  'one of two': { anyOf: [a, b] },
  'one of two or an open one': { anyOf: [{ type: 'object' }, a] },
  'two open ones': {
    oneOf: [
      { ...a, additionalProperties: true, required: ['a'] },
      { ...b, additionalProperties: true, required: ['b'] },
    ],
  },
  'a tagged union': { oneOf: [only('x', 'a'), only('y', 'b')] },
  'a union of kinds': { anyOf: [{ type: 'string' }, integer, { type: 'array', items: a }, a, { type: 'null' }] },
  'rules between fields': { ...withDefault, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
  'a condition': { ...a, if: { required: ['a'] }, then: b, else: { required: ['zz'] } },
  'a refusal': { ...withDefault, not: { required: ['b'] } },
  'a refused field': { ...a, not: { ...b, required: ['b'], properties: { b: { const: 1 } } } },
  'an undeclared field that is required': { ...a, required: ['a', 'x'] },
  'no other fields': { ...a, additionalProperties: false },
  'nothing unevaluated': { ...a, unevaluatedProperties: false },
  'anything unevaluated': { ...a, unevaluatedProperties: true },
  'defaults deep inside': {
    type: 'object',
    properties: { a: { ...withDefault, default: {} }, list: { type: 'array', items: withDefault } },
  },
  'fields in the order of numbers': {
    type: 'object',
    properties: { b: {}, 2: {}, a: {}, 1: {} },
    additionalProperties: true,
  },
  'typed values': { type: 'object', properties: { a: date, b: big, c: bytes } },
  'typed values, required': { type: 'object', properties: { a: date, b: big }, required: ['a', 'b'] },
  'a typed list': { type: 'array', items: date, uniqueItems: true },
  'a typed map': { type: 'object', additionalProperties: big },
  'a date or null': { anyOf: [date, { type: 'null' }] },
  'a date or text': { type: 'object', properties: { a: { anyOf: [date, { type: 'string' }] } } },
  'text or a date': { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, date] } } },
  'a bounded typed text': {
    type: 'object',
    properties: { c: { ...bytes, maxLength: 4 }, a: { allOf: [date, { not: { const: 'x' } }] } },
  },
  'hostile descriptions': {
    type: 'object',
    description: '*/ `${1}` \u2028',
    properties: {
      "a'b": { type: 'string', description: '*/' },
      '`${x}`': integer,
      '*/': {},
      '\u2028': { const: '\u2028\'"\\' },
    },
  },
}

const together: readonly (readonly [string, SchemaCase])[] = [
  [
    'a list of lists',
    { schema: { $ref: '#/$defs/List' }, defs: { List: { type: 'array', items: { $ref: '#/$defs/List' } } } },
  ],
  [
    'a tree',
    {
      schema: { $ref: '#/$defs/Tree' },
      defs: {
        Tree: {
          type: 'object',
          properties: {
            a: {},
            next: { $ref: '#/$defs/Tree' },
            list: { type: 'array', items: { $ref: '#/$defs/Tree' } },
          },
        },
      },
    },
  ],
  [
    'a tree or null',
    {
      schema: { type: 'object', properties: { next: { anyOf: [{ $ref: '#/$defs/Tree' }, { type: 'null' }] } } },
      defs: {
        Tree: {
          type: 'object',
          properties: { next: { anyOf: [{ $ref: '#/$defs/Tree' }, { type: 'null' }] } },
          required: ['next'],
        },
      },
    },
  ],
  [
    'a tree of maps',
    {
      schema: { $ref: '#/$defs/Map' },
      defs: { Map: { type: 'object', additionalProperties: { $ref: '#/$defs/Map' } } },
    },
  ],
]

/** All schemas that are tested with hostile values, with names. */
export const hostileSchemas: readonly (readonly [name: string, source: SchemaCase])[] = [
  ...Object.entries(alone).map(([name, schema]) => [name, { schema, defs: {} }] as const),
  ...together,
]
