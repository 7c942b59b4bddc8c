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

/** A call with a verdict; the others are texts that nobody could parse, or belong to no function. */
export interface JudgedCall {
  readonly fid: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly valid: boolean
}

/** All calls of the leaderboard; none where the data folder is absent. */
export const allCalls: readonly CaseLine['calls'][number][] = recordsOf<CaseLine>('bfcl/cases.jsonl').flatMap(
  ({ calls }) => calls,
)

/** Those with a verdict. */
export const judgedCalls: readonly JudgedCall[] = allCalls.flatMap(
  ({ fid, name = '', arguments: given, valid }): readonly JudgedCall[] =>
    fid === undefined || given === undefined || valid === undefined ? [] : [{ fid, name, arguments: given, valid }],
)
