/**
 * Does work inside a tracer's span. The work is done exactly once and its answer counts, whatever the tracer does.
 *
 * @param span calls `work` within the span
 */
export async function traced<Answer>(
  span: (work: () => Promise<Answer>) => Promise<unknown>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  let running: Promise<Answer> | undefined
  const once = (): Promise<Answer> => {
    running ??= work()
    return running
  }
  try {
    await span(once)
  } catch {
    // Documented: a tracer never changes what becomes of a call or a run.
  }
  return once()
}
