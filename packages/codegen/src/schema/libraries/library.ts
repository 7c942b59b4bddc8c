import type { Schema } from '../json-schema.js'

/** Side of a tool that a schema describes: its arguments or its result. */
export type Direction = 'input' | 'output'

/** Converted schema of a schema library. */
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
 * Returns whether a check in code is the one of `z.instanceof(Uint8Array)`. It keeps its class to itself, so it is asked: any
 * bytes must pass, whatever is in them, and nothing else.
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
  /** Descriptions of what changes values. */
  readonly changes: Set<string> = new Set()
  /** Descriptions of what has an outcome that no schema describes. */
  readonly untyped: Set<string> = new Set()
  readonly flags: Set<string> = new Set()
  /** True if there are checks that JSON Schema does not carry. */
  refined: boolean = false
}

/** Options by which a library reports the losses of its conversion. */
export interface LibraryHooks {
  /** Value of `libraryOptions`. */
  readonly options: Readonly<Record<string, unknown>>
}
