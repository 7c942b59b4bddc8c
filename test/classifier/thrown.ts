import { type Classify, type Effects, type RetryHint, Runtime, renderForModel } from '@toolgen/runtime'
import { vendorErrors } from '@toolgen/runtime/errors'
import { expect } from 'vitest'
import { newSupportOrdersToolsetRegistration } from '../../examples/orders/gen/agents/support/index.js'
import { newPlaceOrderCall, newStockLevelCall } from '../../examples/orders/gen/toolsets/orders/index.js'

/** Text that every response of the test services contains. */
export const SECRET = 'SECRET-7f3a'

/** Current time of the test runtime. */
export const NOW: number = Date.UTC(2026, 0, 31, 12, 0, 0)

const effects: Effects = { now: () => NOW, newId: (kind) => `${kind}-1` }
const harmless = newStockLevelCall({ sku: 'LAMP-1' })
const harmful = newPlaceOrderCall({ customerId: 'C-7', lines: [{ sku: 'LAMP-1', quantity: 1 }] })

/** Expected hint of a call. */
export interface Told {
  readonly reason: RetryHint['reason']
  readonly action: RetryHint['action']
  readonly retryAfterMs?: number
}

/** Returns the hint of a read-only tool, which can be called again, whose client throws an error. */
export function told(client: () => unknown, classify?: Classify): Promise<Told> {
  return outcomeOf(client, harmless, classify)
}

/** Returns the hint of a tool with side effects whose client throws an error. */
export function toldOfChange(client: () => unknown): Promise<Told> {
  return outcomeOf(client, harmful)
}

async function outcomeOf(
  client: () => unknown,
  call: typeof harmless | typeof harmful,
  classify?: Classify,
): Promise<Told> {
  const runtime = new Runtime({ effects, errorRules: vendorErrors, ...(classify !== undefined && { classify }) })
  const executor = { execute: async () => client() }
  const outcome = await runtime.registerToolset(newSupportOrdersToolsetRegistration(executor)).execute(call)
  if (outcome.status !== 'failed') throw new Error('The client threw nothing.')
  const { hint, error } = outcome
  expectNothingOf(error.cause, [JSON.stringify(outcome), JSON.stringify(hint), error.message, renderForModel(outcome)])
  const { reason, action } = hint
  return { reason, action, ...('retryAfterMs' in hint && { retryAfterMs: hint.retryAfterMs }) }
}

/** Checks that the output contains no text of the response, of the error or of its stack. */
function expectNothingOf(thrown: unknown, shown: readonly string[]): void {
  const hidden = [SECRET, '127.0.0.1', '://', 'node_modules', 'node:', '   at ', '.ts', '.js', ...ownTexts(thrown)]
  for (const text of shown) for (const word of hidden) expect(text).not.toContain(word)
}

/** Returns the readable texts of an error and its causes. */
function ownTexts(thrown: unknown, depth = 8): readonly string[] {
  if (typeof thrown !== 'object' || thrown === null || depth === 0) return []
  const texts = ['message', 'stack', 'url'].map((key) => read(thrown, key))
  const given = texts.filter((text) => typeof text === 'string').filter((text) => text !== '')
  return [...given, ...ownTexts(read(thrown, 'cause'), depth - 1)]
}

function read(thrown: object, key: string): unknown {
  try {
    return Reflect.get(thrown, key)
  } catch {
    // Unreadable properties cannot appear in the output.
    return undefined
  }
}
