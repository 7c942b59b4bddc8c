import type { ts } from 'ts-morph'
import { type AnswerFit, fitAnswer } from './fit-answer.js'
import { type Fit, faults } from './match/fit.js'
import { startWalk } from './match/walk.js'
import { type CallFit, fitCall } from './payload/payload-call.js'
import { payloadRules } from './payload/payload-rule.js'
import type { Method } from './program/method.js'
import type { ToolSide } from './tool-side.js'
import { type Answer, answerOf } from './types/answer.js'
import { isCallback, parametersOf } from './types/parameters.js'
import type { TypeReader } from './types/type-reader.js'

/** One signature with how the tool fits it. */
export interface Candidate extends AnswerFit {
  readonly signature: ts.Signature
  readonly fromLast: number
  readonly answer: Answer
  readonly call: CallFit
}

/**
 * The signature to call: without a required callback, with a stream where the tool streams, with the fewest faults, a
 * promise rather than a stream rather than a bare value, then with the most fields used, then the first.
 */
export function chooseSignature(method: Method, side: ToolSide, reader: TypeReader): Candidate {
  const usable = withoutCallbacks(method.signatures, reader)
  const streams = side.streaming && usable.filter((signature) => answerOf(signature, reader).item !== undefined)
  const candidates = (streams?.length ? streams : usable).map((signature) =>
    candidateOf(signature, method, side, reader),
  )
  const [first, ...others] = candidates
  if (first === undefined) throw new Error('A method without signatures is no method.')
  return others.reduce((best, each) => (isBetter(each, best) ? each : best), first)
}

function withoutCallbacks(signatures: readonly ts.Signature[], reader: TypeReader): readonly ts.Signature[] {
  const answering = signatures.filter((signature) => {
    const needsCallback = parametersOf(signature, reader).some((each) => !each.optional && isCallback(each, reader))
    return !needsCallback && !answerOf(signature, reader).isVoid
  })
  return answering.length > 0 ? answering : signatures
}

function candidateOf(signature: ts.Signature, method: Method, side: ToolSide, reader: TypeReader): Candidate {
  const answer = answerOf(signature, reader)
  const call = fitCall(side.payload, signature, side.binding, startWalk(payloadRules, reader, side.shapes))
  return {
    signature,
    fromLast: method.signatures.length - 1 - method.signatures.indexOf(signature),
    answer,
    call,
    ...fitAnswer(answer, method, side, reader),
  }
}

function isBetter(a: Candidate, b: Candidate): boolean {
  const difference = faultsOf(a) - faultsOf(b)
  if (difference !== 0) return difference < 0
  const kinds = rank(b.answer) - rank(a.answer)
  if (kinds !== 0) return kinds < 0
  return usedBy(a) > usedBy(b)
}

function faultsOf({ call, ...parts }: Candidate): number {
  return faults({ ...call, draft: { kind: 'pass' } }) + fitsOf(parts).reduce((sum, fit) => sum + faults(fit), 0)
}

function usedBy({ call, ...parts }: Candidate): number {
  return fitsOf(parts).reduce((sum, { used }) => sum + used, call.used)
}

function fitsOf({ result, update }: AnswerFit): readonly Fit[] {
  return update === undefined ? [result.fit] : [result.fit, update.fit]
}

function rank({ item, isPromise }: Answer): number {
  if (isPromise) return 2
  return item === undefined ? 0 : 1
}
