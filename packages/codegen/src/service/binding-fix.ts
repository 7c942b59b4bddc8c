import type { Candidate } from './choose-signature.js'
import { collectedType, fitCollected } from './fit-answer.js'
import { faults, spotAt } from './match/fit.js'
import { startWalk } from './match/walk.js'
import { resultRules } from './result/result-rule.js'
import type { ToolSide } from './tool-side.js'
import { unwrapped } from './types/answer.js'
import { partsOf } from './types/type-parts.js'
import type { TypeReader } from './types/type-reader.js'

/** Where else the result would fit: in a field of the answer, or in another part of a stream. */
export type BindingFix = { readonly wrapper: string } | { readonly collect: 'list' | 'last' }

/** The names under which wrappers keep what the caller wants. */
const wrappers: readonly string[] = ['data', 'body', 'result']

/** The change with which the result would fit, for a hint; undefined when none or several would do. */
export function fixThatFits(candidate: Candidate, side: ToolSide, reader: TypeReader): BindingFix | undefined {
  const { update, answer } = candidate
  if (update !== undefined) return otherPart(candidate, side, reader)
  const found = wrappers.filter((name) => {
    const type = unwrapped(answer.type, name, reader)
    if (type === undefined || partsOf(type, reader).any !== undefined) return false
    return faults(startWalk(resultRules, reader, side.shapes).fit(side.result, type, spotAt(''))) === 0
  })
  const [only, ...others] = found
  return only === undefined || others.length > 0 ? undefined : { wrapper: only }
}

function otherPart({ answer }: Candidate, side: ToolSide, reader: TypeReader): BindingFix | undefined {
  const { item } = answer
  if (item === undefined || side.streaming === undefined) return undefined
  const collect = side.streaming.collect === 'list' ? 'last' : 'list'
  const fit = fitCollected(collectedType(item, collect, answer, reader), collect, side, reader)
  return faults(fit) === 0 ? { collect } : undefined
}
