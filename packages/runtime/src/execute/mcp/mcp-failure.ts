import type { McpToolResult } from '../../contract/mcp.js'
import { peek } from '../failure/peek.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { ToolFailure } from '../failure/tool-failure.js'
import { shorten } from '../render/shorten.js'
import { isMcpCallError } from './mcp-call-error.js'
import { contentOf, textOf } from './read-result.js'

/** How servers on the official SDK begin the text of an `isError` result for invalid params and unknown tools. */
const QUOTED_INVALID_PARAMS = 'MCP error -32602:'

const INVALID_PARAMS = -32602

/** How many characters of a server's text a model is shown. */
const LONGEST_TEXT = 4_000

/** The failure of a call for a tool that the server does not list; `undefined` where it does, or tells no list. */
export type Missing = (cause: unknown) => Promise<ToolFailure | undefined>

/** What a failed call means where its caller threw; anything that is not MCP's own is left to the table of errors. */
export async function thrownFailure(error: unknown, missing: Missing): Promise<unknown> {
  if (peek(error, 'code') === INVALID_PARAMS) return invalidParams(serverText(error), missing, error)
  if (!isMcpCallError(error)) return error
  switch (error.fault) {
    case 'unreachable':
      return fixed('unavailable', error)
    case 'malformed':
    case 'too_large':
      return fixed('malformed_result', error)
    default:
      return error
  }
}

/** What an answer with `isError` means: its text was written for a model to see. */
export async function answeredFailure(answer: McpToolResult, missing: Missing): Promise<ToolFailure> {
  const text = textOf(contentOf(answer))
  if (text.startsWith(QUOTED_INVALID_PARAMS)) {
    return invalidParams(text.slice(QUOTED_INVALID_PARAMS.length).trim(), missing, undefined)
  }
  return new ToolFailure(text === '' ? FIXED_MESSAGES.domain_rejection : shorten(text, LONGEST_TEXT))
}

async function invalidParams(text: string, missing: Missing, cause: unknown): Promise<ToolFailure> {
  const gone = await missing(cause)
  if (gone !== undefined) return gone
  const message = text === '' ? FIXED_MESSAGES.invalid_arguments : shorten(text, LONGEST_TEXT)
  return new ToolFailure(message, { reason: 'invalid_arguments', cause })
}

/** The SDK writes the code before the message of the error that a server sent. */
function serverText(error: unknown): string {
  const message = peek(error, 'message')
  if (typeof message !== 'string') return ''
  return message.startsWith(QUOTED_INVALID_PARAMS) ? message.slice(QUOTED_INVALID_PARAMS.length).trim() : message
}

function fixed(reason: 'unavailable' | 'malformed_result', cause: unknown): ToolFailure {
  return new ToolFailure(FIXED_MESSAGES[reason], { reason, cause })
}
