import type { Json, Schema } from '../../schema/json/json-schema.js'
import { toJsonSchema } from '../../schema/to-json-schema.js'
import { valueChecker } from '../../schema/values/check-value.js'
import { timelyPattern } from '../../schema/values/timely-pattern.js'

/** Examples of arguments: those that their schema takes, and what is wrong with each other one, by its index. */
export interface FittingExamples {
  readonly fitting: readonly Json[]
  readonly misfits: ReadonlyMap<number, string>
}

/** Parts examples of arguments by whether their schema takes them. */
export function fittingExamples(examples: readonly Json[], schema: Schema): FittingExamples {
  const misfits = new Map<number, string>()
  const { value } = toJsonSchema(schema, { io: 'input', hint: 'Root' })
  if (value === undefined) return { fitting: [], misfits }
  const check = valueChecker(Object.fromEntries(value.defs), 'refuse', timelyPattern)
  for (const [index, example] of examples.entries()) {
    const [fault] = check(value.root, example)
    if (fault !== undefined) misfits.set(index, `${fault.pointer === '' ? '' : `${fault.pointer} `}${fault.message}`)
  }
  return { fitting: examples.filter((_, index) => !misfits.has(index)), misfits }
}
