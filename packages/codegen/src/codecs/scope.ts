import { knownElement, reservedNames } from '../ir/reserved-names.js'
import { accessText, pascal, stringText } from '../text.js'
import { type Code, type CodecScope, code, type Operand, typed } from './codec-scope.js'

const literals = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/gsu
const identifiers = /[\p{ID_Continue}$]+/gu
const freeIdentifiers = /(?<![\p{ID_Continue}$.])[\p{ID_Continue}$]+/gu
/** A literal, or an identifier: the group. */
const words = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|([\p{ID_Continue}$]+)/gsu

/** The identifiers in an expression, in whatever role; what stands in its literals is none. */
export function identifiersIn(text: string): ReadonlySet<string> {
  return new Set(text.replace(literals, "''").match(identifiers))
}

/** The identifiers in an expression that name no property of anything. */
function freeIdentifiersIn(text: string): ReadonlySet<string> {
  return new Set(text.replace(literals, "''").match(freeIdentifiers))
}

/** The name under which a function takes its value: one that it does not read begins with an underscore. */
export function parameterName(name: string, body: string): string {
  // Most functions read their value at their beginning.
  for (const [, word] of body.matchAll(words)) if (word === name) return name
  return `_${name}`
}

/** The function that an expression calls with nothing but these arguments; `undefined` where it does anything else. */
export function calledWith(text: string, args: string): string | undefined {
  const name = text.endsWith(`(${args})`) ? text.slice(0, -args.length - 2) : ''
  return /^[\p{ID_Continue}$]+(?:\.[\p{ID_Continue}$]+)?$/u.test(name) ? name : undefined
}

/** Names of functions are cut there; a number keeps them apart. */
const longestStem = 80

/** The place of a field. */
export function fieldOperand(operand: Operand, name: string, scope: CodecScope): Operand {
  // A field of a name that every object inherits is read only where the object has it itself.
  const isInherited = name in Object.prototype
  const value = isInherited
    ? `${scope.words.is}.own(${operand.value}, ${stringText(name)})`
    : `${operand.value}${accessText(name)}`
  return { mode: operand.mode, value, stem: `${operand.stem}${pascal(name)}`.slice(0, longestStem) }
}

/** The field is not there. */
export function isAbsent({ value }: Operand): Code {
  return code(`${value} === undefined`)
}

/** The field is there. */
export function isPresent({ value }: Operand): Code {
  return code(`${value} !== undefined`)
}

/** What stands for the read of a field until it is known how often it is read; in no literal there are such characters. */
const marks = /\0(\d+)\0/g
/** The parameters of generated functions. */
const parameters = ['v', 'm', 'o']

const nothing: ReadonlySet<string> = new Set()

/** Code with the reads of fields as they are written. */
interface SettledReads {
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
  readonly #fields: { readonly name: string; readonly operand: Operand }[] = []
  readonly #indexes: Map<string, number> = new Map()

  constructor({ stem, mode }: Pick<Operand, 'stem' | 'mode'>, scope: CodecScope) {
    this.#scope = scope
    this.#stem = stem
    this.#mode = mode
  }

  /** The place of a field. */
  operand(name: string): Operand {
    const index = this.#indexes.get(name) ?? this.#fields.push({ name, operand: this.#fieldLocation(name) }) - 1
    this.#indexes.set(name, index)
    return { ...knownElement(this.#fields, index).operand, value: `\0${index}\0` }
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
          const { name, operand } = knownElement(this.#fields, Number(index))
          return isLocal.has(name) ? name : operand.value
        }),
    }
  }

  #fieldLocation(name: string): Operand {
    return fieldOperand({ value: 'v', stem: this.#stem, mode: this.#mode }, name, this.#scope)
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

/** Which definitions of a file need which others, and for which nothing can be made, as its functions are made. */
export class DefinitionUses {
  readonly #users: Map<string, Set<string>> = new Map()
  readonly #failed: Set<string> = new Set()
  /** The definitions that are being made, the innermost last. */
  readonly #open: string[] = []

  /** Whether there is a definition for which nothing can be made. */
  get hasFailed(): boolean {
    return this.#failed.size > 0
  }

  /** Makes the function of a definition. What is `undefined` has failed. */
  make<Made>(name: string, make: () => Made | undefined): Made | undefined {
    this.#open.push(name)
    const made = make()
    this.#open.pop()
    if (made === undefined) this.#failed.add(name)
    return made
  }

  /** Takes note that what is being made needs a definition. */
  use(name: string): void {
    const user = this.#open.at(-1)
    if (user === undefined) return
    const users = this.#users.get(name)
    if (users === undefined) this.#users.set(name, new Set([user]))
    else users.add(user)
  }

  /** The definitions for which nothing can be made, for themselves or for what they need. */
  failed(): ReadonlySet<string> {
    const failed = new Set(this.#failed)
    // A set goes on to what is added while it is gone through.
    for (const name of failed) for (const user of this.#users.get(name) ?? []) failed.add(user)
    return failed
  }
}
