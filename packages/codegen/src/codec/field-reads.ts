import { knownElement } from '../ir/names/known-element.js'
import { reservedNames } from '../ir/names/reserved-names.js'
import { accessText } from '../text/literal.js'
import { type CodecScope, type Place, typed } from './codec-scope.js'
import { fieldPlace } from './field-place.js'
import { freeIdentifiersIn, parameterName } from './identifiers.js'

/** What stands for the read of a field until it is known how often it is read; in no literal there are such characters. */
const marks = /\0(\d+)\0/g
/** The parameters of generated functions. */
const parameters = ['v', 'm', 'o']

const nothing: ReadonlySet<string> = new Set()

/** Code with the reads of fields as they are written. */
export interface SettledReads {
  /** The fields that the function's head reads, each into a constant of its name. */
  readonly locals: readonly string[]
  /** Writes out a text in which fields are read. */
  readonly written: (text: string) => string
}

/**
 * The fields that a generated function reads of the object `v`. Where it reads one more than once, its head does so: of
 * objects of many layouts an engine looks a field up again each time.
 */
export class FieldReads {
  readonly #scope: CodecScope
  readonly #stem: string
  readonly #mode: string
  readonly #fields: { readonly name: string; readonly place: Place }[] = []
  readonly #indexes: Map<string, number> = new Map()

  constructor({ stem, mode }: Pick<Place, 'stem' | 'mode'>, scope: CodecScope) {
    this.#scope = scope
    this.#stem = stem
    this.#mode = mode
  }

  /** The place of a field. */
  place(name: string): Place {
    const index = this.#indexes.get(name) ?? this.#fields.push({ name, place: this.#fieldPlace(name) }) - 1
    this.#indexes.set(name, index)
    return { ...knownElement(this.#fields, index).place, value: `\0${index}\0` }
  }

  /**
   * Decides which fields the head reads, by the whole text of the function.
   *
   * @param most a field that is read more often than that is read by the head
   */
  settled(text: string, most: number): SettledReads {
    const counts = this.#fields.map(() => 0)
    for (const [, index] of text.matchAll(marks)) counts[Number(index)] = (counts[Number(index)] ?? 0) + 1
    const often = this.#fields.flatMap(({ name }, index) =>
      (counts[index] ?? 0) > most && isLocalName(name) ? [name] : [],
    )
    const taken = often.length === 0 ? nothing : freeIdentifiersIn(text)
    const locals = often.filter((name) => !taken.has(name))
    const isLocal = new Set(locals)
    return {
      locals,
      written: (part) =>
        part.replace(marks, (_mark, index: string) => {
          const { name, place } = knownElement(this.#fields, Number(index))
          return isLocal.has(name) ? name : place.value
        }),
    }
  }

  #fieldPlace(name: string): Place {
    return fieldPlace({ value: 'v', stem: this.#stem, mode: this.#mode }, name, this.#scope)
  }
}

/** The parameters of a function that takes an object, of which its head reads some fields. */
export function parametersText(body: string, locals: readonly string[], scope: CodecScope): string {
  const any = typed(scope, 'any')
  const whole = parameterName('v', body)
  if (locals.length === 0) return `${whole}${any}`
  const fields = `{ ${locals.join(', ')} }${any}`
  return whole === 'v' ? `v${any}, ${fields} = v` : fields
}

/** Whether a constant may have a field's name. */
function isLocalName(name: string): boolean {
  const isIdentifier = accessText(name) === `.${name}`
  return isIdentifier && !(name in Object.prototype) && !reservedNames.has(name) && !parameters.includes(name)
}
