import type { Schema } from '../schema/json/json-schema.js'

/** What codecs are written in. */
export type CodecLanguage = 'ts' | 'js'

/** The functions of one file of codecs while they are being made. */
export interface CodecScope {
  /** The definitions to which schemas refer. */
  readonly defs: Readonly<Record<string, Schema>>
  /** The names of definitions, as they stand in names of functions: `Shelf` for `isShelf`. */
  readonly stemOf: (definition: string) => string
  /** What the runtime's words of checks, writers and pickers are called in the file. */
  readonly words: { readonly is: string; readonly json: string; readonly pick: string }
  /** Whether types are written. */
  readonly language: CodecLanguage
  /** A name that nothing else in the file has. */
  readonly claim: (wanted: string) => string
  /** Adds a declaration to the file; its text may never be asked for. */
  readonly declare: (name: string, text: () => string) => void
}

/** A place in a value for which code is made. */
export interface Place {
  /** The expression that reads it, e.g. `v.address`. */
  readonly value: string
  /** What functions for its parts are named after, e.g. `PlaceOrderArgumentsAddress`. */
  readonly stem: string
  /** The expression that holds the mode. */
  readonly mode: string
  /** What the function of the whole value is called, where that is settled. */
  readonly name?: string
}

/** The annotation of a type, where types are written. */
export function typed({ language }: Pick<CodecScope, 'language'>, annotation: string): string {
  return language === 'ts' ? `: ${annotation}` : ''
}

/** The check that a place holds any JSON. Where only conditions are asked about, the value is known to be JSON. */
export function anyJson({ value, mode }: Pick<Place, 'value' | 'mode'>, { words }: CodecScope): string {
  return mode === 'm' ? `${words.is}.any(${value})` : `${value} !== undefined`
}
