import { lineWidth } from '../text/literal.js'

/** A readonly member whose type has arguments. */
export interface TypeMember {
  /** As it is written, with its `?` where it is optional. */
  readonly name: string
  readonly type: string
  readonly parameters: readonly string[]
  /** How far the member is indented, in columns. */
  readonly indent: number
}

/** The member on one line, else its type on the next one, else each argument of its type on its own. */
export function typeMember({ name, type, parameters, indent }: TypeMember): string {
  const start = `readonly ${name}:`
  const flat = `${type}<${parameters.join(', ')}>`
  const margin = ' '.repeat(indent)
  if (indent + start.length + 1 + flat.length <= lineWidth) return `${start} ${flat}`
  if (indent + 2 + flat.length <= lineWidth) return `${start}\n${margin}  ${flat}`
  return `${start} ${type}<\n${parameters.map((each) => `${margin}  ${each}`).join(',\n')}\n${margin}>`
}
