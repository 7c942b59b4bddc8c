import { createHash } from 'node:crypto'

/** The longest stem that is taken as it is; a longer one is cut and gets a hash. */
const longestStem = 64

/**
 * Letters and marks that Unicode gained after version 15, as ranges of code points. Compilers still in use do not know
 * them, so no identifier may depend on them, whatever Unicode version runs this generator.
 */
const youngLetters: readonly (readonly [first: number, last: number])[] = [
  [0x088f, 0x088f],
  [0x0897, 0x0897],
  [0x0c5c, 0x0c5c],
  [0x0cdc, 0x0cdc],
  [0x1acf, 0x1aff],
  [0x1c89, 0x1c8a],
  [0xa7cb, 0xa7cf],
  [0xa7d2, 0xa7d2],
  [0xa7d4, 0xa7d4],
  [0xa7da, 0xa7dc],
  [0xa7f1, 0xa7f1],
]

/** True for a letter, mark or digit that is visible and that every compiler accepts inside an identifier. */
function isUsable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return /[0-9A-Za-z]/.test(character)
  return (
    code <= 0xffff &&
    /[\p{L}\p{Mn}\p{Mc}\p{Nd}]/u.test(character) &&
    /\p{ID_Continue}/u.test(character) &&
    !/\p{Default_Ignorable_Code_Point}/u.test(character) &&
    !youngLetters.some(([first, last]) => code >= first && code <= last)
  )
}

/** Returns the parts of a name between characters that may not stand in an identifier: `get_order` → `get`, `order`. */
function segments(name: string): readonly string[] {
  const kept = Array.from(name.normalize('NFC'), (character) => (isUsable(character) ? character : ' ')).join('')
  return kept.split(' ').filter((segment) => segment !== '')
}

/**
 * Six hexadecimal characters, or more, that depend on every code unit of a name (lone surrogates too).
 *
 * @param length how many characters, 64 at most
 */
export function nameHash(name: string, length: number): string {
  return createHash('sha256').update(name, 'utf16le').digest('hex').slice(0, length)
}

/**
 * Returns the PascalCase stem of a name: `get_order`, `get-order` and `getOrder` are all `GetOrder`. Always a legal identifier
 * that has no underscore, except before a leading digit and before a hash (a name too long, or with nothing to keep).
 *
 * @param kind the word that stands for a name without a single usable letter, e.g. `Tool`
 */
export function pascalStem(name: string, kind: string): string {
  const joined = segments(name).map(capitalised).join('').normalize('NFC')
  if (joined === '') return `${kind}_${nameHash(name, 6)}`
  const legal = /^\p{ID_Start}/u.test(joined) ? joined : `_${joined}`
  return legal.length <= longestStem ? legal : `${legal.slice(0, longestStem)}_${nameHash(name, 6)}`
}

/** Returns the camelCase form of a PascalCase stem; a leading acronym is lowered as a whole: `URLFor` → `urlFor`. */
export function camel(stem: string): string {
  return stem.replace(/^(?:\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}+)/u, (capitals) =>
    usableCase(capitals, capitals.toLowerCase()),
  )
}

/** A file name's stem in lower case with hyphens between the words: `lineItems` → `line-items`. */
export function kebabStem(name: string, kind: string): string {
  const words = segments(name).flatMap((segment) =>
    segment.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, '_').split('_'),
  )
  const joined = words.join('-').toLowerCase().normalize('NFC')
  if (joined === '') return `${kind.toLowerCase()}-${nameHash(name, 6)}`
  return joined.length <= longestStem ? joined : `${joined.slice(0, longestStem)}-${nameHash(name, 6)}`
}

function capitalised(segment: string): string {
  const [first = ''] = segment
  return usableCase(first, first.toUpperCase()) + segment.slice(first.length)
}

/** Returns the cased form, unless the change of case made something that is not usable. */
function usableCase(original: string, cased: string): string {
  return Array.from(cased).every(isUsable) ? cased : original
}

