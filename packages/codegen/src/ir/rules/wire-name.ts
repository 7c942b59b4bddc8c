import { createHash } from 'node:crypto'

/** The longest name that models accept, in characters. */
export const longestWireName = 64

/** Whether models accept a name for a tool. */
export function isWireName(name: string): boolean {
  return name.length <= longestWireName && /^[a-zA-Z0-9_-]+$/.test(name)
}

/**
 * `toolset_tool` made legal: every other character becomes an underscore; a name that is too long is cut and ends with
 * a hash of the whole, so that names with the same beginning stay apart.
 */
export function defaultWireName(toolset: string, tool: string): string {
  const whole = `${toolset}_${tool}`
  const legal = Array.from(whole, (character) => (/[a-zA-Z0-9_-]/.test(character) ? character : '_')).join('')
  if (legal.length <= longestWireName) return legal
  const hash = createHash('sha256').update(whole, 'utf16le').digest('hex').slice(0, 8)
  return `${legal.slice(0, longestWireName - hash.length - 1)}_${hash}`
}
