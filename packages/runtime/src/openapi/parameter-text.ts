import type { JsonObject } from '../contract/json.js'
import { delimiterFault } from './delimiter-fault.js'
import { percentEncoded, reservedKept } from './percent-encoding.js'
import { refusedArgument } from './refused-argument.js'
import { styledValue } from './styled-value.js'
import type { ApiParameter } from './toolset-api.js'

/** A parameter with what is sent of it. */
export interface WrittenParameter {
  readonly parameter: ApiParameter
  /** What the API calls it. */
  readonly name: string
  /** In query and cookie and in the style `matrix` with its name. */
  readonly text: string
}

/**
 * Writes the parameters of one place that the payload has, in their order.
 *
 * @throws {ToolFailure} for a value that its style cannot write
 */
export function writtenParameters(
  parameters: readonly ApiParameter[],
  place: ApiParameter['in'],
  payload: JsonObject,
): readonly WrittenParameter[] {
  return parameters.flatMap((parameter) => {
    if (parameter.in !== place || !Object.hasOwn(payload, parameter.field)) return []
    const name = parameter.name ?? parameter.field
    const text = parameterText(parameter, name, payload[parameter.field])
    return text === undefined ? [] : [{ parameter, name, text }]
  })
}

function parameterText(
  { field, in: place, style: said, explode, reserved, json }: ApiParameter,
  name: string,
  value: unknown,
): string | undefined {
  const isNamed = place === 'query' || place === 'cookie'
  const style = said ?? (isNamed ? 'form' : 'simple')
  // No header is percent-encoded.
  const encode = place === 'header' ? verbatim : reserved === true ? reservedKept : percentEncoded
  const written = json === true && value !== undefined ? JSON.stringify(value) : value
  const used = { style, explode: explode ?? style === 'form', encode }
  const why = delimiterFault(written, used)
  if (why !== undefined) throw refusedArgument(field, why)
  return styledValue(name, written, used)
}

function verbatim(text: string): string {
  return text
}
