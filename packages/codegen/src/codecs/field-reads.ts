import { elementAt } from '../defined.js'
import { reservedNames } from '../ir/reserved-names.js'
import { accessText } from '../text.js'
import { type CodecScope, fieldOperand, type Operand, typed } from './code.js'

const stringLiterals = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/gsu

const words = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|([\p{ID_Continue}$]+)/gsu

const freeNames = /(?<![\p{ID_Continue}$.])[\p{ID_Continue}$]+/gu

export function identifiersIn(text: string): ReadonlySet<string> {
  return new Set(text.replace(stringLiterals, "''").match(/[\p{ID_Continue}$]+/gu))
}

export function parameterName(name: string, body: string): string {
  // Most functions use the parameter at the beginning.
  for (const [, word] of body.matchAll(words)) if (word === name) return name
  return `_${name}`
}

export function parametersText(body: string, locals: readonly string[], scope: CodecScope): string {
  const any = typed(scope, 'any')
  const whole = parameterName('v', body)
  if (locals.length === 0) return `${whole}${any}`
  const fields = `{ ${locals.join(', ')} }${any}`
  return whole === 'v' ? `v${any}, ${fields} = v` : fields
}

/** Placeholders of field accesses contain `\0`, which string literals of generated code never contain. */
const marks = /\0(\d+)\0/g

interface SettledReads {
  readonly locals: readonly string[]
  readonly written: (text: string) => string
}

/**
 * A field that the generated function accesses several times becomes a variable, because repeated accesses are slow if objects have many different
 * layouts.
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

  settled(text: string, max: number): SettledReads {
    const counts = this.#names.map(() => 0)
    for (const [, index] of text.matchAll(marks)) counts[Number(index)] = (counts[Number(index)] ?? 0) + 1
    const often = this.#names.filter((name, index) => (counts[index] ?? 0) > max && isLocalName(name))
    const free = often.length === 0 ? [] : text.replace(stringLiterals, "''").match(freeNames)
    const taken = new Set(free)
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

/** The variable of a field must not hide the parameters `v`, `m` and `o` of generated functions. */
function isLocalName(name: string): boolean {
  const isIdentifier = accessText(name) === `.${name}`
  return isIdentifier && !(name in Object.prototype) && !reservedNames.has(name) && !['v', 'm', 'o'].includes(name)
}
