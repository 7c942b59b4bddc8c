import type { AgentToolSpec } from '../contract/spec.js'
import type { Exchange, ToolExchange } from './exchange.js'
import { isExchange } from './is-exchange.js'
import { recordedData } from './recorded-outcome.js'

/**
 * An exchange as it may be written: one that a replay can read.
 *
 * @throws {TypeError} for any other, since `redact` made something else of it.
 */
export function readableExchange<Given extends Exchange>(exchange: Given): Given {
  if (isExchange(exchange)) return exchange
  throw new TypeError(
    'an exchange could not be replayed as it would be written: what it holds, or `redact`, broke its form',
  )
}

/** The same for the exchange of a tool, whose values have to fit its schemas too. */
export function readableCall(exchange: ToolExchange, { id, result, updates = true }: AgentToolSpec): ToolExchange {
  const { outcome } = readableExchange(exchange)
  const values = (exchange.updates ?? []).map((update) => recordedData(update, updates))
  if (outcome.status === 'completed') values.push(recordedData(outcome.data ?? outcome.json, result))
  const [issue] = values.flatMap((decoded) => (decoded.ok ? [] : decoded.issues))
  if (issue === undefined) return exchange
  const place = issue.path === '' ? '' : `${issue.path}: `
  throw new TypeError(
    `a value of ${id} would not fit its schema any more as \`redact\` made it: ${place}${issue.message}`,
  )
}
