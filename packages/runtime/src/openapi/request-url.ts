import type { JsonObject } from '../contract/json.js'
import { otherAssignments } from './other-assignments.js'
import { type WrittenParameter, writtenParameters } from './parameter-text.js'
import { percentEncoded } from './percent-encoding.js'
import { refusedArgument } from './refused-argument.js'
import type { ApiOperation } from './toolset-api.js'

/**
 * The address of a request.
 *
 * @param base the base URL, without a query
 * @param credentials parameters of the query by name, in place of all others of these names
 * @throws {ToolFailure} `invalid_arguments` for a value that would lead to another path
 */
export function requestUrl(
  { path, parameters = [] }: Pick<ApiOperation, 'path' | 'parameters'>,
  payload: JsonObject,
  base: string,
  credentials: readonly (readonly [string, string])[],
): URL {
  const inPath = new Map(writtenParameters(parameters, 'path', payload).map((written) => [written.name, written]))
  const expanded = path
    // A name may have a slash.
    .split(/\/(?![^{}]*\})/)
    .map((segment) => expandedSegment(segment, inPath))
    .join('/')
  const [server = '', ofServer] = base.split('?', 2)
  const [place = '', ofPath] = expanded.split('?', 2)
  const given = [ofServer, ofPath, ...writtenParameters(parameters, 'query', payload).map(({ text }) => text)]
  const named = credentials.map(([name]) => name)
  const search = [
    ...otherAssignments(
      given.filter((part): part is string => part !== undefined && part !== ''),
      named,
    ),
    ...credentials.map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`),
  ].join('&')
  return new URL(`${server.replace(/\/+$/, '')}${place}${search === '' ? '' : `?${search}`}`)
}

/** A URL is read with `..` and empty parts: a value must stay within its own part of the path. */
function expandedSegment(segment: string, inPath: ReadonlyMap<string, WrittenParameter>): string {
  let last: string | undefined
  const expanded = segment.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const written = inPath.get(name)
    if (written === undefined) throw refusedArgument(name, 'is a part of the address and must have a value')
    last = written.parameter.field
    if (written.text === '') throw refusedArgument(last, 'is a part of the address and must not be empty')
    return written.text
  })
  if (last !== undefined && /^(?:\.|%2e){1,2}$/i.test(expanded)) {
    throw refusedArgument(last, 'is a part of the address and must not be "." or ".."')
  }
  return expanded
}
