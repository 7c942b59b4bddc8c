import { pointerOf } from '@toolgen/runtime/schema'
import { atPointer, type Json, type SchemaFault } from '../json-schema.js'
import { typeNames } from '../keywords.js'

/** What the loose dialects of function calling call the types of JSON Schema; `any` restricts nothing. */
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

/** What a type of one of these languages could be; a person has to choose. */
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

/** Whether JSON Schema itself knows the name of a type. */
export function isStandardType(name: string): boolean {
  return typeNames.includes(name)
}

/**
 * What a name of a type means: one of JSON Schema's, `any`, or `undefined` where that would be a guess. Upper and lower
 * case do not count.
 */
export function meaningOfType(name: string): string | undefined {
  return meanings.get(name.toLowerCase())
}

/** What to write in place of a type whose meaning would be a guess, as code; `undefined` where nothing is known. */
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

/** What was repaired, by the code that explains it. */
type Repair = 'TG3030' | 'TG3031' | 'TG3032' | 'TG3033' | 'TG3034'

/** Where repairs are written down. */
export type Report = (fault: SchemaFault) => void

const codes: Readonly<Record<'type' | 'default' | 'enum' | 'required' | 'form', Repair>> = {
  type: 'TG3030',
  default: 'TG3031',
  enum: 'TG3032',
  required: 'TG3033',
  form: 'TG3034',
}

/** What a repair concerns, as a person reads it. */
interface RepairFacts {
  readonly kind: keyof typeof codes
  /** The keys of the schema that was repaired. */
  readonly keys: readonly string[]
  readonly keyword: string
  /** What it was and what it became, e.g. `the type \`dict\` is read as \`object\``. */
  readonly what: string
  /** What to write instead. */
  readonly next: string
}

/** A repair that means what was written: nobody has to look at it. */
export function translated(facts: RepairFacts): SchemaFault {
  return fault('note', facts)
}

/** A repair that loses or chooses something. */
export function repaired(facts: RepairFacts): SchemaFault {
  return fault('warning', facts)
}

/** A deviation whose repair would be a guess. */
export function guess(facts: RepairFacts): SchemaFault {
  return fault('error', facts)
}

/** A JSON value in a message, cut where it is long. */
export function shown(value: Json): string {
  const text = JSON.stringify(value)
  return `\`${text.length > 120 ? `${Array.from(text).slice(0, 120).join('')}...` : text}\``
}

function fault(severity: SchemaFault['severity'], { kind, keys, keyword, what, next }: RepairFacts): SchemaFault {
  const message = `${what.slice(0, 1).toUpperCase()}${what.slice(1)}, ${atPointer(pointerOf(keys))}.`
  return { code: codes[kind], severity, message, next, trail: [...keys, keyword] }
}
