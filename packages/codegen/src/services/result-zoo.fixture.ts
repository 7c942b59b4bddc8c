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
  nil,
  number,
  object,
  oneOf,
  orNull,
  silent,
  string,
  type ToolCase,
  typedBigint,
  typedBytes,
  typedDate,
  uri,
} from './bound-design.fixture.js'

export type Case = readonly [returned: string, result: Schema, expected: string, answer?: ToolCase['answer']]

const fields = (schema: Schema): Schema => object({ a: schema })
const tree: Schema = { $ref: '#/$defs/Tree' }
const stamped: Schema = { $ref: '#/$defs/Stamped' }
const dated: Schema = { $ref: '#/$defs/Dated' }
const shape: Schema = {
  anyOf: [object({ kind: oneOf('circle'), radius: number }), object({ kind: oneOf('square'), side: number })],
}

export const cases: Readonly<Record<string, Case>> = {
  'the same scalars pass': [
    'Promise<{ a: string; b: number; c: boolean }>',
    object({ a: string, b: number, c: boolean }),
    'pass',
  ],
  'a value without a promise': ['{ a: string }', fields(string), 'pass'],
  'a thenable that is no Promise': ['Later<{ a: string }>', fields(string), 'pass'],
  'a thenable that is iterable too is awaited': [
    'Later<{ a: string }> & AsyncIterable<string>',
    fields(string),
    'pass',
  ],
  'an async iterable is a stream': ['AsyncIterable<{ a: string }>', fields(string), 'TG4211'],
  'an async generator is a stream': ['AsyncGenerator<{ a: string }>', fields(string), 'TG4211'],
  'a promise of a stream is one': ['Promise<AsyncGenerator<{ a: string }>>', fields(string), 'TG4211'],
  'a page that can be iterated over is a value': [
    'Promise<{ a: string } & AsyncIterable<string>>',
    fields(string),
    'pass',
  ],
  'a page that does not fit as a value is told as one': [
    'Promise<{ b: string } & AsyncIterable<string>>',
    fields(string),
    'TG4200',
  ],
  'a promise of a ReadableStream is a stream': [
    'Promise<ReadableStream<string>>',
    object({ locked: boolean }),
    'TG4211',
  ],
  'more fields are left out': ['Promise<{ a: string; secret: string }>', fields(string), 'convert'],
  'a nested surplus is left out': [
    'Promise<{ a: { x: string; y: string } }>',
    fields(object({ x: string })),
    'convert',
  ],
  'a surplus in items is left out': [
    'Promise<{ a: { x: string; y: string }[] }>',
    fields(list(object({ x: string }))),
    'convert',
  ],
  'an index signature is left out': ['Promise<{ a: string; [key: string]: string }>', fields(string), 'convert'],
  'words match': ['Promise<{ orderId: string }>', object({ order_id: string }), 'convert'],
  'a private name is not matched by words': ['Promise<{ _id: string }>', object({ id: string }), 'TG4200'],
  'a missing required field': ['Promise<{ b: string }>', fields(string), 'TG4200'],
  'an optional field that nobody makes': ['Promise<{ a: string }>', object({ a: string, 'b?': string }), 'TG4212'],
  'optional to optional': ['Promise<{ a?: string }>', object({ 'a?': string }), 'pass'],
  'undefined to optional': ['Promise<{ a: string | undefined }>', object({ 'a?': string }), 'convert'],
  'optional to required': ['Promise<{ a?: string }>', fields(string), 'TG4202'],
  'optional to required, checked': ['Promise<{ a?: string }>', fields(string), 'checked', 'checked'],
  'optional to nullable': ['Promise<{ a?: string }>', fields(orNull(string)), 'convert'],
  'null to null': ['Promise<{ a: string | null }>', fields(orNull(string)), 'pass'],
  'null to null around a conversion': [
    'Promise<{ a: { x: string; y: string } | null }>',
    fields(orNull(object({ x: string }))),
    'convert',
  ],
  'null to optional': ['Promise<{ a: string | null }>', object({ 'a?': string }), 'convert'],
  'null to required': ['Promise<{ a: string | null }>', fields(string), 'TG4204'],
  'null to required, checked': ['Promise<{ a: Date | null }>', fields(dateTime), 'checked', 'checked'],
  'a maybe missing answer': ['Promise<{ a: string } | undefined>', fields(string), 'TG4202'],
  'a maybe missing answer, checked': ['Promise<{ a: string } | undefined>', fields(string), 'checked', 'checked'],
  'a maybe missing answer to a nullable result': [
    'Promise<{ a: string } | undefined>',
    orNull(fields(string)),
    'convert',
  ],
  'void to null': ['Promise<void>', nil, 'convert'],
  'void to something': ['Promise<void>', fields(string), 'TG4203'],
  'something to null': ['Promise<string>', nil, 'TG4203'],
  'literals to an enum': ["Promise<{ a: 'x' | 'y' }>", fields(oneOf('x', 'y', 'z')), 'pass'],
  'a wider union of literals': ["Promise<{ a: 'x' | 'q' }>", fields(oneOf('x', 'y')), 'TG4206'],
  'a wider union of literals, checked': ["Promise<{ a: 'x' | 'q' }>", fields(oneOf('x', 'y')), 'checked', 'checked'],
  'any string to an enum': ['Promise<{ a: string }>', fields(oneOf('x', 'y')), 'TG4206'],
  'a string enum to a string': ['Promise<{ a: Color }>', fields(string), 'pass'],
  'a string enum to an enum': ['Promise<{ a: Color }>', fields(oneOf('red', 'blue')), 'convert'],
  'a numeric enum to a number': ['Promise<{ a: Level }>', fields(integer), 'pass'],
  'a brand to a string': ['Promise<{ a: OrderId }>', fields(string), 'pass'],
  'a Date stays one': ['Promise<{ a: Date }>', fields(typedDate), 'pass'],
  'a Date alone': ['Promise<Date>', typedDate, 'pass'],
  'a text becomes no Date': ['Promise<{ a: string }>', fields(typedDate), 'TG4203'],
  'a Date or text to a Date': ['Promise<{ a: Date | string }>', fields(typedDate), 'TG4210'],
  'a Date or text to a Date, checked': ['Promise<{ a: Date | string }>', fields(typedDate), 'checked', 'checked'],
  'a Date or text to both': ['Promise<{ a: Date | string }>', fields(anyOf(typedDate, string)), 'pass'],
  'a number becomes no Date': ['Promise<{ a: number }>', fields(typedDate), 'TG4203'],
  'a bigint stays one': ['Promise<{ a: bigint }>', fields(typedBigint), 'pass'],
  'a number becomes no bigint': ['Promise<{ a: number }>', fields(typedBigint), 'TG4203'],
  'bytes stay bytes': ['Promise<{ a: Uint8Array }>', fields(typedBytes), 'pass'],
  'a Buffer is bytes': ['Promise<{ a: Buffer }>', fields(typedBytes), 'pass'],
  'a URL is no bytes': ['Promise<{ a: URL }>', fields(typedBytes), 'TG4203'],
  'typed values beside a surplus': [
    'Promise<{ a: Date; b: { x: bigint; y: string }[]; secret: string }>',
    object({ a: typedDate, b: list(object({ x: typedBigint })) }),
    'convert',
  ],
  'a Date or null': ['Promise<{ a: Date | null }>', fields(orNull(typedDate)), 'pass'],
  'a Date to a date-time': ['Promise<{ a: Date }>', fields(dateTime), 'convert'],
  'a Date to a plain string': ['Promise<{ a: Date }>', fields(string), 'convert'],
  'a Date to a date': ['Promise<{ a: Date }>', fields(date), 'TG4208'],
  'a Date to a number': ['Promise<{ a: Date }>', fields(number), 'TG4203'],
  'a string or Date': ['Promise<{ a: string | Date }>', fields(dateTime), 'convert'],
  'a bigint to a string': ['Promise<{ a: bigint }>', fields(string), 'convert'],
  'a bigint to a number': ['Promise<{ a: bigint }>', fields(integer), 'TG4203'],
  'a number to an integer': ['Promise<{ a: number }>', fields(integer), 'pass'],
  'a number to a string': ['Promise<{ a: number }>', fields(string), 'TG4203'],
  'bytes to base64': ['Promise<{ a: Uint8Array }>', fields(base64), 'convert'],
  'bytes to a plain string': ['Promise<{ a: Uint8Array }>', fields(string), 'TG4203'],
  'a URL to a uri': ['Promise<{ a: URL }>', fields(uri), 'convert'],
  'an array': ['Promise<string[]>', list(string), 'pass'],
  'a Set': ['Promise<{ a: Set<string> }>', fields(list(string)), 'convert'],
  'a tuple to an array': ['Promise<{ a: [string, string] }>', fields(list(string)), 'pass'],
  'a Map': ['Promise<{ a: Map<string, Date> }>', fields(map(dateTime)), 'convert'],
  'a Map with other keys': ['Promise<{ a: Map<number, string> }>', fields(map(string)), 'TG4203'],
  'a record': ['Promise<{ a: Record<string, number> }>', fields(map(number)), 'pass'],
  'a class that extends Array': ['Promise<{ a: Items }>', fields(list(string)), 'pass'],
  any: ['Promise<any>', fields(string), 'TG4201'],
  'any, checked': ['Promise<any>', fields(string), 'checked', 'checked'],
  unknown: ['Promise<{ a: unknown }>', fields(string), 'TG4201'],
  'an unresolved type': ['Promise<{ a: Missing }>', fields(string), 'error TG4003'],
  'anything to any JSON': ['Promise<{ a: { x: string; y?: number[] } }>', fields(true), 'pass'],
  'a Date to any JSON': ['Promise<{ a: { x: Date } }>', fields(true), 'TG4214'],
  'a function to any JSON': ['Promise<{ a: { x(): void } }>', fields(true), 'TG4214'],
  'a function member': ['Promise<{ a(): string }>', fields(string), 'TG4205'],
  'a promise member': ['Promise<{ a: Promise<string> }>', fields(string), 'TG4209'],
  'a getter of a class': ['Promise<Account>', object({ id: string, balance: number }), 'convert'],
  'defect 9d: a declared field whose type differs, beside an index signature': [
    'Promise<{ a: Oid; [name: string]: any }>',
    fields(string),
    'TG4203',
  ],
  'defect 9d: in a nested list': [
    'Promise<{ a: { b: Oid; [name: string]: any }[] }>',
    fields(list(object({ b: string }))),
    'TG4203',
  ],
  'defect 9d: undeclared fields of an open result': [
    'Promise<{ a: string; [name: string]: string | number }>',
    { ...Object(fields(string)), additionalProperties: string },
    'TG4210',
  ],
  'an index signature gives a required field': ['Promise<{ [key: string]: string }>', fields(string), 'TG4213'],
  'an index signature gives an optional field': [
    'Promise<{ [key: string]: string }>',
    object({ 'a?': string }),
    'convert',
  ],
  'a union whose alternatives all fit': [
    'Promise<{ a: string; x: 1 } | { a: string; y: 2 }>',
    fields(string),
    'convert',
  ],
  'defect 11a: a union whose alternatives share a field': [
    'Promise<{ a: string; at: Date } | { a: string }>',
    fields(string),
    'convert',
  ],
  'defect 11a: a union whose alternatives share a field, one with methods': [
    'Promise<{ a: string; save(): void } | { a: string; b: string }>',
    { type: 'object', properties: { a: string }, required: ['a'] },
    'convert',
  ],
  'defect 11a: a field that one alternative may lack': [
    'Promise<{ a: string; b: string; at: Date } | { a: string; b?: string }>',
    object({ a: string, 'b?': string }),
    'convert',
  ],
  'defect 11a: a shared object within': [
    'Promise<{ a: { b: string; at: Date }; n: 1 } | { a: { b: string } }>',
    fields(object({ b: string })),
    'convert',
  ],
  'defect 11a: shared lists within': [
    'Promise<{ a: { b: string; at: Date }[] } | { a: { b: string }[] }>',
    fields(list(object({ b: string }))),
    'convert',
  ],
  'defect 11a: a shared field that one alternative converts': [
    'Promise<{ a: string; n: 1 } | { a: Date }>',
    fields(dateTime),
    'convert',
  ],
  'defect 11a: a shared field that may be null': [
    'Promise<{ a: string | null; at: Date } | { a: string }>',
    fields(orNull(string)),
    'convert',
  ],
  'defect 11a: an optional field that only one alternative has': [
    "Promise<{ object: 'page'; id: string; url: string; at: Date } | { object: 'page'; id: string }>",
    object({ id: string, 'url?': string }),
    'convert',
  ],
  'defect 11a: a recursive field of all alternatives': [
    'Promise<{ a: Kept; at: Date } | { a: Kept }>',
    fields({ $ref: '#/$defs/Kept' }),
    'convert',
  ],
  'defect 11b: alternatives that share a field, one of which does not fit, checked': [
    'Promise<{ a: string; at: Date } | { a: string } | { gone: true }>',
    fields(string),
    'checked',
    'checked',
  ],
  'defect 11b: an optional field of one alternative, checked': [
    'Promise<{ a?: string; at: Date } | { a: string }>',
    fields(string),
    'checked',
    'checked',
  ],
  'a union of which only one fits': ['Promise<{ a: string } | { deleted: true }>', fields(string), 'TG4210'],
  'a union of which only one fits, checked': [
    'Promise<{ a: string } | { deleted: true }>',
    fields(string),
    'checked',
    'checked',
  ],
  'a union of which one would need a conversion': [
    'Promise<{ a: Date } | { deleted: true }>',
    fields(dateTime),
    'checked',
    'checked',
  ],
  'a discriminated union': [
    "Promise<{ kind: 'circle'; radius: number } | { kind: 'square'; side: number }>",
    shape,
    'pass',
  ],
  'a discriminated union with surplus': [
    "Promise<{ kind: 'circle'; radius: number; x: 1 } | { kind: 'square'; side: number }>",
    shape,
    'convert',
  ],
  'a union that needs different conversions': [
    'Promise<{ a: { at: Uint8Array; b: 1 } | { at: string; c: 2 } }>',
    fields(object({ at: base64 })),
    'TG4210',
  ],
  'defect 11a: a union whose alternatives have a date as a Date or as a string': [
    'Promise<{ a: { at: Date; b: 1 } | { at: string; c: 2 } }>',
    fields(object({ at: dateTime })),
    'convert',
  ],
  'an object or text': ['Promise<{ a: string } | string>', anyOf(fields(string), string), 'pass'],
  'an object with a conversion or text': ['Promise<{ a: Date } | string>', anyOf(fields(dateTime), string), 'convert'],
  'an object, text, a number or nothing': [
    "Promise<{ a: Date } | string | 7 | 'x' | boolean | null>",
    anyOf(fields(dateTime), string, number, boolean, nil),
    'convert',
  ],
  'a bigint or an object': ['Promise<{ a: string; b: 1 } | bigint>', anyOf(fields(string), string), 'convert'],
  'a list or an object': ['Promise<Date[] | { a: string; b: 1 }>', anyOf(list(dateTime), fields(string)), 'convert'],
  'a readonly list or an object': [
    'Promise<readonly Date[] | { a: string; b: 1 }>',
    anyOf(list(dateTime), fields(string)),
    'convert',
  ],
  'a list with a name of its own or an object': [
    'Promise<Items | { a: Date }>',
    anyOf(list(string), fields(dateTime)),
    'convert',
  ],
  'two lists that convert differently': [
    'Promise<Date[] | bigint[]>',
    anyOf(list(dateTime), list(number), list(string)),
    'TG4210',
  ],
  'discriminated objects or text': [
    "Promise<{ kind: 'circle'; radius: number; x: 1 } | { kind: 'square'; side: number } | string>",
    anyOf(shape, string),
    'convert',
  ],
  'a string enum or an object': [
    'Promise<Color | { a: Date }>',
    anyOf(oneOf('red', 'blue'), fields(dateTime)),
    'convert',
  ],
  'one type for several alternatives of the tool': [
    "Promise<{ kind: 'circle' | 'square'; size: number }>",
    anyOf(object({ kind: oneOf('circle'), size: number }), object({ kind: oneOf('square'), size: number })),
    'pass',
  ],
  'one type for several alternatives with different conversions': [
    "Promise<{ kind: 'circle' | 'square'; at: Date; size: number }>",
    anyOf(object({ kind: oneOf('circle'), at: dateTime }), object({ kind: oneOf('square'), size: number })),
    'convert',
  ],
  'one type with a value that no alternative allows': [
    "Promise<{ kind: 'circle' | 'line'; size: number }>",
    anyOf(object({ kind: oneOf('circle'), size: number }), object({ kind: oneOf('square'), size: number })),
    'TG4206',
  ],
  'a surplus that the codec drops': ['Promise<{ a: string; secret: string }>', silent({ a: string }), 'pass'],
  'a nested surplus that the codec drops': [
    'Promise<{ a: { x: string; y?: string[] }[]; b: { c: null | 1 } }>',
    silent({ a: list(silent({ x: string })) }),
    'pass',
  ],
  'an index signature that the codec drops': [
    'Promise<{ a: string; [key: string]: string }>',
    silent({ a: string }),
    'pass',
  ],
  'a surplus beside a conversion': ['Promise<{ a: Date; secret: string }>', silent({ a: dateTime }), 'convert'],
  'a surplus beside another name': ['Promise<{ aB: string; secret: string }>', silent({ a_b: string }), 'convert'],
  'a surplus or text': [
    'Promise<{ a: string; secret: string } | string>',
    anyOf(silent({ a: string }), string),
    'pass',
  ],
  'a surplus that may match a second variant': [
    'Promise<{ a: string; b: string }>',
    { oneOf: [silent({ a: string }), silent({ b: string })] },
    'convert',
  ],
  'a surplus that would be counted': [
    'Promise<{ a: string; b: string }>',
    { ...Object(silent({ a: string })), maxProperties: 1 },
    'convert',
  ],
  'a surplus that JSON does not carry': ['Promise<{ a: string; at: Date }>', silent({ a: string }), 'convert'],
  'a surplus with a method': ['Promise<{ a: string; save(): void }>', silent({ a: string }), 'convert'],
  'a surplus with a function': ['Promise<{ a: string; b: { run: () => void } }>', silent({ a: string }), 'convert'],
  'a surplus of any': ['Promise<{ a: string; b: any }>', silent({ a: string }), 'convert'],
  'a surplus of a class': ['Promise<{ a: string; b: Point }>', silent({ a: string }), 'convert'],
  'a surplus that leads back': ['Promise<Cyclic>', silent({ a: string }), 'convert'],
  'a class with the declared fields alone': ['Promise<Point>', object({ x: number }), 'convert'],
  'an interface to an open object': [
    'Promise<Plain>',
    { type: 'object', required: ['a'], additionalProperties: string },
    'convert',
  ],
  'a type without a name to an open object': [
    'Promise<{ a: string; b: string }>',
    { type: 'object', required: ['a'], additionalProperties: string },
    'pass',
  ],
  'data is unwrapped': ['Promise<{ data: { a: string }; status: number }>', fields(string), 'pass', 'data'],
  'data is not there': ['Promise<{ a: string }>', fields(string), 'TG4200', 'data'],
  'a shared definition': ['Promise<Stamped>', stamped, 'convert'],
  'a shared definition in a list': ['Promise<{ a: Stamped[] }>', fields(list(stamped)), 'convert'],
  'a shared definition or text': ['Promise<{ a: Stamped | string }>', fields(anyOf(stamped, string)), 'convert'],
  'a shared definition or null': ['Promise<Stamped | null>', orNull(stamped), 'convert'],
  'a shared definition out of another type': ['Promise<{ at: Date; note?: string; b: 1 }>', stamped, 'convert'],
  'a shared definition, checked': ['Promise<Stamped | undefined>', stamped, 'checked', 'checked'],
  recursion: ['Promise<Tree>', tree, 'pass'],
  'recursion through null with a conversion': ['Promise<Dated>', dated, 'convert'],
  'recursion through lists of nullable items': ['Promise<Gaps>', { $ref: '#/$defs/Gaps' }, 'convert'],
  'recursion through a definition that may be null': ['Promise<Chain | null>', { $ref: '#/$defs/Chain' }, 'convert'],
  'recursion through what may be missing': ['Promise<Holes>', { $ref: '#/$defs/Gaps' }, 'convert'],
  'recursion through null, checked': ['Promise<Gaps>', { $ref: '#/$defs/Full' }, 'checked', 'checked'],
  'a surplus of an object without fields': ['Promise<{ a: string }[]>', list(object({})), 'convert'],
  'nothing of an object': ['Promise<{ a: string }>', object({}), 'convert'],
  'recursion with surplus': ['Promise<BigTree>', tree, 'convert'],
  'an open result keeps what it gets': [
    'Promise<{ a: string; b: string; [key: string]: string }>',
    { ...(fields(string) as object), additionalProperties: string },
    'pass',
  ],
}

