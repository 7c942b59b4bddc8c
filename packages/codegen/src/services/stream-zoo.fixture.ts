import type { Schema } from '../ir/types.js'
import {
  dateTime,
  integer,
  list,
  object,
  oneOf,
  orNull,
  silent,
  string,
  type ToolCase,
  typedDate,
} from './bound-design.fixture.js'

export interface Case extends Pick<ToolCase, 'answer' | 'collect'> {
  readonly returned: string
  readonly updates: Schema
  readonly result: Schema
  /**
   * Expected plans of the updates and the result, for example `pass / convert`. For a missing mapper, the text contains the code of the diagnostic.
   * `once` means a method without a stream.
   */
  readonly expected: string
}

const text: Schema = object({ a: string })
const event: Schema = { $ref: '#/$defs/Event' }
const tree: Schema = { $ref: '#/$defs/Tree' }

export const cases: Readonly<Record<string, Case>> = {
  'an async iterable': {
    returned: 'AsyncIterable<{ a: string }>',
    updates: text,
    result: list(text),
    expected: 'pass / pass',
  },
  'an async generator, whatever it returns': {
    returned: 'AsyncGenerator<{ a: string }, Date, boolean>',
    updates: text,
    result: list(text),
    expected: 'pass / pass',
  },
  'an async iterable iterator': {
    returned: 'AsyncIterableIterator<{ a: string }>',
    updates: text,
    result: list(text),
    expected: 'pass / pass',
  },
  'a ReadableStream': {
    returned: 'ReadableStream<{ a: string }>',
    updates: text,
    result: list(text),
    expected: 'pass / pass',
  },
  'a class of a package': {
    returned: 'Cursor<{ a: string }>',
    updates: text,
    result: list(text),
    expected: 'pass / pass',
  },
  'a promise of a stream': {
    returned: 'Promise<AsyncIterable<{ a: string }>>',
    updates: text,
    result: list(text),
    expected: 'pass / pass',
  },
  'a thenable of a stream': {
    returned: 'Later<AsyncIterable<{ a: string }>>',
    updates: text,
    result: list(text),
    expected: 'pass / pass',
  },
  'a stream with provenance': {
    returned: 'Promise<Provenanced<AsyncIterable<{ a: string }>>>',
    updates: text,
    result: list(text),
    expected: 'pass / pass',
  },
  'one of two streams': {
    returned: 'AsyncIterable<{ a: string }> | AsyncGenerator<{ a: string; b: 1 }>',
    updates: silent({ a: string }),
    result: list(silent({ a: string })),
    expected: 'pass / pass',
  },
  'a stream of texts': {
    returned: 'AsyncIterable<string>',
    updates: string,
    result: list(string),
    expected: 'pass / pass',
  },
  'items that are converted': {
    returned: 'AsyncIterable<{ a: string; at: Date; secret: string }>',
    updates: object({ at: dateTime }),
    result: list(object({ a: string, at: dateTime })),
    expected: 'convert / convert',
  },
  'items whose Date stays one': {
    returned: 'AsyncIterable<{ at: Date }>',
    updates: object({ at: typedDate }),
    result: list(object({ at: typedDate })),
    expected: 'pass / pass',
  },
  'a shared definition': {
    returned: 'AsyncIterable<Event>',
    updates: event,
    result: list(event),
    expected: 'convert / convert',
  },
  'a shared definition alone': {
    returned: 'AsyncIterable<Event>',
    updates: event,
    result: event,
    collect: 'last',
    expected: 'convert / convert',
  },
  recursion: { returned: 'AsyncIterable<Tree>', updates: tree, result: list(tree), expected: 'convert / convert' },
  'recursion in the last item': {
    returned: 'AsyncIterable<Tree>',
    updates: tree,
    result: tree,
    collect: 'last',
    expected: 'convert / convert',
  },
  'items that may be null': {
    returned: 'AsyncIterable<{ at: Date } | null>',
    updates: orNull(object({ at: dateTime })),
    result: list(orNull(object({ at: dateTime }))),
    expected: 'convert / convert',
  },
  'the last item': {
    returned: 'AsyncIterable<{ a: string; b: number }>',
    updates: text,
    result: object({ b: { type: 'number' } }),
    collect: 'last',
    expected: 'convert / convert',
  },
  'data of the last item': {
    returned: 'AsyncIterable<{ data: { a: string }; done: number }>',
    updates: object({ done: integer }),
    result: text,
    collect: 'last',
    answer: 'data',
    expected: 'convert / pass',
  },
  'data of all items': {
    returned: 'AsyncIterable<{ data: { a: string } }>',
    updates: object({ data: text }),
    result: text,
    answer: 'data',
    expected: 'pass / TG4200',
  },
  'a result that is no list': {
    returned: 'AsyncIterable<{ a: string }>',
    updates: text,
    result: text,
    expected: 'pass / TG4203',
  },
  'a last item that is no list': {
    returned: 'AsyncIterable<{ a: string }>',
    updates: text,
    result: list(text),
    collect: 'last',
    expected: 'pass / TG4203',
  },
  'items that are no updates': {
    returned: 'AsyncIterable<{ a: string }>',
    updates: object({ percent: integer }),
    result: list(text),
    expected: 'TG4200 / pass',
  },
  'neither updates nor a result': {
    returned: 'AsyncIterable<Uint8Array>',
    updates: text,
    result: text,
    expected: 'TG4203 / TG4203',
  },
  'items of any type': {
    returned: 'AsyncIterable<any>',
    updates: text,
    result: list(text),
    expected: 'TG4201 / TG4201',
  },
  'items of any type, checked': {
    returned: 'AsyncIterable<any>',
    updates: text,
    result: list(text),
    answer: 'checked',
    expected: 'checked / checked',
  },
  'items with more values, checked': {
    returned: "AsyncIterable<{ a: string; state: 'x' | 'y' }>",
    updates: object({ state: oneOf('x') }),
    result: list(text),
    answer: 'checked',
    expected: 'checked / convert',
  },
  'a method that answers once': {
    returned: 'Promise<{ a: string }>',
    updates: text,
    result: text,
    expected: 'once / pass',
  },
  'a stream that may be missing': {
    returned: 'AsyncIterable<{ a: string }> | undefined',
    updates: text,
    result: list(text),
    expected: 'once / TG4203',
  },
}

export const types: string = `
declare const MARK: unique symbol
interface Provenanced<Value> { readonly [MARK]: true; readonly value: Value; readonly detail: object }
interface Later<T> { then<A, B>(ok: (value: T) => A, bad?: (reason: unknown) => B): Promise<A | B> }
declare class Cursor<T> { #open: boolean; rewind(): void; [Symbol.asyncIterator](): AsyncIterator<T> }
interface Event { at: Date; note?: string }
interface Tree { at: Date; children: Tree[] }
`

export const defs: Readonly<Record<string, Schema>> = {
  Event: object({ at: dateTime, 'note?': string }),
  Tree: object({ at: dateTime, children: list(tree) }),
}
