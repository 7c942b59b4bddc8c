import { camel, nameHash, pascalStem } from './letter-case.js'

interface ImportedToolNames {
  readonly foreign: string
  /** Key of the tool in its toolset, a camelCase identifier: `math.factorial` → `mathFactorial`. */
  readonly tool: string
  /** Name for models, at most 64 letters, digits, `_` and `-`: `math.factorial` → `math_factorial`. */
  readonly toolName: string
}

/** Maximum length of a tool name for models, in characters. */
export const maxToolNameLength = 64

/** Checks whether a tool name is valid for models. */
export function isToolName(name: string): boolean {
  return name.length <= maxToolNameLength && /^[a-zA-Z0-9_-]+$/.test(name)
}

/**
 * Assigns valid names to imported tools, in the order of `names`. All names are unique without regard to case. A valid name is kept if no
 * earlier tool has it. A hash of the original name is appended if an earlier tool has the name, if the name is too long, or if it has no
 * usable characters. A name depends only on the names before it, so that a tool at the end of the list changes no other name.
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

class Claims {
  readonly #taken = new Set<string>()
  readonly #counts = new Map<string, number>()

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

/**
 * Returns the suffix with which the attempt number `attempt` makes a name unique: none in the first attempt. In later attempts, it is a
 * number for a repeated name, and an increasingly long hash for other names.
 */
function markOf(foreign: string, count: number, attempt: number): string {
  if (attempt === 0) return ''
  if (count > 1) return `_${count + attempt - 1}`
  const length = 6 * attempt
  return length <= 48 ? `_${nameHash(foreign, length)}` : `_${nameHash(foreign, 40)}_${attempt}`
}

function toolName(foreign: string, mark: string): string {
  const legal = /^[a-zA-Z0-9_-]+$/.test(foreign)
    ? foreign
    : foreign.replace(/[^a-zA-Z0-9_-]+/g, '_').replace(/^_+|_+$/g, '')
  const whole = `${legal === '' ? `tool_${nameHash(foreign, 6)}` : legal}${mark}`
  if (whole.length <= maxToolNameLength) return whole
  const ending = mark === '' ? `_${nameHash(foreign, 6)}` : mark
  return `${legal.slice(0, maxToolNameLength - ending.length)}${ending}`
}

/** Returns `toolset_tool` with underscores for invalid characters. A name that is too long is cut and ends with a hash. */
export function defaultToolName(toolset: string, tool: string): string {
  const whole = `${toolset}_${tool}`
  const legal = Array.from(whole, (character) => (/[a-zA-Z0-9_-]/.test(character) ? character : '_')).join('')
  if (legal.length <= maxToolNameLength) return legal
  const ending = `_${nameHash(whole, 8)}`
  return legal.slice(0, maxToolNameLength - ending.length) + ending
}
