import type { Schema } from '../schema/json-schema.js'
import { accessText, pascal, stringText } from '../text.js'

/** An expression of generated code; `undefined` stands for one that cannot be generated. */
export interface Code {
  readonly text: string
  readonly usesMode: boolean
  /** Operator of a chain that needs parentheses next to another operator. */
  readonly chain?: '&&' | '||' | '?' | '+'
}

/** Returns an expression that reads no mode. */
export function code(text: string): Code {
  return { text, usesMode: false }
}

/** Returns a call that is given the mode. */
export function modeCode(text: string, mode: string): Code {
  return { text, usesMode: mode === 'm' }
}

/** Returns the conjunction of conditions; `undefined` where one of them cannot be generated. */
export function all(conditions: readonly (Code | undefined)[]): Code | undefined {
  return joined(conditions, '&&', 'true', 'false')
}

/** Returns the disjunction of conditions. */
export function any(conditions: readonly (Code | undefined)[]): Code | undefined {
  return joined(conditions, '||', 'false', 'true')
}

function joined(
  conditions: readonly (Code | undefined)[],
  operator: '&&' | '||',
  neutral: string,
  deciding: string,
): Code | undefined {
  const known = conditions.filter((one) => one !== undefined)
  if (known.length < conditions.length) return undefined
  const needed = known.filter(({ text }) => text !== neutral)
  if (needed.some(({ text }) => text === deciding)) return code(deciding)
  const distinct = [...new Map(needed.map((condition) => [condition.text, condition])).values()]
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

/** Returns one expression where a condition holds, else another one. */
export function choice(condition: Code, then: Code, otherwise: Code): Code {
  const usesMode = condition.usesMode || then.usesMode || otherwise.usesMode
  return { text: `${atom(condition)} ? ${atom(then)} : ${atom(otherwise)}`, usesMode, chain: '?' }
}

/** Returns the text of an expression as an operand. */
export function atom({ text, chain }: Code): string {
  return chain === undefined ? text : `(${text})`
}

/** The language of generated codecs. */
export type CodecLanguage = 'ts' | 'js'

/** The functions of one file of codecs while they are being made. */
export interface CodecScope {
  readonly defs: Readonly<Record<string, Schema>>
  /** Returns the name of a definition within names of functions: `Shelf` for `isShelf`. */
  readonly stemOf: (definition: string) => string
  readonly language: CodecLanguage
  readonly claim: (wanted: string) => string
  /** Adds a declaration to the file; its text may never be needed. */
  readonly declare: (name: string, text: () => string) => void
}

/** A value for which code is made. */
export interface Operand {
  /** The expression that reads it, e.g. `v.address`. */
  readonly value: string
  /** The stem of the names of functions for its parts, e.g. `PlaceOrderArgumentsAddress`. */
  readonly stem: string
  readonly mode: string
  /** The name of the function of the whole value, if it is settled. */
  readonly name?: string
}

/** Returns the annotation of a type, where types are written. */
export function typed({ language }: Pick<CodecScope, 'language'>, annotation: string): string {
  return language === 'ts' ? `: ${annotation}` : ''
}

/** Names of functions are cut there; a number keeps them apart. */
const maxStemLength = 80

/** Returns a field as an operand. */
export function fieldOperand(operand: Operand, name: string): Operand {
  // A field of a name that every object inherits is read only where the object has it itself.
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
