import { type Imported, imported, recordsOf } from './imported.fixture.js'

/** A function of the Berkeley Function Calling Leaderboard, as it was normalized by the publishers and as it was written. */
export interface FunctionLine {
  readonly fid: string
  readonly parameters: { readonly properties: Readonly<Record<string, unknown>> }
  readonly originalParameters: unknown
}

/** The two forms of a function's parameters. */
export const parts = ['parameters', 'originalParameters'] as const

/** All functions; none where the data folder is absent. */
export const functions: readonly FunctionLine[] = recordsOf('bfcl/functions.jsonl')

/** The schemas of all functions, through the intake, by the function's id. */
export function importedFunctions(part: (typeof parts)[number]): ReadonlyMap<string, Imported> {
  return new Map(functions.map((line) => [line.fid, imported(line[part])] as const))
}
