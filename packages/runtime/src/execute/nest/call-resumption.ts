import type { JsonText } from '../../contract/json.js'
import type { Answers, PendingAnswer } from '../../contract/resume.js'
import type { RunSuspension } from '../../contract/suspension.js'

/** Data with which a suspended call continues: an answer of its own, or answers for the nested run that waits. */
export type CallResumption = AnsweredResumption | NestedResumption

/** An answer to the call itself. */
export interface AnsweredResumption {
  readonly kind: 'answer'
  readonly answer: PendingAnswer
  /** Arguments that the call waited with: an approval holds for them alone. */
  readonly arguments: JsonText
  /** The same arguments after the payload adapter; absent where it did not change them. */
  readonly adapted?: JsonText | undefined
}

/** Answers for the nested run that the call waited for. */
export interface NestedResumption {
  readonly kind: 'nested'
  readonly suspension: RunSuspension
  readonly answers: Answers
  /** Arguments that started the nested run: it continues with them alone. */
  readonly arguments: JsonText
}
