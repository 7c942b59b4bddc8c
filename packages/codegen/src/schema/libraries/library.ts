import { type JsType, pointerOf } from '@toolgen/runtime/schema'
import { atPointer, type Schema, type SchemaDiagnostic, schemaError } from '../json-schema.js'

/** Side of a tool that a schema describes: its arguments or its result. */
export type Direction = 'input' | 'output'

/** Converted schema of a schema library. */
export interface LibrarySchema {
  readonly schema: Schema
  /** The names of the fields where the schema refines more than JSON Schema says; the root is an empty list. */
  readonly refinements: readonly (readonly string[])[]
}

/** Types whose values JSON cannot represent, by their lowercase name in libraries. */
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

/** Typical values that are not bytes. */
const others: readonly unknown[] = [undefined, null, 'text', 1, true, {}, [1], new Uint16Array(1), new ArrayBuffer(1)]
const bytes: readonly Uint8Array[] = [new Uint8Array(), Uint8Array.of(0, 255)]
const buffers: readonly Uint8Array[] = [Buffer.alloc(0), Buffer.from([0, 255])]

/**
 * Returns whether a check in code is the one of `z.instanceof(Uint8Array)`. It keeps its class to itself, so it is
 * asked: any bytes must pass, whatever is in them, and nothing else.
 *
 * @param check may throw, or answer later: then it is another check
 */
export function isBytesCheck(check: Check): boolean {
  return [...bytes, ...buffers].every((value) => passes(check, value) === true) && refusesOthers(check)
}

/** Returns whether a check in code is the one of `z.instanceof(Buffer)`: bytes of Node pass, and no others. */
export function isBufferCheck(check: Check): boolean {
  const takesBuffers = buffers.every((value) => passes(check, value) === true)
  return takesBuffers && bytes.every((value) => passes(check, value) === false) && refusesOthers(check)
}

type Check = (value: unknown) => unknown

function refusesOthers(check: Check): boolean {
  return others.every((value) => passes(check, value) === false)
}

/** Returns the result of a check; `undefined` where it has none yet. */
function passes(check: Check, value: unknown): boolean | undefined {
  try {
    const answer = check(value)
    if (!(answer instanceof Promise)) return Boolean(answer)
    // Its answer decides nothing, and must not end the process when it is an error.
    answer.catch(() => undefined)
    return undefined
  } catch {
    // A check that throws takes the kind of value for granted.
    return undefined
  }
}

/**
 * Findings of a library while it converts a schema. Libraries with Standard JSON Schema do not say where: their schemas
 * cannot be walked from outside.
 */
export class LibraryFindings {
  /** Descriptions of values that JSON cannot carry. */
  readonly notJson: Set<string> = new Set()
  readonly changes: Set<string> = new Set()
  /** Descriptions of what has an outcome that no schema describes. */
  readonly untyped: Set<string> = new Set()
  readonly flags: Set<string> = new Set()
  /** True if there are checks that JSON Schema does not carry. */
  refined: boolean = false
}

/** Options by which a library reports the losses of its conversion. */
export interface LibraryHooks {
  readonly options: Readonly<Record<string, unknown>>
}

/** Path of the fields to the cause. Libraries with Standard JSON Schema do not tell it: then it is `undefined`. */
type Trail = readonly string[] | undefined

const describeJson = 'Describe the value as JSON, and convert it in a mapper of the application.'
const mapper = (side: 'payload' | 'result'): string =>
  `make the change in a ${side} mapper (\`toolsets.USE.mappers.TOOL.${side}\` of the application).`

function at(trail: Trail): string {
  return trail === undefined ? '' : ` ${atPointer(pointerOf(trail))}`
}

/** Returns the error of a value that JSON cannot carry. */
export function notJson(what: string, trail: Trail, next: string = describeJson): SchemaDiagnostic {
  const verb = trail === undefined ? 'holds' : 'wants'
  return schemaError('TG3004', `The schema ${verb} ${what}${at(trail)}, which JSON cannot carry.`, next, trail ?? [])
}

/** Returns the error of `z.instanceof(Buffer)`: the same bytes as a `Uint8Array`, under a name that only Node knows. */
export function buffer(trail: Trail): SchemaDiagnostic {
  const next = 'Write `z.instanceof(Uint8Array)`: a `Buffer` is one too, and the value travels as base64.'
  return notJson('a Buffer', trail, next)
}

const coerced: { readonly [Type in JsType]?: string } = {
  Date: 'Write `z.date()`: it travels as a date-time text, and code gets a `Date`.',
  bigint: 'Write `z.bigint()`: it travels as decimal digits, and code gets a `bigint`.',
}

/** Returns the error of a coercion; for a type with a wire form it names the schema that reads the wire form anyway. */
export function coercion(type: JsType | undefined, trail: Trail): SchemaDiagnostic {
  const error = transforms('a coercion', trail)
  return { ...error, next: (type && coerced[type]) ?? error.next }
}

/** Returns the error of a payload schema that also changes what is sent. */
export function transforms(what: string, trail: Trail): SchemaDiagnostic {
  const message = `The payload schema has ${what}${at(trail)}; a payload schema only describes what is sent.`
  return schemaError('TG3005', message, `Describe the value before the change, and ${mapper('payload')}`, trail ?? [])
}

/** Returns the error of a result schema that does not describe its outcome. */
export function untyped(what: string, trail: Trail): SchemaDiagnostic {
  const message = `The result schema has ${what}${at(trail)}, whose outcome no schema describes.`
  return schemaError('TG3005', message, `Describe the result after the change, and ${mapper('result')}`, trail ?? [])
}

const constantDefault = 'Give a constant default, or leave the field optional and fill it in the service.'

/** Returns the error of a default that differs from reading to reading. */
export function unstable(trail: Trail): SchemaDiagnostic {
  const message =
    trail === undefined
      ? 'The schema becomes another JSON Schema each time it is converted: a default is made anew.'
      : `The default${at(trail)} is another one each time it is read.`
  return schemaError('TG3008', message, constantDefault, trail ?? [])
}

/** Returns the error of a pattern whose flags change what it matches. */
export function flags(pattern: RegExp | string, trail: Trail): SchemaDiagnostic {
  const message =
    typeof pattern === 'string'
      ? `The pattern \`${pattern}\` has flags, which JSON Schema cannot carry.`
      : `The pattern${at(trail)} has the flags \`${pattern.flags}\`, which JSON Schema cannot carry.`
  return schemaError(
    'TG3009',
    message,
    'Write the pattern without flags, e.g. `[a-zA-Z]` in place of `[a-z]` with `i`.',
    trail ?? [],
  )
}

/** Returns the error of a library that throws while it converts. */
export function notConverted(why: unknown): SchemaDiagnostic {
  // A RangeError: the conversion has exhausted the call stack.
  const reason = why instanceof RangeError ? 'it nests too deep.' : why instanceof Error ? why.message : String(why)
  const message = `The schema cannot be converted to JSON Schema: ${reason.split('\n')[0]}`
  return schemaError('TG3002', message, 'Correct the schema, or give a plain JSON Schema.', [])
}

/** Returns the error of a conversion that says nothing about a value which the schema restricts. */
export function emptySchema(library: string): SchemaDiagnostic {
  const message = `${library} made an empty JSON Schema of this schema: nothing is known about the values.`
  const next = 'Check that the library and its converter fit together, or give a plain JSON Schema.'
  return schemaError('TG3003', message, next, [])
}
