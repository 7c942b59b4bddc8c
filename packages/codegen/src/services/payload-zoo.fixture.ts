import type { Schema } from '../ir/types.js'
import {
  anyOf,
  base64,
  boolean,
  date,
  dateTime,
  integer,
  list,
  map,
  number,
  object,
  oneOf,
  orNull,
  string,
  type ToolCase,
  typedBigint,
  typedBytes,
  typedDate,
  uri,
} from './bound-design.fixture.js'

export type Case = readonly [parameters: string, payload: Schema, expected: string, binding?: Partial<ToolCase>]

const fields = (schema: Schema): Schema => object({ a: schema })
const tree: Schema = { $ref: '#/$defs/Tree' }
const even: Schema = { $ref: '#/$defs/Even' }
const dated: Schema = { $ref: '#/$defs/Dated' }
const animal: Schema = {
  anyOf: [object({ kind: oneOf('cat'), bornAt: dateTime }), object({ kind: oneOf('dog'), good: boolean })],
}

export const cases: Readonly<Record<string, Case>> = {
  'the same scalars pass': [
    'p: { a: string; b: number; c: boolean }',
    object({ a: string, b: number, c: boolean }),
    'pass',
  ],
  'an integer is a number': ['p: { a: number }', fields(integer), 'pass'],
  'a subset of literals passes': ["p: { a: 'x' | 'y' | 'z' }", fields(oneOf('x', 'y')), 'pass'],
  'a literal goes to its base': ['p: { a: string | number }', fields(oneOf('x', 1)), 'pass'],
  'a literal satisfies a template': ['p: { a: `ord-${string}` }', fields(oneOf('ord-1', 'ord-2')), 'pass'],
  'a literal breaks a template': ['p: { a: `ord-${string}` }', fields(oneOf('x-1')), 'TG4106'],
  'a string is no literal': ["p: { a: 'x' | 'y' }", fields(string), 'TG4106'],
  'a wider enum is no literal union': ["p: { a: 'x' | 'y' }", fields(oneOf('x', 'q')), 'TG4106'],
  'a string enum needs a cast': ['p: { a: Color }', fields(oneOf('red', 'blue')), 'convert'],
  'a numeric enum needs a mapper': ['p: { a: Level }', fields(integer), 'TG4106'],
  'an open union of literals takes strings': ["p: { a: 'x' | (string & {}) }", fields(string), 'pass'],
  'a brand needs a mapper': ['p: { a: OrderId }', fields(string), 'TG4107'],
  'a date-time becomes a Date': ['p: { a: Date }', fields(dateTime), 'convert'],
  'a date becomes a Date': ['p: { a: Date }', fields(date), 'convert'],
  'a plain string becomes no Date': ['p: { a: Date }', fields(string), 'TG4108'],
  'a number becomes no Date': ['p: { a: Date }', fields(number), 'TG4103'],
  'a date-time stays a string where it may': ['p: { a: string | Date }', fields(dateTime), 'pass'],
  'a class named Date is none': ['p: { a: ns.Date }', fields(dateTime), 'TG4103'],
  'number to string': ['p: { a: string }', fields(number), 'TG4103'],
  'string to number': ['p: { a: number }', fields(string), 'TG4103'],
  'integer to bigint': ['p: { a: bigint }', fields(integer), 'convert'],
  'number to bigint': ['p: { a: bigint }', fields(number), 'TG4103'],
  'string to bigint': ['p: { a: bigint }', fields(string), 'TG4103'],
  'base64 to bytes': ['p: { a: Uint8Array }', fields(base64), 'convert'],
  'plain string to bytes': ['p: { a: Uint8Array }', fields(string), 'TG4103'],
  'a Date stays one': ['p: { a: Date }', fields(typedDate), 'pass'],
  'a Date where a text may be too': ['p: { a: string | Date }', fields(typedDate), 'pass'],
  'a Date becomes a text': ['p: { a: string }', fields(typedDate), 'convert'],
  'a Date becomes no number': ['p: { a: number }', fields(typedDate), 'TG4103'],
  'a Date is no Date of others': ['p: { a: ns.Date }', fields(typedDate), 'TG4103'],
  'a bigint stays one': ['p: { a: bigint }', fields(typedBigint), 'pass'],
  'a bigint becomes a text': ['p: { a: string }', fields(typedBigint), 'convert'],
  'a bigint becomes no number': ['p: { a: number }', fields(typedBigint), 'TG4103'],
  'bytes stay bytes': ['p: { a: Uint8Array }', fields(typedBytes), 'pass'],
  'bytes are no Buffer': ['p: { a: Buffer }', fields(typedBytes), 'TG4103'],
  'bytes become no text': ['p: { a: string }', fields(typedBytes), 'TG4103'],
  'typed values by position': ['a: Date, b: bigint', object({ a: typedDate, b: typedBigint }), 'pass'],
  'typed values in lists and records': [
    'p: { a: readonly Date[]; b: Map<string, string>; c: Record<string, bigint> }',
    object({ a: list(typedDate), b: map(typedBigint), c: map(typedBigint) }),
    'convert',
  ],
  'a Date or null': ['p: { a: Date | null; b?: string }', object({ a: orNull(typedDate), 'b?': typedDate }), 'convert'],
  'a Date or a text, each its own way': ['p: { a: string }', fields(anyOf(typedDate, string)), 'convert'],
  'a bigint or a number, each its own way': [
    'p: { a: string | number }',
    fields(anyOf(typedBigint, number)),
    'convert',
  ],
  'uri to URL': ['p: { a: URL }', fields(uri), 'convert'],
  'array to readonly array': ['p: { a: readonly string[] }', fields(list(string)), 'pass'],
  'array to array is copied': ['p: { a: string[] }', fields(list(string)), 'convert'],
  'array of what does not fit': ['p: { a: number[] }', fields(list(string)), 'TG4103'],
  'array to Set': ['p: { a: Set<string> }', fields(list(string)), 'convert'],
  'record to Map': ['p: { a: Map<string, Date> }', fields(map(dateTime)), 'convert'],
  'record to a Map by numbers': ['p: { a: Map<number, string> }', fields(map(string)), 'TG4103'],
  'record to a Map by a few words': ["p: { a: Map<'x' | 'y', string> }", fields(map(string)), 'TG4103'],
  'record to a Map by text or numbers': ['p: { a: Map<string | number, string> }', fields(map(string)), 'convert'],
  'record to record': ['p: { a: Record<string, number> }', fields(map(number)), 'pass'],
  'array to tuple': ['p: { a: [string, string] }', fields(list(string)), 'TG4109'],
  'tuple to tuple': ['p: { a: readonly [string, number] }', fields(tuple(string, number)), 'pass'],
  'array to Iterable': ['p: { a: Iterable<string> }', fields(list(string)), 'TG4109'],
  'optional to optional': ['p: { a?: string }', object({ 'a?': string }), 'pass'],
  'optional to undefined keeps the key': ['p: { a: string | undefined }', object({ 'a?': string }), 'convert'],
  'optional to required': ['p: { a: string }', object({ 'a?': string }), 'TG4102'],
  'a default is always there': ['p: { a: string }', object({ 'a?': { type: 'string', default: 'x' } }), 'pass'],
  'null to null': ['p: { a: string | null }', fields(orNull(string)), 'pass'],
  'null to null around a conversion': ['p: { a: Date | null }', fields(orNull(dateTime)), 'convert'],
  'null to optional is left out': ['p: { a?: string }', fields(orNull(string)), 'convert'],
  'null to required': ['p: { a: string }', fields(orNull(string)), 'TG4104'],
  'a required key stays required though undefined is allowed': [
    'p: { a: string; b: string | undefined }',
    fields(string),
    'TG4101',
  ],
  'a required field without a source': [
    'p: { a: string; orderId: string }',
    object({ a: string, id: string }),
    'TG4101',
  ],
  'a unit literal fills itself': ["p: { a: string; type: 'order' }", fields(string), 'convert'],
  'an unused field': ['p: { b?: string }', fields(string), 'TG4112'],
  'an index signature takes a field': ['p: { b?: string; [key: string]: unknown }', fields(string), 'convert'],
  'defect 9a: a declared field of a parameter with an index signature': [
    'filter: Filter',
    object({ filter: object({ _id: string }) }),
    'TG4103',
  ],
  'defect 9a: a declared field of a parameter with an index signature, that fits': [
    'filter: Filter',
    object({ filter: object({ name: string }) }),
    'convert',
  ],
  'defect 9a: of one of two parameters': [
    'filter: Filter, update: { $set?: object; [name: string]: any }',
    object({ filter: object({ _id: string }), update: object({ a: string }) }),
    'TG4103',
  ],
  'defect 9a: a parameter that declares a field of its own name takes it': [
    'filter: { filter?: string; [name: string]: any }',
    object({ filter: string }),
    'convert',
  ],
  'defect 9a: a string is no parameter of its name that is an object': [
    'input: { title: string; [name: string]: any }',
    object({ title: string, input: string }),
    'convert',
  ],
  'defect 9a: a parameter that is a record takes a field of its name': [
    'input: Record<string, unknown>',
    object({ input: string, mode: string }),
    'convert',
  ],
  'defect 9b: in a nested object': ['p: { inner: Filter }', object({ inner: object({ _id: string }) }), 'TG4103'],
  'defect 9b: in an array': ['p: { each: Filter[] }', object({ each: list(object({ _id: string })) }), 'TG4103'],
  'defect 9b: of an intersection': [
    'filter: { _id?: Oid } & Record<string, any>',
    object({ filter: object({ _id: string }) }),
    'TG4103',
  ],
  'defect 9b: of a mapped type in an intersection': [
    "filter: Partial<Omit<Filter, 'x'>> & { $or?: Filter[]; [name: string]: any }",
    object({ filter: object({ $or: list(object({ _id: string })) }) }),
    'TG4103',
  ],
  'defect 9b: of a record with declared members': [
    "filter: Record<string, unknown> & Record<'_id', Oid>",
    object({ filter: object({ _id: string }) }),
    'TG4103',
  ],
  'defect 9b: of another alternative of a union': [
    'filter: { _id?: Oid } | { [name: string]: any }',
    object({ filter: object({ _id: string }) }),
    'TG4103',
  ],
  'defect 9b: of an alternative that a literal excludes': [
    "p: { kind: 'a'; value: number } | { kind: 'b'; [name: string]: any }",
    object({ kind: oneOf('b'), value: string }),
    'convert',
  ],
  'defect 9b: an optional field of the tool': [
    'filter: Filter',
    object({ filter: object({ '_id?': string }) }),
    'TG4103',
  ],
  'defect 9b: undeclared fields may have the name of a declared one': [
    'filter: Filter',
    object({ filter: map(string) }),
    'TG4103',
  ],
  'defect 9b: undeclared fields of which a declared one needs a conversion': [
    'p: { at?: Date; [name: string]: any }',
    map(dateTime),
    'TG4103',
  ],
  'defect 9b: undeclared fields that are all converted alike': [
    'p: { at?: Date; [name: string]: Date | undefined }',
    map(dateTime),
    'convert',
  ],
  'defect 9b: undeclared fields beside declared ones': [
    'filter: Filter',
    object({ filter: { ...Object(object({ name: string })), additionalProperties: string } }),
    'TG4103',
  ],
  'defect 9c: a field that another parameter declares': [
    'filter: { [name: string]: any }, options?: { limit?: number }',
    object({ status: string, limit: number }),
    'TG4112',
  ],
  'fields into a record': ['p: { [key: string]: unknown }', fields(string), 'convert'],
  'words match': ['p: { orderId: string }', object({ order_id: string }), 'convert'],
  'words match beside an index signature': [
    'p: { order_id?: string; [key: string]: unknown }',
    object({ orderId: string }),
    'convert',
  ],
  'acronyms match': ['p: { userID: string }', object({ user_id: string }), 'convert'],
  'two candidates match by their exact name alone': [
    'p: { aB?: string; a_b?: string }',
    object({ a_b: string }),
    'pass',
  ],
  'two candidates without an exact name': ['p: { aB?: string; a_b?: string }', object({ 'a-b': string }), 'TG4112'],
  'two fields for one': ['p: { aB: string }', object({ a_b: string, 'a-b': string }), 'TG4101'],
  'private names match themselves alone': ['p: { _id: string }', object({ id: string }), 'TG4101'],
  'any inside': ['p: { a: any }', fields(string), 'pass'],
  'any as a parameter': ['a: any', fields(string), 'TG4105'],
  'unknown inside': ['p: { a: unknown }', fields(map(string)), 'pass'],
  'any JSON to something': ['p: { a: string }', fields(true), 'TG4114'],
  'a class with private members': ['p: { a: Hidden }', fields(object({ x: string })), 'TG4111'],
  'a class with a hash member': ['p: { a: HashHidden }', fields(object({ x: string })), 'TG4111'],
  'a required function': ['p: { a: string; run(): void }', fields(string), 'TG4111'],
  'an optional function': ['p: { a: string; run?(): void }', fields(string), 'pass'],
  'an intersection is one object': ['p: { a: string } & { b: number }', object({ a: string, b: number }), 'pass'],
  'a union takes the alternative that uses most': [
    'p: { a: string } | { a: string; b: number }',
    object({ a: string, b: number }),
    'pass',
  ],
  'an enum discriminant is split': [
    "p: { a: { role: 'system'; text: string } | { role: 'user'; text: string } }",
    fields(object({ role: oneOf('system', 'user'), text: string })),
    'pass',
  ],
  'an enum discriminant is split with conversions': [
    "p: { a: { role: 'system'; at: Date } | { role: 'user'; at: string } }",
    fields(object({ role: oneOf('system', 'user'), at: dateTime })),
    'convert',
  ],
  'a discriminated payload': ["p: { kind: 'cat'; bornAt: Date } | { kind: 'dog'; good: boolean }", animal, 'convert'],
  'a union without a discriminator': [
    'p: { a: { at: Date; x: string } | { at: string; y: string } }',
    fields({ anyOf: [object({ at: dateTime, x: string }), object({ at: dateTime, y: string })] }),
    'TG4110',
  ],
  'an object or text': ['p: { a: string | { at: Date } }', fields(anyOf(string, object({ at: dateTime }))), 'convert'],
  'a list or an object': [
    'p: { a: readonly string[] | { at: Date } }',
    fields(anyOf(list(string), object({ at: dateTime }))),
    'convert',
  ],
  'text, a number, a list of conversions or null': [
    'p: { a: string | number | Date[] | null }',
    fields(anyOf(oneOf('x', 1), list(dateTime), { type: 'null' })),
    'convert',
  ],
  'discriminated objects or text': ['p: { a: Animal | string }', fields(anyOf(animal, string)), 'convert'],
  'two lists that convert differently': [
    'p: { a: Set<string> | { at: Date }[] }',
    fields(anyOf(list(string), list(object({ at: dateTime })))),
    'TG4110',
  ],
  'an unused parameter by its words': ['_thought: string, __mode?: string', object({ thought: string }), 'pass'],
  'an unused parameter beside its twin': ['_id: string, id: string', object({ id: string, _id: string }), 'pass'],
  'an unused parameter that two may mean': ['_aB: string, a_b: string', object({ 'a-b': string }), 'TG4101'],
  'by position': ['id: string, limit: number', object({ id: string, limit: number }), 'pass'],
  'by position and words': ['customerId: string', object({ customer_id: string }), 'pass'],
  'position and bag': [
    'id: string, params: { name: string; age?: number }',
    object({ id: string, name: string }),
    'convert',
  ],
  'trailing options are left alone': ['id: string, options?: { timeout?: number }', object({ id: string }), 'pass'],
  'trailing options take what is left': [
    'id: string, options?: { timeout?: number }',
    object({ id: string, 'timeout?': number }),
    'convert',
  ],
  'trailing options may take a signal': ['id: string, options?: Cancellable', object({ id: string }), 'pass'],
  'options that are only a signal may be required': [
    'id: string, options: { signal: AbortSignal }',
    object({ id: string }),
    'pass',
  ],
  'options that need more than a signal have no source': [
    'id: string, options: { signal: AbortSignal; token: string }',
    object({ id: string }),
    'TG4101',
  ],
  'a signal may be a parameter of its own': ['id: string, signal?: AbortSignal', object({ id: string }), 'pass'],
  'a signal beside the fields of a request': [
    'request: { id: string; abortSignal?: AbortSignal | null }',
    object({ id: string }),
    'pass',
  ],
  'a signal beside fields that are converted': [
    'request: { at: Date; signal?: AbortSignal }',
    object({ at: dateTime }),
    'convert',
  ],
  'a signal beside constants': [
    'id: string, options?: Cancellable',
    object({ id: string }),
    'convert',
    { constants: { timeout: 5 } },
  ],
  'a signal of the payload is its own': ['p: { signal: string }', object({ signal: string }), 'pass'],
  'a signal in one variant of a request is left alone': [
    'p: { id: string; signal?: AbortSignal } | { id: string; other?: string }',
    object({ id: string }),
    'pass',
  ],
  'a signal in a rest tuple is left alone': [
    '...args: [id: string, limit?: number, options?: Cancellable]',
    object({ id: string }),
    'pass',
  ],
  'a loose trailing parameter does not catch a field of the bag': [
    'request: { token: string; options?: { n?: number } }, options?: any',
    object({ token: string, 'options?': object({ 'n?': number }) }),
    'pass',
  ],
  'a loose trailing parameter does not catch it in an optional bag either': [
    'request?: { options?: { n?: number } }, options?: any',
    object({ 'options?': object({ 'n?': number }) }),
    'pass',
  ],
  'an object parameter by its own name': ['order: { id: string }', object({ order: object({ id: string }) }), 'pass'],
  'a bag whose field has its name': ['input: { input: string }', object({ input: string }), 'pass'],
  'a rest parameter takes a list': ['...ids: string[]', object({ ids: list(string) }), 'pass'],
  'a rest parameter takes an optional list': ['...tags: string[]', object({ 'tags?': list(string) }), 'pass'],
  'a rest parameter takes a list that may be null': [
    '...tags: string[]',
    object({ 'tags?': orNull(list(string)) }),
    'pass',
  ],
  'a rest parameter takes an optional list with conversions': [
    '...dates: Date[]',
    object({ 'dates?': list(dateTime) }),
    'convert',
  ],
  'a rest parameter takes a list whose name every object has': [
    '...constructor: string[]',
    object({ 'constructor?': list(string) }),
    'pass',
  ],
  'a rest parameter takes no scalar': ['...ids: string[]', object({ ids: string }), 'TG4109'],
  'a rest tuple is parameters': ['...args: [id: string, limit: number]', object({ id: string, limit: number }), 'pass'],
  'an optional element of a rest tuple is never undefined': [
    '...args: [id: string, limit?: number]',
    object({ id: string, 'limit?': number }),
    'TG4102',
  ],
  'a gap before a later argument': [
    'id: string, note: string | undefined, limit: number',
    object({ id: string, limit: number }),
    'pass',
  ],
  'a missing parameter': ['id: string', object({ orderId: string }), 'TG4101'],
  'nothing for nobody': ['', object({}), 'pass'],
  'nothing for an optional bag': ['p?: { a?: string }', object({}), 'pass'],
  'nothing for a required bag': ['p: { a?: string }', object({}), 'pass'],
  'a rename': ['p: { orderId: string }', object({ id: string }), 'convert', { rename: { id: 'orderId' } }],
  'a rename of a parameter': ['orderId: string', object({ id: string }), 'pass', { rename: { id: 'orderId' } }],
  'a rename to nothing': [
    'p: { orderId: string }',
    object({ id: string }),
    'error TG4007',
    { rename: { id: 'orderID_' } },
  ],
  'a constant': ["p: { a: string; mode: 'x' | 'y' }", fields(string), 'convert', { constants: { mode: 'x' } }],
  'a constant by position': ["a: string, mode: 'x' | 'y'", fields(string), 'pass', { constants: { mode: 'x' } }],
  'a constant for nothing': ['p: { a: string }', fields(string), 'error TG4008', { constants: { mode: 'x' } }],
  'a constant that does not fit': [
    "p: { a: string; mode: 'x' }",
    fields(string),
    'error TG4009',
    { constants: { mode: 'q' } },
  ],
  'an object as a constant': [
    'p: { a: string; page: { size: number; tags?: string[] } }',
    fields(string),
    'convert',
    { constants: { page: { size: 3, tags: ['x'] } } },
  ],
  'recursion that changes nothing': ['p: Tree', tree, 'pass'],
  'recursion with a conversion': ['p: DatedTree', tree, 'TG4108'],
  'recursion through null with a conversion': ['p: { a: Dated }', fields(dated), 'convert'],
  'recursion through lists of nullable items': ['p: { a: Gaps }', fields({ $ref: '#/$defs/Gaps' }), 'convert'],
  'recursion through a definition that may be null': [
    'p: { a: Chain | null }',
    fields({ $ref: '#/$defs/Chain' }),
    'convert',
  ],
  'mutual recursion': ['p: Even', even, 'convert'],
  'a type that grows without end': ['p: { a: Grow<string> }', fields({ $ref: '#/$defs/Endless' }), 'TG4113'],
  'a missing type': ['p: { a: Missing }', fields(string), 'error TG4003'],
  'a type parameter is its constraint': ['p: { a: Param<string> }', fields(string), 'pass'],
  'an unknown object': ['p: { a: object }', fields(map(string)), 'pass'],
  'hostile names': [
    'p: { ["__proto__"]: string; constructor: string; "a-b"?: number }',
    object({ ['__proto__']: string, constructor: string, 'a-b?': number }),
    'pass',
  ],
  'null or absent to required': ['p: { a: string }', object({ 'a?': orNull(string) }), 'TG4104'],
  'null or absent to possibly undefined': ['p: { a: string | undefined }', object({ 'a?': orNull(string) }), 'convert'],
}

