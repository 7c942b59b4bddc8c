import type { JsonText } from '../contract/json.js'
import type { ToolLayer } from '../contract/layer.js'
import type { AgentToolSpec } from '../contract/spec.js'

/**
 * Changes the JSON that a model reads of completed calls; `result.data` stays the declared value. What the function
 * throws makes the call fail as `internal`.
 *
 * @example
 * support.layer(transformOutput((json) => (json.length > 20_000 ? '"The result is too long; ask for less."' : json)))
 */
export function transformOutput(
  transform: (json: JsonText, context: { readonly tool: AgentToolSpec }) => JsonText | Promise<JsonText>,
): ToolLayer {
  return (next) => async (request) => {
    const outcome = await next(request)
    if (outcome.status !== 'completed') return outcome
    const json: unknown = await transform(outcome.json, { tool: request.tool })
    if (typeof json !== 'string') throw new TypeError('transformOutput: the function answered with no text')
    return { ...outcome, json }
  }
}
