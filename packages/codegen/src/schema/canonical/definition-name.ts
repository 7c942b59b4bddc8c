/** A name for a definition that nobody named: the words of what it is for, e.g. `line_items` → `LineItems`. */
export function definitionName(text: string): string {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}
