import type { Schema } from '../json-schema.js'

/** Which side of a tool a schema describes: what is sent, or what comes back. */
export type Direction = 'input' | 'output'

/** What a schema library's schema became. */
export interface LibrarySchema {
  readonly schema: Schema
  /** The names of the fields where the schema refines more than JSON Schema says; the root is an empty list. */
  readonly refinements: readonly (readonly string[])[]
}

/** Values that are no bytes, of the kinds that people check for. */
const others: readonly unknown[] = [undefined, null, 'text', 1, true, {}, [1], new Uint16Array(1), new ArrayBuffer(1)]
const bytes: readonly Uint8Array[] = [new Uint8Array(), Uint8Array.of(0, 255)]
const buffers: readonly Uint8Array[] = [Buffer.alloc(0), Buffer.from([0, 255])]

/**
 * Whether a check in code is the one of `z.instanceof(Uint8Array)`. It keeps its class to itself, so it is asked: any
 * bytes must pass, whatever is in them, and nothing else.
 *
 * @param check may throw, or answer later: then it is another check
 */
export function isBytesCheck(check: Check): boolean {
  return [...bytes, ...buffers].every((value) => passes(check, value) === true) && refusesOthers(check)
}

/** Whether a check in code is the one of `z.instanceof(Buffer)`: bytes of Node pass, and no others. */
export function isBufferCheck(check: Check): boolean {
  const takesBuffers = buffers.every((value) => passes(check, value) === true)
  return takesBuffers && bytes.every((value) => passes(check, value) === false) && refusesOthers(check)
}

type Check = (value: unknown) => unknown

function refusesOthers(check: Check): boolean {
  return others.every((value) => passes(check, value) === false)
}

/** What a check says about a value; `undefined` where it cannot say. */
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
 * What a library said while it converted a schema. Libraries with Standard JSON Schema do not say where: their schemas
 * cannot be walked from outside.
 */
export class LibraryFindings {
  /** What JSON cannot carry, in words. */
  readonly notJson: Set<string> = new Set()
  /** What changes values, in words. */
  readonly changes: Set<string> = new Set()
  /** What has an outcome that no schema describes, in words. */
  readonly untyped: Set<string> = new Set()
  readonly flags: Set<string> = new Set()
  /** Whether there are checks that JSON Schema does not carry. */
  refined: boolean = false
}

/** How a library is asked to tell what its conversion loses. */
export interface LibraryHooks {
  /** What is passed as `libraryOptions`. */
  readonly options: Readonly<Record<string, unknown>>
}
