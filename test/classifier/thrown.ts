import { type Classify, type Effects, type RetryHint, Runtime, renderForModel } from '@toolgen/runtime'
import { vendorErrors } from '@toolgen/runtime/errors'
import { expect } from 'vitest'
import { newSupportOrdersToolsetRegistration } from '../../examples/orders/gen/agents/support/index.js'
import { newPlaceOrderCall, newStockLevelCall } from '../../examples/orders/gen/toolsets/orders/index.js'

/** Stands in every text that a service of these tests answers with. */
export const SECRET = 'SECRET-7f3a'

/** The time that the runtime of these tests believes it is. */
export const NOW: number = Date.UTC(2026, 0, 31, 12, 0, 0)

const effects: Effects = { now: () => NOW, newId: (kind) => `${kind}-1` }
const harmless = newStockLevelCall({ sku: 'LAMP-1' })
const harmful = newPlaceOrderCall({ customerId: 'C-7', lines: [{ sku: 'LAMP-1', quantity: 1 }] })

/** How a call may be told to go on. */
export interface Told {
  readonly reason: RetryHint['reason']
  readonly action: RetryHint['action']
  readonly retryAfterMs?: number
}

/** What a tool makes of the error that its client throws. The tool is read-only, so that it may be called again. */
export function told(client: () => unknown, classify?: Classify): Promise<Told> {
  return outcomeOf(client, harmless, classify)
}

/** The same for a tool that changes things. */
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

/** Neither what the service said, nor the texts of the error, nor where it came from may be in what is shown. */
function expectNothingOf(thrown: unknown, shown: readonly string[]): void {
  const hidden = [SECRET, '127.0.0.1', '://', 'node_modules', 'node:', '   at ', '.ts', '.js', ...ownTexts(thrown)]
  for (const text of shown) for (const word of hidden) expect(text).not.toContain(word)
}

/** The texts of an error and its causes, as far as they can be read. */
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
    // What cannot be read cannot be shown either.
    return undefined
  }
}
