import type { Schema } from '../schema/json-schema.js'
import { accessText, pascal, stringText } from '../text.js'

/** An expression of generated code, with data for combining it with other expressions. */
export interface Code {
  readonly text: string
  readonly usesMode: boolean
  /** Outermost operator of the expression. An expression next to a different operator needs parentheses. Absent if no parentheses are ever needed. */
  readonly chain?: '&&' | '||' | '?' | '+'
}

/** Creates an expression without the parameter `m` of a guard. `m` determines whether objects can have undeclared fields. */
export function code(text: string): Code {
  return { text, usesMode: false }
}

/**
 * Creates a call of a guard. `mode` is the argument for its parameter `m`: `m`, which passes on the parameter of the calling guard, or `is.loose`,
 * which allows undeclared fields.
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

export interface CodecScope {
  readonly defs: Readonly<Record<string, Schema>>
  /** Returns the name of a definition for use in function names, such as `Shelf` in `isShelf`. */
  readonly stemOf: (definition: string) => string
  readonly language: CodecLanguage
  readonly claim: (wanted: string) => string
  readonly declare: (name: string, text: string) => void
  /** Saves the current state. The returned function removes all names and declarations that were added after the call. */
  readonly checkpoint: () => () => void
}

/** A value that generated code reads, such as `v.address`, and the names of functions for this value. */
export interface Operand {
  readonly value: string
  /** Part of the names of functions for nested values, for example `PlaceOrderArgumentsAddress` in `isPlaceOrderArgumentsAddress`. */
  readonly stem: string
  readonly mode: string
  readonly name?: string
}

export function typed({ language }: Pick<CodecScope, 'language'>, annotation: string): string {
  return language === 'ts' ? `: ${annotation}` : ''
}

/** Maximum length of function names. The generator truncates longer names and adds a number to keep names distinct. */
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
