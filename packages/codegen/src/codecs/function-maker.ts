import type { Schema } from '../schema/json-schema.js'
import { flatLiteral } from '../text.js'
import { type Code, type CodecScope, fieldOperand, type Operand } from './code.js'
import { discriminatorOf, type Variant } from './unions.js'

export function calledWith(text: string, args: string): string | undefined {
  const name = text.endsWith(`(${args})`) ? text.slice(0, -args.length - 2) : ''
  return /^[\p{ID_Continue}$]+(?:\.[\p{ID_Continue}$]+)?$/u.test(name) ? name : undefined
}

const maxDepth = 60

/** Limit for one codec. A definition counts once, and again for each reference that has additional keywords. */
const maxParts = 5_000

export abstract class FunctionMaker {
  protected readonly scope: CodecScope
  readonly #prefix: 'is' | 'serialize' | 'strip' | 'complete'
  readonly #refused: Set<string> = new Set()
  readonly #definitions: Map<string, string> = new Map()
  /** Function names by function body, so that objects with the same fields share a function. */
  #bodies: Map<string, string> = new Map()
  #depth = 0
  #partsLeft = 0

  constructor(prefix: 'is' | 'serialize' | 'strip' | 'complete', scope: CodecScope) {
    this.#prefix = prefix
    this.scope = scope
  }

  protected abstract body(schema: Schema, operand: Operand): Code | undefined

  protected abstract declare(name: string, body: Code, locals?: readonly string[]): void

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

  protected definition(name: string): string | undefined {
    const { defs, stemOf, claim } = this.scope
    if (this.#refused.has(name) || !Object.hasOwn(defs, name)) return undefined
    const known = this.#definitions.get(name)
    if (known !== undefined) return known
    const undo = this.checkpoint()
    const stem = stemOf(name)
    const wanted = claim(`${this.#prefix}${stem}`)
    this.#definitions.set(name, wanted)
    const mode = this.#prefix === 'is' ? 'm' : ''
    const body = this.body(defs[name] ?? true, { value: 'v', stem, mode, name: wanted })
    if (body === undefined) {
      // Also removes the functions that were generated since the checkpoint, because they may call this function.
      undo()
      this.#refused.add(name)
      return undefined
    }
    if (body.text !== `${wanted}(${this.#args})`) this.declare(wanted, this.asFunction(body))
    return wanted
  }

  protected checkpoint(): () => void {
    const undo = this.scope.checkpoint()
    const [count, bodies, partsLeft] = [this.#definitions.size, new Map(this.#bodies), this.#partsLeft]
    return () => {
      undo()
      truncate(this.#definitions, count)
      this.#bodies = bodies
      this.#partsLeft = partsLeft
    }
  }

  protected named(body: Code, operand: Operand, locals: readonly string[] = []): string {
    const known = this.#bodies.get(body.text)
    const name = operand.name ?? known ?? this.scope.claim(`${this.#prefix}${operand.stem}`)
    if (name !== known) this.declare(name, body, locals)
    this.#bodies.set(body.text, name)
    return name
  }

  /** Each expression except the last begins with a test of the discriminator, for example `v.kind === 'card' ? `. */
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

  protected nested<Made>(make: () => Made | undefined): Made | undefined {
    if (this.#depth > maxDepth || !this.countPart()) return undefined
    this.#depth += 1
    const made = make()
    this.#depth -= 1
    return made
  }

  protected countPart(): boolean {
    return this.#partsLeft-- > 0
  }
}

export function truncate(entries: Map<string, unknown> | Set<string>, count: number): void {
  for (const key of [...entries.keys()].slice(count)) entries.delete(key)
}
