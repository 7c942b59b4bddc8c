import { own, sameJson } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import type { ContractChange } from './change.js'

/** What is said of something, by key, with the rule for a change of it. */
export type SaidRules = readonly (readonly [key: string, rule: string])[]

/** The changes of what is said of something. */
export function aboutChanges(
  was: SchemaObject,
  is: SchemaObject,
  said: SaidRules,
  change: (rule: string, was: Json | undefined, is: Json | undefined) => ContractChange,
): readonly ContractChange[] {
  return said.flatMap(([key, rule]) => {
    const [before, now] = [own(was, key), own(is, key)]
    return isSameOrAbsent(before, now) ? [] : [change(rule, before, now)]
  })
}

/** Whether both say the same, or neither says anything. */
export function isSameOrAbsent(was: Json | undefined, is: Json | undefined): boolean {
  return was === undefined || is === undefined ? was === is : sameJson(was, is)
}
