import type { Json } from '../json-schema.js'
import { typeNames } from '../keywords.js'

const languages: Readonly<Record<string, readonly string[]>> = {
  string: ['str', 'text', 'char', 'character'],
  integer: ['int', 'long', 'short', 'byte', 'bigint', 'biginteger'],
  number: ['float', 'double', 'decimal', 'bigdecimal'],
  boolean: ['bool'],
  null: ['none', 'nonetype', 'nil'],
  array: [
    ...['list', 'arraylist', 'linkedlist', 'vector', 'tuple', 'set', 'hashset', 'linkedhashset', 'treeset'],
    ...['queue', 'deque', 'stack', 'collection'],
  ],
  object: ['dict', 'dictionary', 'map', 'hashmap', 'hashtable', 'linkedhashmap', 'treemap'],
  any: ['any'],
}

const meanings: ReadonlyMap<string, string> = new Map(
  Object.entries(languages).flatMap(([type, names]) => [type, ...names].map((name) => [name, type] as const)),
)

const proposals: ReadonlyMap<string, string> = new Map([
  ['date', "{ type: 'string', format: 'date' }"],
  ['time', "{ type: 'string', format: 'time' }"],
  ['datetime', "{ type: 'string', format: 'date-time' }"],
  ['timestamp', "{ type: 'string', format: 'date-time' }` or `{ type: 'integer' }"],
  ['bytes', "{ type: 'string', contentEncoding: 'base64' }"],
  ['url', "{ type: 'string', format: 'uri' }"],
  ['uuid', "{ type: 'string', format: 'uuid' }"],
  ['enum', "{ type: 'string', enum: [...] }"],
  ['function', "{ type: 'string' }"],
  ['object[]', "{ type: 'array', items: { type: 'object' } }"],
])

export function meaningOfType(name: string): string | undefined {
  return meanings.get(name.toLowerCase())
}

export function proposalForType(name: string): string | undefined {
  const known = proposals.get(name.toLowerCase())
  if (known !== undefined) return known
  const [, outer = '', inner = ''] = /^(\w+)\s*[[<(]\s*(.*?)\s*[\])>]$/.exec(name) ?? []
  const [whole, part] = [meaningOfType(outer), meaningOfType(inner.split(',').at(-1)?.trim() ?? '')]
  if (whole === 'array') return part === undefined ? "{ type: 'array', items: { ... } }" : listOf(part)
  if (whole === 'object') return part === undefined ? "{ type: 'object' }" : mapOf(part)
  const item = /^(\w+)\[\]$/.exec(name)?.[1]
  const itemType = item === undefined ? undefined : meaningOfType(item)
  return itemType === undefined ? undefined : listOf(itemType)
}

function listOf(type: string): string {
  return `{ type: 'array'${type === 'any' ? '' : `, items: { type: '${type}' }`} }`
}

function mapOf(type: string): string {
  return `{ type: 'object'${type === 'any' ? '' : `, additionalProperties: { type: '${type}' }`} }`
}

export function isForeignType(name: Json | undefined): boolean {
  return typeof name === 'string' && !typeNames.includes(name) && meaningOfType(name) !== undefined
}

export function isTypeText(value: Json | undefined): value is string {
  return typeof value === 'string' && meaningOfType(value) !== undefined
}
