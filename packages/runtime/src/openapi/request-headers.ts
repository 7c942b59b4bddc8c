import type { JsonObject } from '../contract/json.js'
import { isHeaderText, noHeaderText } from './header-text.js'
import { assignedName, otherAssignments } from './other-assignments.js'
import { writtenParameters } from './parameter-text.js'
import { percentEncoded } from './percent-encoding.js'
import { refusedArgument } from './refused-argument.js'
import type { ApiParameter } from './toolset-api.js'

/** What is sent beside what the model gave: later ones win. */
export interface GivenHeaders {
  /** By name. */
  readonly headers: readonly (readonly [string, string])[]
  /** By name. */
  readonly cookies: readonly (readonly [string, string])[]
}

/**
 * The headers of a request: first those that are parameters, so that no model can replace what the application gives.
 *
 * @throws {ToolFailure} `invalid_arguments` for a value that no header can have
 * @throws {TypeError} for such a value that the application gives, which it does not quote
 */
export function requestHeaders(
  parameters: readonly ApiParameter[],
  payload: JsonObject,
  { headers: given, cookies }: GivenHeaders,
): Headers {
  const headers = new Headers()
  for (const { name, text, parameter } of writtenParameters(parameters, 'header', payload)) {
    // What `Headers` would throw for, told as the argument's fault.
    if (!isHeaderText(text)) throw refusedArgument(parameter.field, noHeaderText)
    headers.set(name, text)
  }
  for (const [name, value] of given) {
    if (!isHeaderText(value)) throw new TypeError(`headers[${JSON.stringify(name)}] ${noHeaderText}`)
    headers.set(name, value)
  }
  const ofHeader = cookiesIn(headers)
  const credentials = cookies.map(([name]) => name)
  const pairs = [
    ...otherAssignments(
      writtenParameters(parameters, 'cookie', payload).map(({ text }) => text),
      [...credentials, ...ofHeader.map(assignedName)],
    ),
    ...cookies.map(([name, value]) => `${name}=${percentEncoded(value)}`),
    ...ofHeader.filter((pair) => !credentials.includes(assignedName(pair))),
  ]
  if (pairs.length > 0) headers.set('cookie', pairs.join('; '))
  return headers
}

/** Those that the application gives as one header. */
function cookiesIn(headers: Headers): readonly string[] {
  const cookie = headers.get('cookie')
  return cookie === null ? [] : cookie.split(/;\s*/).filter((pair) => pair !== '')
}
