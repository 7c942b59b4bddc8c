import { elementAt } from '../defined.js'
import { reservedNames } from '../ir/reserved-names.js'

import type { Schema } from '../schema/json-schema.js'
import { accessText, flatLiteral, pascal, stringText } from '../text.js'
import { discriminatorOf, type Variant } from './schema-reading.js'

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

const stringLiterals = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/gsu
/** A string literal, or an identifier: the group. */
const words = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|([\p{ID_Continue}$]+)/gsu

/** Returns the identifiers in an expression, in whatever role; not those in its string literals. */
export function identifiersIn(text: string): ReadonlySet<string> {
  return new Set(text.replace(stringLiterals, "''").match(/[\p{ID_Continue}$]+/gu))
}

/** Returns the name of a function's parameter: one that its body does not read begins with an underscore. */
export function parameterName(name: string, body: string): string {
  // Most functions read their value at their beginning.
  for (const [, word] of body.matchAll(words)) if (word === name) return name
  return `_${name}`
}

/** Returns the function that an expression calls with nothing but these arguments, if it does nothing else. */
export function calledWith(text: string, args: string): string | undefined {
  const name = text.endsWith(`(${args})`) ? text.slice(0, -args.length - 2) : ''
  return /^[\p{ID_Continue}$]+(?:\.[\p{ID_Continue}$]+)?$/u.test(name) ? name : undefined
}

/** Returns the parameters of a function over an object whose head reads some fields. */
export function parametersText(body: string, locals: readonly string[], scope: CodecScope): string {
  const any = typed(scope, 'any')
  const whole = parameterName('v', body)
  if (locals.length === 0) return `${whole}${any}`
  const fields = `{ ${locals.join(', ')} }${any}`
  return whole === 'v' ? `v${any}, ${fields} = v` : fields
}

/** Stands for the read of a field until it is known how often it is read; no literal has such characters. */
const marks = /\0(\d+)\0/g

interface SettledReads {
  /** The fields that the function's head reads, each into a constant of its name. */
  readonly locals: readonly string[]
  readonly written: (text: string) => string
}

/**
 * The fields that a generated function reads of the object `v`. If it reads one more than once, its head does so: in
 * objects of many layouts an engine looks a field up again each time.
 */
export class FieldReads {
  readonly #object: Operand
  readonly #names: string[] = []

  constructor({ stem, mode }: Pick<Operand, 'stem' | 'mode'>) {
    this.#object = { value: 'v', stem, mode }
  }

