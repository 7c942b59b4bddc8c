import type { McpToolResult } from '../../contract/mcp.js'
import { peek } from '../failure/peek.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { ToolFailure } from '../failure/tool-failure.js'
import { shorten } from '../render/shorten.js'
import type { ServerRefusal } from './drift-watch.js'
import { contentOf, textOf } from './read-result.js'

/** How servers on the official SDK begin the text of an `isError` result for invalid params and unknown tools. */
const QUOTED_INVALID_PARAMS = 'MCP error -32602:'

const INVALID_PARAMS = -32602

/** How many characters of a server's text a model is shown. */
const LONGEST_TEXT = 4_000

/** The tool of a call that failed. */
export interface RefusedTool {
  /** The server's own name of the tool. */
  readonly name: string
  /** What the refusal means where the tool has changed on its server; `undefined` where it has not, or nothing is known. */
  readonly drifted: (refusal: ServerRefusal) => Promise<ToolFailure | undefined>
}

/** What a failed call means where its caller threw; all but invalid params is left to the table of errors. */
export async function thrownFailure(error: unknown, tool: RefusedTool): Promise<unknown> {
  if (peek(error, 'code') !== INVALID_PARAMS) return error
  const message = peek(error, 'message')
  return invalidParams(typeof message === 'string' ? message : '', tool, error)
}

/** What an answer with `isError` means: its text was written for a model to see. */
export async function answeredFailure(answer: McpToolResult, tool: RefusedTool): Promise<ToolFailure> {
  const text = textOf(contentOf(answer))
  if (text.startsWith(QUOTED_INVALID_PARAMS)) return invalidParams(text, tool, undefined)
  return new ToolFailure(text === '' ? FIXED_MESSAGES.domain_rejection : shorten(text, LONGEST_TEXT))
}

async function invalidParams(said: string, { name, drifted }: RefusedTool, cause: unknown): Promise<ToolFailure> {
  const text = shorten(ownWords(said, name), LONGEST_TEXT)
  const failure = await drifted({ text, cause })
  if (failure !== undefined) return failure
  const message = text === '' ? FIXED_MESSAGES.invalid_arguments : text
  // The codec took what the server refused: an example that the codec takes may be as wrong.
  return new ToolFailure(message, { reason: 'invalid_arguments', noExample: true, cause })
}

/** What is left without the beginnings that the SDK writes: a model is told that the arguments are wrong, and knows no server. */
function ownWords(said: string, tool: string): string {
  const text = said.replace(/^(?:MCP error -32602:\s*)+/, '').replace(/^Input validation error: /, '')
  const beginning = `Invalid arguments for tool ${tool}: `
  return (text.startsWith(beginning) ? text.slice(beginning.length) : text).trim()
}
