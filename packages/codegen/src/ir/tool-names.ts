import { camel, nameHash, pascalStem } from './letter-case.js'

interface ImportedToolNames {
  readonly foreign: string
  readonly tool: string
  readonly toolName: string
}

export const maxToolNameLength = 64

export function isToolName(name: string): boolean {
  return name.length <= maxToolNameLength && /^[a-zA-Z0-9_-]+$/.test(name)
}

/**
 * The order of `names` matters: new tools at the end of the list do not change the names of earlier tools. Names that differ only in upper and lower
 * case count as equal. For `math.sum` and `math_sum`, `tool` is `mathSum` and `mathSum_b2b6f7`, and `toolName` is `math_sum` and `math_sum_b2b6f7`.
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

export function defaultToolName(toolset: string, tool: string): string {
  const whole = `${toolset}_${tool}`
  const legal = Array.from(whole, (character) => (/[a-zA-Z0-9_-]/.test(character) ? character : '_')).join('')
  if (legal.length <= maxToolNameLength) return legal
  const ending = `_${nameHash(whole, 8)}`
  return legal.slice(0, maxToolNameLength - ending.length) + ending
}
