import type { Schema } from '../schema/json-schema.js'
import { flatLiteral } from '../text.js'
import { type Code, type CodecScope, fieldOperand, type Operand } from './code.js'
import { discriminatorOf, type Variant } from './unions.js'

/** Returns the function that an expression calls with nothing but these arguments, if it does nothing else. */
export function calledWith(text: string, args: string): string | undefined {
  const name = text.endsWith(`(${args})`) ? text.slice(0, -args.length - 2) : ''
  return /^[\p{ID_Continue}$]+(?:\.[\p{ID_Continue}$]+)?$/u.test(name) ? name : undefined
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
