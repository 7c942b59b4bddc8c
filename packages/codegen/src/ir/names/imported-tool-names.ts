import { camel, nameHash, pascalStem } from './identifier-words.js'

/** The names of a tool that was described elsewhere: by a list of functions, an MCP server, another catalogue. */
export interface ImportedToolNames {
  /** The name as it was given. */
  readonly foreign: string
  /** The key of the tool in a toolset's definition, a camelCase identifier: `math.factorial` → `mathFactorial`. */
  readonly tool: string
  /** What models call it: letters, digits, `_` and `-`, 64 characters at most: `math.factorial` → `math_factorial`. */
  readonly wireName: string
}

/** The longest name that models accept, in characters. */
const longestWireName = 64

/**
 * Gives tools that were named elsewhere names that are legal here, in the order of `names`. Within a list both kinds of
 * names are unique even where case does not count. A name that is legal already stays as it is, unless one before it
 * has it; then, as for a name that is too long or has nothing to keep, a hash of the given name is appended. What a name
 * becomes depends on those before it alone, so adding one at the end changes no other.
 *
 * @example
 * importedToolNames(['math.sum', 'math_sum'])
 * // tool 'mathSum', wireName 'math_sum'; tool 'mathSum_b2b6f7', wireName 'math_sum_b2b6f7'
 */
export function importedToolNames(names: readonly string[]): readonly ImportedToolNames[] {
  const tools = new Claims()
  const wireNames = new Claims()
  return names.map((foreign) => ({
    foreign,
    tool: tools.claim(foreign, (mark) => `${camel(pascalStem(foreign, 'Tool'))}${mark}`),
    wireName: wireNames.claim(foreign, (mark) => wireName(foreign, mark)),
  }))
}

/** Names that are taken, whatever their case. */
class Claims {
  readonly #taken = new Set<string>()
  /** How often each name was given: equal ones differ by a number alone. */
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
function wireName(foreign: string, mark: string): string {
  const legal = isLegal(foreign) ? foreign : foreign.replace(/[^a-zA-Z0-9_-]+/g, '_').replace(/^_+|_+$/g, '')
  const whole = `${legal === '' ? `tool_${nameHash(foreign, 6)}` : legal}${mark}`
  if (whole.length <= longestWireName) return whole
  const ending = mark === '' ? `_${nameHash(foreign, 6)}` : mark
  return `${legal.slice(0, longestWireName - ending.length)}${ending}`
}

function isLegal(name: string): boolean {
  return /^[a-zA-Z0-9_-]+$/.test(name)
}
