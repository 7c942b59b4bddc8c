import { lengthFacts } from '../issues/length-facts.js'
import { boundWords, lengthMessage } from '../issues/message.js'
import type { Run } from './run.js'

/** Prepares what is reported of a text, an array or an object that is too short or too long. */
export function lengthReport(
  unit: 'characters' | 'items' | 'properties',
  minimum: number | undefined,
  maximum: number | undefined,
): (received: number, run: Run) => false {
  const allowed = boundWords({ minimum, maximum }, unit)
  return (received, run) =>
    !run.quiet && run.report(lengthFacts(unit, received, minimum, maximum), undefined, lengthMessage(allowed, received))
}