  operand(name: string): Operand {
    let index = this.#names.indexOf(name)
    if (index < 0) index = this.#names.push(name) - 1
    return { ...fieldOperand(this.#object, name), value: `\0${index}\0` }
  }

  /**
   * Decides which fields the head reads, by the whole text of the function.
   *
   * @param max a field that is read more often than that is read by the head
   */
  settled(text: string, max: number): SettledReads {
    const counts = this.#names.map(() => 0)
    for (const [, index] of text.matchAll(marks)) counts[Number(index)] = (counts[Number(index)] ?? 0) + 1
    const often = this.#names.filter((name, index) => (counts[index] ?? 0) > max && isLocalName(name))
    const free = text.replace(stringLiterals, "''").match(/(?<![\p{ID_Continue}$.])[\p{ID_Continue}$]+/gu)
    const taken = new Set(often.length === 0 ? [] : free)
    const locals = new Set(often.filter((name) => !taken.has(name)))
    return {
      locals: [...locals],
      written: (part) =>
        part.replace(marks, (_mark, index: string) => {
          const name = elementAt(this.#names, Number(index))
          return locals.has(name) ? name : fieldOperand(this.#object, name).value
        }),
    }
  }
}

/** Checks whether a constant can have a field's name; `v`, `m` and `o` are parameters of generated functions. */
function isLocalName(name: string): boolean {
  const isIdentifier = accessText(name) === `.${name}`
  return isIdentifier && !(name in Object.prototype) && !reservedNames.has(name) && !['v', 'm', 'o'].includes(name)
}

/** Schemas nested deeper are left to the interpreter. */
const maxDepth = 60
/** So are schemas that are larger when references are written out: references with other keywords are written out each time. */
const maxParts = 5_000

/** Makes the functions of one kind for one file of codecs. */
export abstract class FunctionMaker {
  protected readonly scope: CodecScope
  readonly #prefix: 'is' | 'serialize' | 'strip'
  /** Definitions for which no function can be made, as an earlier attempt found. */
  readonly #refused: ReadonlySet<string>
  readonly #definitions: Map<string, string> = new Map()
  /** The names of one codec's functions by their bodies: two objects with the same fields share one. */
  readonly #bodies: Map<string, string> = new Map()
  /** Definition → the definitions whose functions need its function. */
  readonly #users: Map<string, Set<string>> = new Map()
  readonly #failed: Set<string> = new Set()
  /** The definitions that are being made, the innermost last. */
  readonly #open: string[] = []
  #depth = 0
  #partsLeft = 0

  constructor(prefix: 'is' | 'serialize' | 'strip', scope: CodecScope, refused: ReadonlySet<string>) {
    this.#prefix = prefix
    this.scope = scope
    this.#refused = refused
  }

  /** Returns the body of a schema's function over `v`. */
  protected abstract body(schema: Schema, operand: Operand): Code | undefined

  /** Declares a function whose head reads some fields. */
  protected abstract declare(name: string, body: Code, locals?: readonly string[]): void

  /** Returns what is declared for a body over `v`. */
  protected asFunction(body: Code): Code {
    return body
  }

  get #args(): string {
    return this.#prefix === 'is' ? 'v, m' : 'v'
  }

  protected start(): void {
    this.#partsLeft = maxParts
    this.#bodies.clear()
  }

  /** Returns the name of the function for a schema; `undefined` where none can be made. */
  root(schema: Schema, stem: string): string | undefined {
    this.start()
    const body = this.body(schema, { value: 'v', stem, mode: this.#prefix === 'is' ? 'm' : '' })
    if (body === undefined) return undefined
    const called = calledWith(body.text, this.#args)
    if (called !== undefined) return called
    const name = this.scope.claim(`${this.#prefix}${stem}`)
    this.declare(name, body)
    return name
  }

  /** Returns the name of a definition's function, which is made at its first use. */
  protected definition(name: string): string | undefined {
    const { defs, stemOf, claim } = this.scope
    if (this.#refused.has(name) || !Object.hasOwn(defs, name)) return undefined
    const user = this.#open.at(-1)
    if (user !== undefined) this.#users.set(name, (this.#users.get(name) ?? new Set()).add(user))
    const known = this.#definitions.get(name)
    if (known !== undefined) return known
    const stem = stemOf(name)
    const wanted = claim(`${this.#prefix}${stem}`)
    this.#definitions.set(name, wanted)
    this.#open.push(name)
    const mode = this.#prefix === 'is' ? 'm' : ''
    const body = this.body(defs[name] ?? true, { value: 'v', stem, mode, name: wanted })
    this.#open.pop()
    if (body === undefined) {
      this.#failed.add(name)
      return undefined
    }
    if (body.text !== `${wanted}(${this.#args})`) this.declare(wanted, this.asFunction(body))
    return wanted
  }

  /** Returns the name of a function with a body; one that the codec has already is used again. */
  protected named(body: Code, operand: Operand, locals: readonly string[] = []): string {
    const known = this.#bodies.get(body.text)
    const name = operand.name ?? known ?? this.scope.claim(`${this.#prefix}${operand.stem}`)
    if (name !== known) this.declare(name, body, locals)
    this.#bodies.set(body.text, name)
    return name
  }

  /** Returns the cases of objects by their tag, the last one without a condition; `undefined` if no tag tells them apart. */
  protected objectCases(
    objects: readonly Variant[],
    operand: Operand,
    make: (variant: Variant, operand: Operand) => string | undefined,
  ): readonly string[] | undefined {
    const schemas = objects.map(({ conjuncts }) => ({ allOf: conjuncts }))
    const tag = objects.length > 1 ? discriminatorOf(schemas, this.scope.defs) : undefined
    if (objects.length > 1 && tag === undefined) return undefined
    const field = tag && fieldOperand(operand, tag.field).value
    const cases: string[] = []
    for (const [index, variant] of objects.entries()) {
      const text = make(variant, { ...operand, stem: `${operand.stem}${variant.stem}` })
      if (text === undefined) return undefined
      const literals = index === objects.length - 1 ? [] : (tag?.literals[index] ?? [])
      const condition = literals.map((literal) => `${field} === ${flatLiteral(literal)}`).join(' || ')
      cases.push(condition === '' ? text : `${condition} ? ${text}`)
    }
    return cases
  }

  /** Makes the code of a part; `undefined` if it is nested too deep, or if the codec has too many parts. */
  protected nested<Made>(make: () => Made | undefined): Made | undefined {
    if (this.#depth > maxDepth || !this.countPart()) return undefined
    this.#depth += 1
    const made = make()
    this.#depth -= 1
    return made
  }

  /** Counts a part; returns false if the codec has too many. */
  protected countPart(): boolean {
    return this.#partsLeft-- > 0
  }

  get hasFailed(): boolean {
    return this.#failed.size > 0
  }

  failed(): ReadonlySet<string> {
    const failed = new Set(this.#failed)
    // Iteration over a set goes on to what is added meanwhile.
    for (const name of failed) for (const user of this.#users.get(name) ?? []) failed.add(user)
    return failed
  }
}
