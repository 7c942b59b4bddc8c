import { lineWidth } from '../text/literal.js'

/** A function's head up to its brace: on one line where it fits, else one parameter per line. */
export function functionHead(name: string, parameters: readonly string[], returns: string): string {
  const flat = `export function ${name}(${parameters.join(', ')}): ${returns} {`
  if (flat.length <= lineWidth) return flat
  return `export function ${name}(\n${parameters.map((parameter) => `  ${parameter},\n`).join('')}): ${returns} {`
}

/**
 * A constant's head up to its value: on one line where it fits together with what follows, else broken after `=`.
 *
 * @param declared the name, with the annotation of its type if it has one
 */
export function constantHead(declared: string, firstLine: string): { readonly text: string; readonly indent: number } {
  const start = `export const ${declared} =`
  return start.length + 1 + firstLine.length <= lineWidth
    ? { text: `${start} `, indent: 0 }
    : { text: `${start}\n  `, indent: 2 }
}
