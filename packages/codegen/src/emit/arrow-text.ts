import { lineWidth } from '../text/literal.js'

/** An arrow function as a property of an object literal. */
export interface ArrowProperty {
  readonly name: string
  /** With their types; none where the function takes nothing. */
  readonly parameters?: readonly string[]
  readonly returns?: string
  /** Lines after the first are indented relative to the line on which the body begins. */
  readonly body: string
  /** How far the property is indented, in columns. */
  readonly indent: number
}

/**
 * The property on one line where that fits; else a body of one line stands below the arrow, and before any other body
 * each parameter stands on a line of its own. Lines after the first are indented relative to the first.
 */
export function arrowProperty({ name, parameters = [], returns, body, indent }: ArrowProperty): string {
  const type = returns === undefined ? '' : `: ${returns}`
  const head = `${name}: (${parameters.join(', ')})${type} =>`
  const [firstLine = ''] = body.split('\n')
  // A comma follows.
  const fits = (line: string): boolean => indent + line.length + 1 <= lineWidth
  if (fits(`${head} ${firstLine}`)) return `${head} ${body}`
  if (fits(head) && (firstLine === body || !/[[({]$/.test(firstLine))) {
    return `${head}\n  ${body.replaceAll('\n', '\n  ')}`
  }
  const broken = `${name}: (\n${parameters.map((parameter) => `  ${parameter},\n`).join('')})${type} =>`
  if (parameters.length === 0) return `${head}\n  ${body.replaceAll('\n', '\n  ')}`
  return fits(`)${type} => ${firstLine}`) ? `${broken} ${body}` : `${broken}\n  ${body.replaceAll('\n', '\n  ')}`
}
