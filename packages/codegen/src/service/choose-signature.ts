import type { ts } from 'ts-morph'
import type { Shape } from '../schema/shape/shape.js'
import { type Finding, type Fit, failing, faults, spotAt } from './match/fit.js'
import { type ShapeResolver, startWalk } from './match/walk.js'
import { type CallBinding, type CallFit, fitCall } from './payload/payload-call.js'
import { payloadRules } from './payload/payload-rule.js'
import type { Method } from './program/method.js'
import { resultRules } from './result/result-rule.js'
import { type Answer, answerOf, unwrapped } from './types/answer.js'
import { isCallback, parametersOf } from './types/parameters.js'
import { partsOf } from './types/type-parts.js'
import { describeType, type TypeReader } from './types/type-reader.js'

/** The two shapes of a tool and what its binding says. */
export interface ToolSide {
  readonly payload: Shape
  readonly result: Shape
  readonly shapes: ShapeResolver
  readonly binding: CallBinding
  /** See `ServiceToolIr.result`. */
  readonly answer: 'declared' | 'data' | 'checked'
}

/** One signature with how the tool fits it. */
export interface Candidate {
  readonly signature: ts.Signature
  readonly fromLast: number
  readonly answer: Answer
  readonly call: CallFit
  readonly result: Fit
}

/** The names under which wrappers keep what the caller wants. */
const wrappers: readonly string[] = ['data', 'body', 'result']

/**
 * The signature to call: without a required callback, with the fewest faults, a promise rather than a stream rather than
 * a bare value, then with the most fields used, then the first.
 */
export function chooseSignature(method: Method, side: ToolSide, reader: TypeReader): Candidate {
  const usable = withoutCallbacks(method.signatures, reader)
  const candidates = usable.map((signature) => candidateOf(signature, method, side, reader))
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
  const result = fitAnswer(answer, method, side, reader)
  return {
    signature,
    fromLast: method.signatures.length - 1 - method.signatures.indexOf(signature),
    answer,
    call,
    result,
  }
}

function fitAnswer(answer: Answer, method: Method, side: ToolSide, reader: TypeReader): Fit {
  if (answer.kind === 'stream') return failing('TG4211', 'the method answers with a stream, which is not mapped')
  const walk = startWalk(resultRules, reader, side.shapes)
  const type = side.answer === 'data' ? unwrapped(answer.type, 'data', reader) : answer.type
  if (type === undefined) {
    return failing(
      'TG4200',
      `\`result: 'data'\` asks for \`.data\`, which ${describeType(answer.type, reader)} does not have`,
    )
  }
  if (side.answer === 'data' && isNullish(answer.type, reader)) {
    return failing('TG4203', `the answer ${describeType(answer.type, reader)} may be missing as a whole`)
  }
  const fit = walk.fit(side.result, type, spotAt(''))
  return method.optional.length === 0 ? fit : maybeAbsent(fit)
}

/** A method that the client may lack answers undefined. */
function maybeAbsent(fit: Fit): Fit {
  const soft: Finding = { code: 'TG4202', weight: 'soft', message: 'the method is optional, so that it may not answer' }
  const draft = { kind: 'nullable', inner: fit.draft, of: 'undefined' } as const
  return { ...fit, draft, findings: [...fit.findings, soft] }
}

function isNullish(type: ts.Type, reader: TypeReader): boolean {
  const parts = partsOf(type, reader)
  return parts.undefined || parts.null
}

function isBetter(a: Candidate, b: Candidate): boolean {
  const difference = faultsOf(a) - faultsOf(b)
  if (difference !== 0) return difference < 0
  const kinds = rank(b.answer) - rank(a.answer)
  if (kinds !== 0) return kinds < 0
  return a.call.used + a.result.used > b.call.used + b.result.used
}

function faultsOf({ call, result }: Candidate): number {
  return faults({ ...call, draft: { kind: 'pass' } }) + faults(result)
}

function rank({ kind, isPromise }: Answer): number {
  if (isPromise) return 2
  return kind === 'stream' ? 1 : 0
}

/** The wrapper's field in which the result would fit, for a hint; undefined when none or several do. */
export function wrapperThatFits(candidate: Candidate, side: ToolSide, reader: TypeReader): string | undefined {
  const found = wrappers.filter((name) => {
    const type = unwrapped(candidate.answer.type, name, reader)
    if (type === undefined || partsOf(type, reader).any !== undefined) return false
    return faults(startWalk(resultRules, reader, side.shapes).fit(side.result, type, spotAt(''))) === 0
  })
  return found.length === 1 ? found[0] : undefined
}
