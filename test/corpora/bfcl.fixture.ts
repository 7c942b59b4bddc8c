import { type Imported, imported, recordsOf } from './imported.fixture.js'

/** A function of the Berkeley Function Calling Leaderboard, with the normalized and the original parameters. */
export interface FunctionLine {
  readonly fid: string
  readonly parameters: { readonly properties: Readonly<Record<string, unknown>> }
  readonly originalParameters: unknown
}

/** Both forms of the parameters of a function. */
export const parts = ['parameters', 'originalParameters'] as const

/** All functions; empty without the data folder. */
export const functions: readonly FunctionLine[] = recordsOf('bfcl/functions.jsonl')

/** Returns the imported schemas of all functions, by the id of the function. */
export function importedFunctions(part: (typeof parts)[number]): ReadonlyMap<string, Imported> {
  return new Map(functions.map((line) => [line.fid, imported(line[part])] as const))
}
