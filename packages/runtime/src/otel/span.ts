import { type Attributes, context, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { ERROR_TYPE } from './attribute-names.js'

/** What a span begins with. */
export interface SpanStart {
  readonly name: string
  readonly attributes: Attributes
}

/** What is known when a span ends. */
export interface SpanEnd {
  readonly attributes: Attributes
  /** Why the work failed, and what may be said of it; absent: it did not. */
  readonly failure?: { readonly reason: string; readonly message?: string }
}

/**
 * Does work inside a span that is the active one meanwhile. The span ends exactly once, also where the work rejects or
 * its end cannot be described.
 *
 * @throws what the work rejects with, and what the OpenTelemetry SDK throws
 */
export async function inSpan<Answer>(
  tracer: Tracer,
  { name, attributes }: SpanStart,
  { work, describe }: { readonly work: () => Promise<Answer>; readonly describe: (answer: Answer) => SpanEnd },
): Promise<Answer> {
  const span = tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes })
  const end = (described: () => SpanEnd): void => {
    try {
      if (!span.isRecording()) return
      const { attributes: known, failure } = described()
      span.setAttributes(known)
      if (failure === undefined) return
      const { reason, message } = failure
      span.setAttribute(ERROR_TYPE, reason)
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
    } finally {
      span.end()
    }
  }
  let answer: Answer
  try {
    answer = await context.with(trace.setSpan(context.active(), span), work)
  } catch (error) {
    end(() => ({ attributes: {}, failure: { reason: 'internal' } }))
    throw error
  }
  end(() => describe(answer))
  return answer
}
