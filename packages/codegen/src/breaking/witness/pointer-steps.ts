import { keysOf } from '../../schema/json/pointer.js'

/** One step of a refusal's pointer: into a part of the value, to a variant of a union, or to a rule for the same value. */
export interface Step {
  readonly keyword: string
  /** The field, the pattern, or the number of the item or variant, where the keyword has several. */
  readonly name?: string
}

const named: readonly string[] = ['properties', 'patternProperties', 'prefixItems', 'anyOf', 'oneOf']

/** The steps of a refusal's pointer, which has references followed. */
export function stepsOf(pointer: string): readonly Step[] {
  const keys = keysOf(pointer) ?? []
  const steps: Step[] = []
  for (let index = 0; index < keys.length; index++) {
    const [keyword = '', name] = keys.slice(index, index + 2)
    if (!named.includes(keyword) || name === undefined) steps.push({ keyword })
    else {
      steps.push({ keyword, name })
      index += 1
    }
  }
  return steps
}
