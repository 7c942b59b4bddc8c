import type { Schema } from '../schema/json-schema.js'
import { accessText, pascal, stringText } from '../text.js'

/**
 * Expression of generated code, with the data for combining it with other expressions. Functions that create expressions return `undefined`
 * if generated code cannot express a schema.
 */
export interface Code {
  readonly text: string
  readonly usesMode: boolean
  /** Outermost operator of the expression; absent if it has none. Next to a different operator, the expression needs parentheses. */
  readonly chain?: '&&' | '||' | '?' | '+'
}

/** Creates an expression that does not read `m`. This parameter of guards says whether undeclared fields are allowed. */
export function code(text: string): Code {
  return { text, usesMode: false }
}

/**
 * Creates an expression that calls another guard with a mode, which says whether undeclared fields are allowed. `mode` is the parameter `m`
 * of the calling guard, or the constant `is.loose`.
 */
export function modeCode(text: string, mode: string): Code {
  return { text, usesMode: mode === 'm' }
}

/** Joins conditions with `&&`. Returns `undefined` if one of them cannot be generated. */
export function all(conditions: readonly (Code | undefined)[]): Code | undefined {
  return joined(conditions, '&&', 'true', 'false')
}

/** Joins conditions with `||`. Returns `undefined` if one of them cannot be generated. */
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

/** Creates a conditional expression: `condition ? then : otherwise`. */
export function choice(condition: Code, then: Code, otherwise: Code): Code {
  const usesMode = condition.usesMode || then.usesMode || otherwise.usesMode
  return { text: `${atom(condition)} ? ${atom(then)} : ${atom(otherwise)}`, usesMode, chain: '?' }
}

export function atom({ text, chain }: Code): string {
  return chain === undefined ? text : `(${text})`
}

export type CodecLanguage = 'ts' | 'js'

/** Context in which the functions of one file of codecs are generated. */
export interface CodecScope {
  readonly defs: Readonly<Record<string, Schema>>
  /** Returns the name of a definition as it appears in function names: `Shelf` in `isShelf`. */
  readonly stemOf: (definition: string) => string
  readonly language: CodecLanguage
  readonly claim: (wanted: string) => string
  /** Adds a declaration to the file. */
  readonly declare: (name: string, text: string) => void
  /** Saves the current state. Returns a function that removes all names and declarations that were added since this call. */
  readonly checkpoint: () => () => void
}

/** A value that generated code reads, such as `v.address`, and the names of the functions for it. */
export interface Operand {
  /** Expression of the value, such as `v.address`. */
  readonly value: string
  /** Start of the names of functions for parts of the value: `PlaceOrderArgumentsAddress` gives `isPlaceOrderArgumentsAddress`. */
  readonly stem: string
  readonly mode: string
  /** Name of the function for the whole value. Absent if no name is chosen yet. */
  readonly name?: string
}

/** Returns a type annotation for TypeScript, and an empty string for JavaScript. */
export function typed({ language }: Pick<CodecScope, 'language'>, annotation: string): string {
  return language === 'ts' ? `: ${annotation}` : ''
}

/** Maximum length of function names. Longer names are cut; a number keeps them distinct. */
const maxStemLength = 80

/** Returns the operand with which generated code reads the field `name` of an object. */
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