function tuple(...items: readonly Schema[]): Schema {
  return { type: 'array', prefixItems: items, items: false, minItems: items.length }
}

export const types: string = `
declare enum Color { Red = 'red', Blue = 'blue', Green = 'green' }
declare enum Level { Low = 1, High = 2 }
type Animal = { kind: 'cat'; bornAt: Date } | { kind: 'dog'; good: boolean }
interface Filter { _id?: Oid; name?: string; [name: string]: any }
declare class Oid { toHexString(): string }
type OrderId = string & { readonly __brand: 'OrderId' }
declare namespace ns { interface Date { getTime(): number } }
declare class Hidden { private secret: string; x: string }
declare class HashHidden { #secret: string; x: string }
interface Tree { name: string; children?: readonly Tree[] }
interface DatedTree { name: Date; children?: readonly DatedTree[] }
interface Dated { at: Date; children: Dated[]; parent?: Dated | null }
interface Gaps { at: Date; children: (Gaps | null)[] }
interface Chain { at: Date; next: Chain | null; last?: Chain | null }
interface Even { n: number; odd?: Odd }
interface Odd { n: number; theEven?: Even }
interface Grow<T> { value: string; next?: Grow<T[]> }
type Param<T extends string> = T
interface Cancellable { timeout?: number; signal?: AbortSignal }
`

export const defs: Readonly<Record<string, Schema>> = {
  Tree: object({ name: string, 'children?': list(tree) }),
  Dated: object({ at: dateTime, children: list(dated), 'parent?': orNull(dated) }),
  Gaps: object({ at: dateTime, children: list(orNull({ $ref: '#/$defs/Gaps' })) }),
  Chain: orNull(object({ at: dateTime, next: { $ref: '#/$defs/Chain' }, 'last?': { $ref: '#/$defs/Chain' } })),
  Even: object({ n: number, 'odd?': { $ref: '#/$defs/Odd' } }),
  Odd: object({ n: number, 'the_even?': even }),
  Endless: object({ value: string, 'next?': { $ref: '#/$defs/Endless' } }),
}
