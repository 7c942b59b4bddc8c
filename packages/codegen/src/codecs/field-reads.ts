import { elementAt } from '../defined.js'
import { reservedNames } from '../ir/reserved-names.js'
import { accessText } from '../text.js'
import { type CodecScope, fieldOperand, namespaces, type Operand, typed } from './code.js'

const words = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[\p{ID_Continue}$]+/gsu

const freeNames = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?<![\p{ID_Continue}$.])[\p{ID_Continue}$]+/gsu

/** Also contains the string literals of the text, with their quotes. */
export function identifiersIn(text: string): ReadonlySet<string> {
  return new Set(text.match(words))
}

export function parameterName(name: string, body: string): string {
  // Most functions use the parameter at the beginning.
  for (const [word] of body.matchAll(words)) if (word === name) return name
  return `_${name}`
}

export function parametersText(body: string, locals: readonly string[], scope: CodecScope): string {
  const any = typed(scope, 'any')
  const whole = parameterName('v', body)
  if (locals.length === 0) return `${whole}${any}`
  const fields = `{ ${locals.join(', ')} }${any}`
  return whole === 'v' ? `v${any}, ${fields} = v` : fields
}

/** Separates the numbers of field accesses from the rest of a text. String literals of generated code never contain it. */
const mark = '\0'

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
  readonly #fields: Map<string, { readonly access: string; readonly operand: Operand }> = new Map()

  constructor({ stem, mode }: Pick<Operand, 'stem' | 'mode'>) {
    this.#object = { value: 'v', stem, mode }
  }

  operand(name: string): Operand {
    const known = this.#fields.get(name)
    if (known !== undefined) return known.operand
    const { value: access, stem, mode } = fieldOperand(this.#object, name)
    const operand: Operand = { value: `${mark}${this.#fields.size}${mark}`, stem, mode }
    this.#fields.set(name, { access, operand })
    return operand
  }

  settled(text: string, max: number): SettledReads {
    const names = [...this.#fields.keys()]
    const counts = names.map(() => 0)
    // Every second part is a number.
    text.split(mark).forEach((part, index) => {
      if (index % 2 === 1) counts[Number(part)] = (counts[Number(part)] ?? 0) + 1
    })
    const often = names.filter((name, index) => (counts[index] ?? 0) > max && isLocalName(name))
    const taken = new Set(often.length === 0 ? [] : text.match(freeNames))
    const locals = new Set(often.filter((name) => !taken.has(name)))
    const reads = [...this.#fields].map(([name, { access }]) => (locals.has(name) ? name : access))
    return {
      locals: [...locals],
      written: (written) =>
        written
          .split(mark)
          .map((part, index) => (index % 2 === 1 ? elementAt(reads, Number(part)) : part))
          .join(''),
    }
  }
}

/** The variable of a field must not hide a namespace, or the parameters `v`, `m` and `o` of generated functions. */
const hidden: ReadonlySet<string> = new Set([...namespaces, 'v', 'm', 'o'])

function isLocalName(name: string): boolean {
  const isIdentifier = accessText(name) === `.${name}`
  return isIdentifier && !(name in Object.prototype) && !reservedNames.has(name) && !hidden.has(name)
}
