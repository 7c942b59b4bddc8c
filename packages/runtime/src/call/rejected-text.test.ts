import { expect, it } from 'vitest'
import { failedOutcome } from './failed-outcome.js'

function rejectedOf(rejected: string): string | undefined {
  const call = { tool: 'orders.getOrder', toolCallId: 'call' }
  const failure = { reason: 'invalid_arguments', message: 'Wrong.' } as const
  const { hint } = failedOutcome(failure, { call, rejected, durationMs: 0, attempts: 1 })
  return hint.reason === 'invalid_arguments' ? hint.rejected : undefined
}

it('a hint carries up to 10,000 characters of what was sent, and says how long it was', () => {
  const whole = JSON.stringify('x'.repeat(9_998))
  expect(rejectedOf(whole)).toBe(whole)
  expect(rejectedOf('x'.repeat(2_000_000))).toBe(`${'x'.repeat(10_000)}… (2000000 characters)`)
  expect(rejectedOf(`${'x'.repeat(9_999)}😀`)).toBe(`${'x'.repeat(9_999)}… (10001 characters)`)
})
