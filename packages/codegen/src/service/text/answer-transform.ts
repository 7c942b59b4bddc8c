import type { Conversion, ToolPlan, Verdict } from '../plan/plan.js'
import type { ServiceToolNames } from './tool-names.js'

/** A tool of an executor with the names that its texts use. */
export interface NamedPlan {
  readonly plan: ToolPlan
  readonly names: ServiceToolNames
}

/** How a tool's result is made of what its method answers, or an update of an item of a stream. */
export interface AnswerTransform {
  readonly verdict: Verdict<Conversion>
  /** The types as generated code writes them: of the variable `value`, and of what is made of it. */
  readonly from: string
  readonly to: string
  /** `data` is taken out of `value` before the conversion. */
  readonly unwrapData: boolean
  /** The types of a generic method cannot be written for sure. */
  readonly generic: boolean
  /** See {@link ServiceToolNames}. */
  readonly stem: string
}

/** From the answer, all items or the last item to the result. */
export function resultTransform({ plan, names }: NamedPlan): AnswerTransform {
  const { unwrapData } = plan
  return { ...transformOf(plan, names, plan.result), from: collectedType(plan, names), to: names.result, unwrapData }
}

/** From an item to an update; undefined where the method does not stream. */
export function updateTransform({ plan, names }: NamedPlan): AnswerTransform | undefined {
  if (plan.stream === undefined) return undefined
  return { ...transformOf(plan, names, plan.stream.update), from: names.answer, to: names.update, unwrapData: false }
}

function transformOf(
  { signature: { generic } }: ToolPlan,
  { stem }: ServiceToolNames,
  verdict: Verdict<Conversion>,
): Pick<AnswerTransform, 'verdict' | 'generic' | 'stem'> {
  return { verdict, generic, stem }
}

function collectedType({ stream }: ToolPlan, { answer }: ServiceToolNames): string {
  return stream?.collect === 'list' ? `readonly ${answer}[]` : answer
}
