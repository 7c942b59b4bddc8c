import { ToolFailure } from '../failure/tool-failure.js'
import type { BoundTool } from '../tool/bound-tool.js'
import type { Abortable } from '../tool/running-call.js'
import { OpenStream } from './open-stream.js'

/** The call that a stream answers. */
export interface StreamedCall {
  readonly tool: BoundTool
  readonly limit: Abortable
  readonly request: { emit(update: unknown): Promise<void> }
}

/**
 * Reads a stream to its end: each item is an update, and the next one is asked for when listeners have room for it. The
 * stream is closed when the call is aborted, when an update is refused, and, unread, when the tool does not stream.
 *
 * @returns what the stream tells as its result, else the list of its items
 * @throws what the stream throws, and what `emit` rejects with.
 */
export async function drainStream(
  stream: AsyncIterable<unknown>,
  { tool, limit, request }: StreamedCall,
): Promise<unknown> {
  const open = new OpenStream(stream)
  const items: unknown[] | undefined = open.needsItems ? [] : undefined
  const release = limit.whenAborted(() => open.close())
  try {
    if (tool.updates === undefined) throw undeclared(tool)
    while (limit.aborted === undefined) {
      const { done, value } = await open.next()
      if (done) return resultOf(open.told(value), items)
      await request.emit(value)
      items?.push(value)
    }
    throw limit.aborted.reason
  } finally {
    release?.()
    open.close()
  }
}

function resultOf(told: { readonly result: unknown } | undefined, items: readonly unknown[] | undefined): unknown {
  return told === undefined ? items : told.result
}

function undeclared({ id }: BoundTool): ToolFailure {
  const message = `The tool '${id}' is not declared as streaming, and it answered with a stream.`
  return new ToolFailure(message, { reason: 'internal' })
}
