import { type JsType, pointerOf } from '@toolgen/runtime/schema'
import { atPointer, type Schema, type SchemaDiagnostic, schemaError } from '../json-schema.js'

/** `input` for the arguments of a tool, and `output` for its result. */
export type Direction = 'input' | 'output'

export interface LibrarySchema {
  readonly schema: Schema
  /** Paths of fields with checks that JSON Schema cannot express. The path is empty for a check of the whole value. */
  readonly refinements: readonly (readonly string[])[]
}

export const noJson: ReadonlyMap<string, string> = new Map([
  ['symbol', 'a symbol'],
  ['undefined', '`undefined`'],
  ['void', '`void`'],
  ['map', 'a Map'],
  ['set', 'a Set'],
  ['nan', 'NaN'],
  ['function', 'a function'],
  ['promise', 'a promise'],
  ['file', 'a File'],
  ['blob', 'a Blob'],
  ['iterator', 'an iterator'],
  ['asynciterator', 'an iterator'],
  ['constructor', 'a constructor'],
])

const others: readonly unknown[] = [undefined, null, 'text', 1, true, {}, [1], new Uint16Array(1), new ArrayBuffer(1)]
const bytes: readonly Uint8Array[] = [new Uint8Array(), Uint8Array.of(0, 255)]
const buffers: readonly Uint8Array[] = [Buffer.alloc(0), Buffer.from([0, 255])]

/** Zod does not expose the class in `z.instanceof(Uint8Array)`, so this function calls the check with sample values. */
export function isBytesCheck(check: Check): boolean {
  return [...bytes, ...buffers].every((value) => passes(check, value) === true) && refusesOthers(check)
}

export function isBufferCheck(check: Check): boolean {
  const takesBuffers = buffers.every((value) => passes(check, value) === true)
  return takesBuffers && bytes.every((value) => passes(check, value) === false) && refusesOthers(check)
}

type Check = (value: unknown) => unknown

function refusesOthers(check: Check): boolean {
  return others.every((value) => passes(check, value) === false)
}

function passes(check: Check, value: unknown): boolean | undefined {
  try {
    const answer = check(value)
    if (!(answer instanceof Promise)) return Boolean(answer)
    // The result is not needed, but a rejection must not end the process.
    answer.catch(() => undefined)
    return undefined
  } catch {
    // A check that throws expects another kind of value.
    return undefined
  }
}

/** The problems have no locations, because Standard JSON Schema does not provide locations. */
export class LibraryFindings {
  readonly notJson: Set<string> = new Set()
  readonly changes: Set<string> = new Set()
  readonly untyped: Set<string> = new Set()
  readonly flags: Set<string> = new Set()
  refined: boolean = false
}

export interface LibraryHooks {
  readonly options: Readonly<Record<string, unknown>>
}

/** Field names on the path to a problem. `undefined` for a conversion with Standard JSON Schema, because this interface does not report paths. */
type Trail = readonly string[] | undefined

const describeJson = 'Declare the JSON value that is sent instead, and convert it in a mapper of the application.'
const mapper = (side: 'payload' | 'result'): string =>
  `transform it in a mapper of the program: \`toolsets: { TOOLSET: { mappers: { TOOL: { ${side}: ... } } } }\` at the registration.`

/** A mapper is a function of the application that converts values. Only toolsets with a service client support mappers. */
export function isFixedByMapper({ next }: { readonly next: string }): boolean {
  return next === describeJson || (['payload', 'result'] as const).some((side) => next.endsWith(mapper(side)))
}

function at(trail: Trail): string {
  return trail === undefined ? '' : ` ${atPointer(pointerOf(trail))}`
}

export function notJson(what: string, trail: Trail, next: string = describeJson): SchemaDiagnostic {
  const verb = trail === undefined ? 'contains' : 'requires'
  return schemaError(
    'TG3004',
    `The schema ${verb} ${what}${at(trail)}, which JSON cannot represent.`,
    next,
    trail ?? [],
  )
}

/** Rejects `z.instanceof(Buffer)`, because `Buffer` is a subclass of `Uint8Array` that exists only in Node. */
export function buffer(trail: Trail): SchemaDiagnostic {
  const next = 'Write `z.instanceof(Uint8Array)`: a `Buffer` is also a `Uint8Array`. The value is sent as base64.'
  return notJson('a Buffer', trail, next)
}

const coerced: { readonly [Type in JsType]?: string } = {
  Date: 'Write `z.date()`: the value is sent as a date-time string, and your code receives a `Date`.',
  bigint: 'Write `z.bigint()`: the value is sent as a string of digits, and your code receives a `bigint`.',
}

/** For dates and bigints, suggests `z.date()` or `z.bigint()`, because the runtime already converts the string in the payload. */
export function coercion(type: JsType | undefined, trail: Trail): SchemaDiagnostic {
  const error = transforms('a coercion', trail)
  return { ...error, next: (type && coerced[type]) ?? error.next }
}

export function transforms(what: string, trail: Trail): SchemaDiagnostic {
  const message = `The payload schema has ${what}${at(trail)}; payload schemas cannot transform values.`
  return schemaError(
    'TG3005',
    message,
    `Describe the value before the transformation, and ${mapper('payload')}`,
    trail ?? [],
  )
}

export function untyped(what: string, trail: Trail): SchemaDiagnostic {
  const message = `The result schema has ${what}${at(trail)}, whose result type is unknown.`
  return schemaError(
    'TG3005',
    message,
    `Describe the result after the transformation, and ${mapper('result')}`,
    trail ?? [],
  )
}

const constantDefault = 'Use a constant default, or make the field optional and fill it in the service.'

export function unstable(trail: Trail): SchemaDiagnostic {
  const message =
    trail === undefined
      ? 'Each conversion of the schema gives a different JSON Schema: a default is not constant.'
      : `The default${at(trail)} is not constant: each evaluation gives a different value.`
  return schemaError('TG3008', message, constantDefault, trail ?? [])
}

export function flags(pattern: RegExp | string, trail: Trail): SchemaDiagnostic {
  const message =
    typeof pattern === 'string'
      ? `The pattern \`${pattern}\` has flags, which JSON Schema cannot represent.`
      : `The pattern${at(trail)} has the flags \`${pattern.flags}\`, which JSON Schema cannot represent.`
  return schemaError(
    'TG3009',
    message,
    'Write the pattern without flags, e.g. `[a-zA-Z]` instead of `[a-z]` with `i`.',
    trail ?? [],
  )
}

export function notConverted(why: unknown): SchemaDiagnostic {
  // A RangeError is a stack overflow.
  const reason =
    why instanceof RangeError ? 'it is nested too deeply.' : why instanceof Error ? why.message : String(why)
  const message = `The schema cannot be converted to JSON Schema: ${reason.split('\n')[0]}`
  return schemaError('TG3002', message, 'Correct the schema, or use a plain JSON Schema.', [])
}

export function emptySchema(library: string): SchemaDiagnostic {
  const message = `${library} converted this schema to an empty JSON Schema, which allows any value.`
  const next = 'Check that the versions of the library and its converter match, or use a plain JSON Schema.'
  return schemaError('TG3003', message, next, [])
}
