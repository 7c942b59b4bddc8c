import type { JsonText } from '../../contract/json.js'
import type { Answers, PendingAnswer } from '../../contract/resume.js'
import type { RunSuspension } from '../../contract/suspension.js'

/** What a call goes on with that waited for somebody: an answer of its own, or answers for the run beneath it. */
export type CallResumption =
  | {
      readonly kind: 'answer'
      readonly answer: PendingAnswer
      /** The arguments that the call waited with: what was approved. */
      readonly arguments: JsonText
    }
  | { readonly kind: 'nested'; readonly suspension: RunSuspension; readonly answers: Answers }