export const types: string = `
interface Later<T> { then<A, B>(ok: (value: T) => A, bad?: (reason: unknown) => B): Promise<A | B> }
declare class Oid { toHexString(): string }
declare enum Color { Red = 'red', Blue = 'blue' }
declare enum Level { Low = 1, High = 2 }
type OrderId = string & { readonly __brand: 'OrderId' }
interface Items extends Array<string> { readonly total: number }
declare class Account { #pin: string; readonly id: string; get balance(): number; close(): void }
declare class Point { readonly x: number }
interface Stamped { at: Date; note?: string }
interface Plain { a: string; b: string }
interface Cyclic { a: string; owner: { first: Cyclic } }
interface Dated { at: Date; children: Dated[]; parent?: Dated | null }
interface Gaps { at: Date; children: (Gaps | null)[] }
interface Holes { at: Date; children: (Holes | null | undefined)[] }
interface Chain { at: Date; next: Chain | null; last?: Chain | null }
interface Kept { name: string; next?: Kept }
interface Tree { name: string; children?: Tree[] }
interface BigTree { name: string; children?: BigTree[]; parent: string }
`

export const defs: Readonly<Record<string, Schema>> = {
  Stamped: object({ at: dateTime, 'note?': string }),
  Dated: object({ at: dateTime, children: list(dated), 'parent?': orNull(dated) }),
  Gaps: object({ at: dateTime, children: list(orNull({ $ref: '#/$defs/Gaps' })) }),
  Full: object({ at: dateTime, children: list({ $ref: '#/$defs/Full' }) }),
  Chain: orNull(object({ at: dateTime, next: { $ref: '#/$defs/Chain' }, 'last?': { $ref: '#/$defs/Chain' } })),
  Tree: object({ name: string, 'children?': list(tree) }),
  Kept: object({ name: string, 'next?': { $ref: '#/$defs/Kept' } }),
}
