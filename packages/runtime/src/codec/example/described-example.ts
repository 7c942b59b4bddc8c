const quotedExample = /\b(?:e\.g\.|for example|for instance)[,:]? {1,3}(["'`])([^"'`]{1,80})\1/i
const bareExample = /\b(?:e\.g\.|for example|for instance)[,:]? {1,3}([^\s"'`]{1,80})(?=\s|$)/i
const closing = /[.,;:)\]]+$/

/**
 * The example that a description names: `Order number, e.g. A-1001` → `A-1001`. `undefined` where none is named, and where
 * the word may only begin a phrase: `e.g. the number on the invoice`, `e.g. 3 days`.
 */
export function describedExample(description: string): string | undefined {
  const [, , quoted] = quotedExample.exec(description) ?? []
  if (quoted !== undefined) return quoted
  const found = bareExample.exec(description)
  const word = found?.[1] ?? ''
  const example = word.replace(closing, '')
  const rest = found === null ? '' : description.slice(found.index + found[0].length)
  const standsAlone = example !== word || /^(?: or |\n|\s*$)/.test(rest)
  const isCode = /\d/.test(example) && /\D/.test(example)
  return example !== '' && (standsAlone || isCode) ? example : undefined
}
