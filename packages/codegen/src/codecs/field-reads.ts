import { elementAt } from '../defined.js'
import { reservedNames } from '../ir/reserved-names.js'
import { accessText } from '../text.js'
import { type CodecScope, fieldOperand, type Operand, typed } from './code.js'

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