/** The names of a tool that was described elsewhere: by a list of functions, an MCP server, another catalogue. */
interface ImportedToolNames {
  /** The name as it was given. */
  readonly foreign: string
  /** The key of the tool in a toolset's definition, a camelCase identifier: `math.factorial` → `mathFactorial`. */
  readonly tool: string
  /** The name for models: letters, digits, `_` and `-`, 64 characters at most: `math.factorial` → `math_factorial`. */
  readonly toolName: string
}

/** The maximum length of a name that models accept, in characters. */
export const maxToolNameLength = 64

/** Checks whether models accept a name for a tool. */
export function isToolName(name: string): boolean {
  return name.length <= maxToolNameLength && /^[a-zA-Z0-9_-]+$/.test(name)
}

/**
 * Gives tools that were named elsewhere names that are legal here, in the order of `names`. Within a list both kinds of
 * names are unique even where case does not count. A name that is legal already stays as it is, unless one before it
 * has it; then, as for a name that is too long or has nothing to keep, a hash of the given name is appended. What a name
 * becomes depends on those before it alone, so adding one at the end changes no other.
 *
 * @example
 * importedToolNames(['math.sum', 'math_sum'])
 * // tool 'mathSum', toolName 'math_sum'; tool 'mathSum_b2b6f7', toolName 'math_sum_b2b6f7'
 */
export function importedToolNames(names: readonly string[]): readonly ImportedToolNames[] {
  const tools = new Claims()
  const toolNames = new Claims()
  return names.map((foreign) => ({
    foreign,
    tool: tools.claim(foreign, (mark) => `${camel(pascalStem(foreign, 'Tool'))}${mark}`),
    toolName: toolNames.claim(foreign, (mark) => toolName(foreign, mark)),
  }))
}

/** Names that are taken, whatever their case. */
class Claims {
  readonly #taken = new Set<string>()
  /** Number of claims of each name: equal ones differ by a number alone. */
  readonly #given = new Map<string, number>()

  /** @param make the name, with what tells it apart at its end */
  claim(foreign: string, make: (mark: string) => string): string {
    const count = (this.#given.get(foreign) ?? 0) + 1
    this.#given.set(foreign, count)
    for (let attempt = 0; ; attempt += 1) {
      const name = make(markOf(foreign, count, attempt))
      const key = name.toLowerCase()
      if (this.#taken.has(key)) continue
      this.#taken.add(key)
      return name
    }
  }
}

/** Nothing at first; then a number where the very name was given before, else a hash that grows. */
function markOf(foreign: string, count: number, attempt: number): string {
  if (attempt === 0) return ''
  if (count > 1) return `_${count + attempt - 1}`
  const length = 6 * attempt
  return length <= 48 ? `_${nameHash(foreign, length)}` : `_${nameHash(foreign, 40)}_${attempt}`
}

/** Runs of other characters become one underscore; what is left of nothing, and what is cut, ends with a hash. */
function toolName(foreign: string, mark: string): string {
  const legal = /^[a-zA-Z0-9_-]+$/.test(foreign)
    ? foreign
    : foreign.replace(/[^a-zA-Z0-9_-]+/g, '_').replace(/^_+|_+$/g, '')
  const whole = `${legal === '' ? `tool_${nameHash(foreign, 6)}` : legal}${mark}`
  if (whole.length <= maxToolNameLength) return whole
  const ending = mark === '' ? `_${nameHash(foreign, 6)}` : mark
  return `${legal.slice(0, maxToolNameLength - ending.length)}${ending}`
}

/**
 * A tool's name in words: `getOrder`, `get_order` and `get-order` are all `Get order`; an acronym stays one
 * (`parseURLPath` → `Parse URL path`).
 */
export function titleOf(name: string): string {
  const words = name
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => (/^\p{Lu}{2,}\p{N}*$/u.test(word) ? word : word.toLowerCase()))
  const [first = '', ...others] = words
  const [initial = ''] = first
  return first === '' ? name : [initial.toUpperCase() + first.slice(initial.length), ...others].join(' ')
}
