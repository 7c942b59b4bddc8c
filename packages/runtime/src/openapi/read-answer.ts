import { ToolFailure } from '../execute/failure/tool-failure.js'
import { bytesToBase64 } from '../execute/service/bytes.js'
import { answeredFailure } from './answered-failure.js'
import { boundedBody } from './bounded-body.js'
import { isJsonType, mediaTypeOf } from './media-type.js'
import type { ApiAnswerKind, ApiOperation } from './toolset-api.js'

/** How much of the body of a failed request is read, in bytes. */
const LONGEST_REFUSAL = 64 * 1024

/**
 * The result that an answer holds: JSON parsed, text as it is, bytes as base64, null where there is no body.
 *
 * @param longest how large the body may be, in bytes
 * @throws {OpenApiCallError} for a status that is no success, unless the API refuses what was asked: then a `ToolFailure`
 * @throws {ToolFailure} `malformed_result` for a body that is too large, or not what it should be
 */
export async function readAnswer(
  response: Response,
  { method, path, answers = {} }: ApiOperation,
  longest: number,
): Promise<unknown> {
  const { status, headers } = response
  if (!response.ok) {
    const { bytes } = await boundedBody(response, LONGEST_REFUSAL)
    throw answeredFailure({ operation: `${method} ${path}`, status, headers, body: new TextDecoder().decode(bytes) })
  }
  const kind = kindOf(answers, status)
  if (kind === 'none' || status === 204 || status === 205 || method === 'HEAD') {
    await response.body?.cancel()
    return null
  }
  const { bytes, isWhole } = await boundedBody(response, longest)
  if (!isWhole) throw malformed(`it is larger than ${longest} bytes`)
  return contentOf(bytes, kind ?? saidKind(headers, bytes), headers)
}

function kindOf(answers: Readonly<Record<string, ApiAnswerKind>>, status: number): ApiAnswerKind | undefined {
  const known = [String(status), `${String(status)[0]}XX`, 'default'].find((key) => Object.hasOwn(answers, key))
  return known === undefined ? undefined : answers[known]
}

/** What an answer that the document does not know says of itself. */
function saidKind(headers: Headers, { length }: Uint8Array): ApiAnswerKind {
  const type = mediaTypeOf(headers)
  if (length === 0) return 'none'
  if (isJsonType(type)) return 'json'
  return type === '' || type.startsWith('text/') ? 'text' : 'bytes'
}

function contentOf(bytes: Uint8Array<ArrayBuffer>, kind: ApiAnswerKind, headers: Headers): unknown {
  switch (kind) {
    case 'none':
      return null
    case 'bytes':
      return bytesToBase64(bytes)
    case 'text':
      return decoded(bytes, headers)
    case 'json':
      return parsed(decoded(bytes, headers))
  }
}

/** By the `charset` that an answer says; UTF-8 where it says none, or one that nobody knows. */
function decoded(bytes: Uint8Array<ArrayBuffer>, headers: Headers): string {
  const said = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers.get('content-type') ?? '')?.[1]
  try {
    return new TextDecoder(said).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed('it is no JSON', error)
  }
}

function malformed(why: string, cause?: unknown): ToolFailure {
  return new ToolFailure(`The answer of the API cannot be read: ${why}.`, { reason: 'malformed_result', cause })
}
