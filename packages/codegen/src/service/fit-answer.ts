import type { ts } from 'ts-morph'
import type { Shape } from '../schema/shape/shape.js'
import { type Finding, type Fit, failing, spotAt } from './match/fit.js'
import { startWalk } from './match/walk.js'
import type { Method } from './program/method.js'
import { resultRules } from './result/result-rule.js'
import type { ToolSide } from './tool-side.js'
import { type Answer, unwrapped } from './types/answer.js'
import { listOf } from './types/made-type.js'
import { partsOf } from './types/type-parts.js'
import {
  builtinName,
  describeType,
  isHidden,
  isSymbolNamed,
  propertiesOf,
  type TypeReader,
} from './types/type-reader.js'

/** A part of what a method answers, and how it fits what the tool says of it. */
export interface PartFit {
  readonly type: ts.Type
  readonly fit: Fit
}

/** What a tool makes of a method's answer. */
export interface AnswerFit {
  readonly result: PartFit
  /** Of each item of a stream; there where the tool streams and the method does. */
  readonly update?: PartFit
}

/** Compares what a signature answers with the result of the tool, and the items of a stream with its updates. */
export function fitAnswer(answer: Answer, method: Method, side: ToolSide, reader: TypeReader): AnswerFit {
  const { item } = answer
  const whole = (fit: Fit): AnswerFit => ({ result: { type: valueType(answer.type, side, reader), fit } })
  if (item === undefined || side.streaming === undefined) return whole(fitOnce(answer, method, side, reader))
  if (method.optional.length > 0) {
    return whole(failing('TG4202', 'the method is optional, so that there may be no stream'))
  }
  const { collect, updates } = side.streaming
  const collected = collectedType(item, collect, answer, reader)
  return {
    result: { type: valueType(collected, side, reader), fit: fitCollected(collected, collect, side, reader) },
    update: { type: item, fit: fitShape(updates, item, 'item', side, reader) },
  }
}

/** What the result is made of: the list of all items, or the last one. */
export function collectedType(item: ts.Type, collect: 'list' | 'last', { type }: Answer, reader: TypeReader): ts.Type {
  return collect === 'last' ? item : listOf(item, type, reader)
}

/** How what is collected of a stream fits the result of the tool. */
export function fitCollected(type: ts.Type, collect: 'list' | 'last', side: ToolSide, reader: TypeReader): Fit {
  return fitValue(type, collect === 'last' ? 'item' : 'items', side, reader)
}

function fitOnce(answer: Answer, method: Method, side: ToolSide, reader: TypeReader): Fit {
  if (answer.item !== undefined && !isValueToo(answer, reader)) return undeclared
  const fit = fitValue(answer.type, '', side, reader)
  if (answer.item !== undefined && fit.findings.some(({ weight }) => weight === 'hard')) {
    return { ...fit, findings: [...fit.findings, ...undeclared.findings] }
  }
  return method.optional.length > 0 ? maybeMissing(fit) : fit
}

const undeclared = failing('TG4211', 'the method answers with a stream, and the tool is not declared as streaming')

/** What can be iterated over may have fields of its own, such as a page of a list. */
function isValueToo({ type, isPromise }: Answer, reader: TypeReader): boolean {
  if (!isPromise || builtinName(type, reader) !== undefined) return false
  return propertiesOf(type, reader).some(
    (property) => !isSymbolNamed(property) && !isHidden(property, reader) && !isMethod(property.type(), reader),
  )
}

function isMethod(type: ts.Type, { checker, ts }: TypeReader): boolean {
  return checker.getSignaturesOfType(type, ts.SignatureKind.Call).length > 0
}

function fitValue(type: ts.Type, label: string, side: ToolSide, reader: TypeReader): Fit {
  if (side.answer.from === undefined) return fitShape(side.result, type, label, side, reader)
  const data = unwrapped(type, 'data', reader)
  if (data === undefined) {
    return failing(
      'TG4200',
      `\`result: { from: 'data' }\` asks for \`.data\`, which ${describeType(type, reader)} does not have`,
    )
  }
  const { undefined: isMaybe, null: isNullable } = partsOf(type, reader)
  if (isMaybe || isNullable) {
    return failing('TG4203', `the answer ${describeType(type, reader)} may be missing as a whole`)
  }
  return fitShape(side.result, data, label, side, reader)
}

function fitShape(shape: Shape, type: ts.Type, label: string, side: ToolSide, reader: TypeReader): Fit {
  return startWalk(resultRules, reader, side.shapes).fit(shape, type, spotAt(label))
}

/** What is compared with the tool: `.data` where the binding takes it out. */
function valueType(type: ts.Type, side: ToolSide, reader: TypeReader): ts.Type {
  return side.answer.from === 'data' ? (unwrapped(type, 'data', reader) ?? type) : type
}

/** A method that the client may lack answers undefined. */
function maybeMissing(fit: Fit): Fit {
  const soft: Finding = { code: 'TG4202', weight: 'soft', message: 'the method is optional, so that it may not answer' }
  const draft = { kind: 'nullable', inner: fit.draft, of: 'undefined' } as const
  return { ...fit, draft, findings: [...fit.findings, soft] }
}
