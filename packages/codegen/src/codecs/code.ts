import type { Schema } from '../schema/json-schema.js'
import { accessText, pascal, stringText } from '../text.js'

/**
 * `usesMode` is true if the expression contains `m`. Generated type guards have this parameter, which determines whether objects can have undeclared
 * fields.
 */
export interface Code {
  readonly text: string
  readonly usesMode: boolean
  /** Outermost operator. An expression next to a different operator needs parentheses. Absent if the expression never needs parentheses. */
  readonly chain?: '&&' | '||' | '?' | '+'
}

export function code(text: string): Code {
  return { text, usesMode: false }
}

/**
 * Creates code that calls a type guard, generated or from the runtime, with the argument `mode`. This argument is either the parameter `m` of the
 * generated type guard that contains the call, or `is.loose`, which allows undeclared fields in objects.
 */
export function modeCode(text: string, mode: string): Code {
  return { text, usesMode: mode === 'm' }
}

export function all(conditions: readonly (Code | undefined)[]): Code | undefined {
  return joined(conditions, '&&', 'true', 'false')
}

export function any(conditions: readonly (Code | undefined)[]): Code | undefined {
  return joined(conditions, '||', 'false', 'true')
}

function joined(
  conditions: readonly (Code | undefined)[],
  operator: '&&' | '||',
  neutral: string,
  deciding: string,
): Code | undefined {
  const distinct: Code[] = []
  let isDecided = false
  for (const condition of conditions) {
    if (condition === undefined) return undefined
    const { text } = condition
    isDecided ||= text === deciding
    if (text !== neutral && !distinct.some((other) => other.text === text)) distinct.push(condition)
  }
  if (isDecided) return code(deciding)
  const [first = code(neutral), ...others] = distinct
  if (others.length === 0) return first
  const operands = distinct.map((operand) => (operand.chain === operator ? operand.text : atom(operand)))
  return {
    text: operands.join(` ${operator} `),
    usesMode: distinct.some(({ usesMode }) => usesMode),
    chain: operator,
  }
}

export function not(condition: Code | undefined): Code | undefined {
  if (condition === undefined) return undefined
  if (condition.text === 'true' || condition.text === 'false') return code(condition.text === 'true' ? 'false' : 'true')
  return { text: `!(${condition.text})`, usesMode: condition.usesMode }
}

export function choice(condition: Code, then: Code, otherwise: Code): Code {
  const usesMode = condition.usesMode || then.usesMode || otherwise.usesMode
  return { text: `${atom(condition)} ? ${atom(then)} : ${atom(otherwise)}`, usesMode, chain: '?' }
}

export function atom({ text, chain }: Code): string {
  return chain === undefined ? text : `(${text})`
}

export type CodecLanguage = 'ts' | 'js'

/** The namespaces of the runtime that generated functions can use. */
export const namespaces = ['is', 'serialize', 'strip'] as const

export interface CodecScope {
  readonly defs: Readonly<Record<string, Schema>>
  readonly stemOf: (definition: string) => string
  readonly language: CodecLanguage
  readonly claim: (wanted: string) => string
  readonly declare: (name: string, text: string) => void
  /** The returned function removes all names and declarations that were added after the call. */
  readonly checkpoint: () => () => void
}

/** `value` is an expression of generated code, such as `v.address`. */
export interface Operand {
  readonly value: string
  /** Part of function names, for example `PlaceOrderArgumentsAddress` in `isPlaceOrderArgumentsAddress`. */
  readonly stem: string
  readonly mode: string
  readonly name?: string
}

export function typed({ language }: Pick<CodecScope, 'language'>, annotation: string): string {
  return language === 'ts' ? `: ${annotation}` : ''
}

const maxStemLength = 80

export function fieldOperand(operand: Operand, name: string): Operand {
  // A field with the name of a member of `Object.prototype` is only read if the object itself has the field.
  const isInherited = name in Object.prototype
  const value = isInherited ? `is.own(${operand.value}, ${stringText(name)})` : `${operand.value}${accessText(name)}`
  return { mode: operand.mode, value, stem: `${operand.stem}${pascal(name)}`.slice(0, maxStemLength) }
}

export function isAbsent({ value }: Operand): Code {
  return code(`${value} === undefined`)
}

export function isPresent({ value }: Operand): Code {
  return code(`${value} !== undefined`)
}
