import { camel, nameHash, pascalStem } from './letter-case.js'

/** The names of a tool that was described elsewhere: by a list of functions, an MCP server, another catalogue. */
interface ImportedToolNames {
  /** The original name. */
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
 * has it; then, as for a name that is too long or has nothing to keep, a hash of the original name is appended. A name
 * depends only on those before it, so that adding one at the end changes no other.
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

/** Names that are taken, in any case. */
class Claims {
  readonly #taken = new Set<string>()
  /** Number of claims of each name: equal ones differ by a number alone. */
  readonly #counts = new Map<string, number>()

  /** @param make returns the name with a mark at its end */
  claim(foreign: string, make: (mark: string) => string): string {
    const count = (this.#counts.get(foreign) ?? 0) + 1
    this.#counts.set(foreign, count)
    for (let attempt = 0; ; attempt += 1) {
      const name = make(markOf(foreign, count, attempt))
      const key = name.toLowerCase()
      if (this.#taken.has(key)) continue
      this.#taken.add(key)
      return name
    }
  }
}

/** Returns nothing at first, then a number for a repeated name, else a hash that grows. */
function markOf(foreign: string, count: number, attempt: number): string {
  if (attempt === 0) return ''
  if (count > 1) return `_${count + attempt - 1}`
  const length = 6 * attempt
  return length <= 48 ? `_${nameHash(foreign, length)}` : `_${nameHash(foreign, 40)}_${attempt}`
}

/** Replaces runs of other characters by one underscore. An empty name and one that is cut end with a hash. */
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
 * Returns `toolset_tool` made legal: every other character becomes an underscore; a name that is too long is cut and ends
 * with a hash of the whole, so that names with the same beginning stay apart.
 */
export function defaultToolName(toolset: string, tool: string): string {
  const whole = `${toolset}_${tool}`
  const legal = Array.from(whole, (character) => (/[a-zA-Z0-9_-]/.test(character) ? character : '_')).join('')
  if (legal.length <= maxToolNameLength) return legal
  const ending = `_${nameHash(whole, 8)}`
  return legal.slice(0, maxToolNameLength - ending.length) + ending
}
