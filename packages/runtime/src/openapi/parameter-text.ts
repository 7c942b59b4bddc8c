import type { JsonObject } from '../contract/json.js'
import { percentEncoded, reservedKept } from './percent-encoding.js'
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

/** Writes the parameters of one place that the payload has, in their order. */
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
  { in: place, style: said, explode, reserved, json }: ApiParameter,
  name: string,
  value: unknown,
): string | undefined {
  const isNamed = place === 'query' || place === 'cookie'
  const style = said ?? (isNamed ? 'form' : 'simple')
  // No header is percent-encoded.
  const encode = place === 'header' ? verbatim : reserved === true ? reservedKept : percentEncoded
  const written = json === true && value !== undefined ? JSON.stringify(value) : value
  return styledValue(name, written, { style, explode: explode ?? style === 'form', encode })
}

function verbatim(text: string): string {
  return text
}
