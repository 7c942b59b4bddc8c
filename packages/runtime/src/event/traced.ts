import { unheard } from './unheard.js'

/**
 * Does work inside a tracer's span. The work is done exactly once and its answer counts, whatever the tracer does: one
 * that throws, calls it twice, late or never, or does not come to an end itself changes nothing.
 *
 * @param span calls `work` at once, within the span
 */
export function traced<Answer>(
  span: (work: () => Promise<Answer>) => Promise<unknown>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  let running: Promise<Answer> | undefined
  const once = (): Promise<Answer> => {
    running ??= work()
    return running
  }
  unheard(() => span(once))
  return once()
}
