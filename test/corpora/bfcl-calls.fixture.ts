import { recordsOf } from './imported.fixture.js'

interface CaseLine {
  readonly id: string
  readonly calls: readonly {
    readonly fid?: string
    readonly name?: string
    readonly arguments?: Readonly<Record<string, unknown>>
    readonly valid?: boolean
  }[]
}

/** A call with a verdict. The other records contain unparsable texts, or calls of no function. */
export interface JudgedCall {
  readonly fid: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly valid: boolean
}

/** All calls of the leaderboard; empty without the data folder. */
export const allCalls: readonly CaseLine['calls'][number][] = recordsOf<CaseLine>('bfcl/cases.jsonl').flatMap(
  ({ calls }) => calls,
)

/** Calls with a verdict. */
export const judgedCalls: readonly JudgedCall[] = allCalls.flatMap(
  ({ fid, name = '', arguments: given, valid }): readonly JudgedCall[] =>
    fid === undefined || given === undefined || valid === undefined ? [] : [{ fid, name, arguments: given, valid }],
)
