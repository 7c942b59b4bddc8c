import { reservedNames } from '../ir/names/reserved-names.js'
import { accessText } from '../text/literal.js'
import { type CodecScope, type Place, typed } from './codec-scope.js'
import { fieldPlace } from './field-place.js'
import { freeIdentifiersIn, parameterName } from './identifiers.js'

/** What stands for the read of a field until it is known how often it is read; in no literal there are such characters. */
const marks = /\0(\d+)\0/g
/** The parameters of generated functions. */
const parameters = ['v', 'm', 'o']

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
  readonly #fields: string[] = []

  constructor({ stem, mode }: Pick<Place, 'stem' | 'mode'>, scope: CodecScope) {
    this.#scope = scope
    this.#stem = stem
    this.#mode = mode
  }

  /** The place of a field. */
  place(name: string): Place {
    const known = this.#fields.indexOf(name)
    const index = known < 0 ? this.#fields.push(name) - 1 : known
    return { ...this.#fieldPlace(name), value: `\0${index}\0` }
  }

  /**
   * Decides which fields the head reads, by the whole text of the function.
   *
   * @param most a field that is read more often than that is read by the head
   */
  settled(text: string, most: number): SettledReads {
    const taken = freeIdentifiersIn(text)
    const locals = this.#fields.filter((name, index) => {
      return text.split(`\0${index}\0`).length - 1 > most && isLocalName(name) && !taken.has(name)
    })
    return {
      locals,
      written: (part) =>
        part.replace(marks, (_mark, index: string) => {
          const name = this.#fields[Number(index)] ?? ''
          return locals.includes(name) ? name : this.#fieldPlace(name).value
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
