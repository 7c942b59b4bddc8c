import type { Schema } from '../schema/json-schema.js'

/** An expression of generated code; `undefined` stands for one that cannot be generated. */
export interface Code {
  readonly text: string
  /** Whether it reads the mode, `m`. */
  readonly usesMode: boolean
  /** Whether it is a chain that needs parentheses beside another operator. */
  readonly chain?: '&&' | '||' | '?' | '+'
}

/** An expression that reads no mode. */
export function code(text: string): Code {
  return { text, usesMode: false }
}

/** A call that is given the mode. */
export function modeCode(text: string, mode: string): Code {
  return { text, usesMode: mode === 'm' }
}

/** All conditions hold; `undefined` where one of them cannot be generated. */
export function all(conditions: readonly (Code | undefined)[]): Code | undefined {
  const needed = known(conditions)?.filter(({ text }) => text !== 'true')
  if (needed?.some(({ text }) => text === 'false')) return code('false')
  return needed && joined(needed, '&&', 'true')
}

/** One of several conditions holds. */
export function any(conditions: readonly (Code | undefined)[]): Code | undefined {
  const needed = known(conditions)?.filter(({ text }) => text !== 'false')
  if (needed?.some(({ text }) => text === 'true')) return code('true')
  return needed && joined(needed, '||', 'false')
}

/** A condition that must not hold. */
export function not(condition: Code | undefined): Code | undefined {
  if (condition === undefined) return undefined
  if (condition.text === 'true' || condition.text === 'false') return code(condition.text === 'true' ? 'false' : 'true')
  return { text: `!(${condition.text})`, usesMode: condition.usesMode }
}

/** One expression where a condition holds, else another one. */
export function choice(condition: Code, then: Code, otherwise: Code): Code {
  const usesMode = condition.usesMode || then.usesMode || otherwise.usesMode
  return { text: `${atom(condition)} ? ${atom(then)} : ${atom(otherwise)}`, usesMode, chain: '?' }
}

/** The text of an expression as an operand. */
export function atom({ text, chain }: Code): string {
  return chain === undefined ? text : `(${text})`
}

function joined(conditions: readonly Code[], operator: '&&' | '||', none: string): Code {
  const distinct = [...new Map(conditions.map((condition) => [condition.text, condition])).values()]
  const [first, ...others] = distinct
  if (first === undefined) return code(none)
  if (others.length === 0) return first
  const operands = distinct.map((operand) => (operand.chain === operator ? operand.text : atom(operand)))
  return {
    text: operands.join(` ${operator} `),
    usesMode: distinct.some(({ usesMode }) => usesMode),
    chain: operator,
  }
}

function known(codes: readonly (Code | undefined)[]): readonly Code[] | undefined {
  const list = codes.filter((one) => one !== undefined)
  return list.length === codes.length ? list : undefined
}

/** What codecs are written in. */
export type CodecLanguage = 'ts' | 'js'

/** The functions of one file of codecs while they are being made. */
export interface CodecScope {
  /** The definitions to which schemas refer. */
  readonly defs: Readonly<Record<string, Schema>>
  /** The names of definitions, as they stand in names of functions: `Shelf` for `isShelf`. */
  readonly stemOf: (definition: string) => string
  /** What the runtime's words of checks, writers and pickers are called in the file. */
  readonly words: { readonly is: string; readonly serialize: string; readonly strip: string }
  /** Whether types are written. */
  readonly language: CodecLanguage
  /** A name that nothing else in the file has. */
  readonly claim: (wanted: string) => string
  /** Adds a declaration to the file; its text may never be asked for. */
  readonly declare: (name: string, text: () => string) => void
}

/** A place in a value for which code is made. */
export interface Operand {
  /** The expression that reads it, e.g. `v.address`. */
  readonly value: string
  /** What functions for its parts are named after, e.g. `PlaceOrderArgumentsAddress`. */
  readonly stem: string
  /** The expression that holds the mode. */
  readonly mode: string
  /** What the function of the whole value is called, where that is settled. */
  readonly name?: string
}

/** The annotation of a type, where types are written. */
export function typed({ language }: Pick<CodecScope, 'language'>, annotation: string): string {
  return language === 'ts' ? `: ${annotation}` : ''
}

/** The check that a place holds any JSON. Where only conditions are asked about, the value is known to be JSON. */
export function anyJson({ value, mode }: Pick<Operand, 'value' | 'mode'>, { words }: CodecScope): string {
  return mode === 'm' ? `${words.is}.any(${value})` : `${value} !== undefined`
}
