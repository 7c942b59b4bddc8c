import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HasApproval, runConfig } from '@toolgen/runtime'
import { openCassette } from '@toolgen/runtime/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import module, { support } from '../src/tools.js'

const approval: HasApproval['approval'] = { approve: async () => ({ decision: 'approve', by: 'ann' }) }
const options = { ...module.context(), env: { approval } }

describe('the example of the studio', () => {
  it.each([
    ['Where is A-1002?', 'Order A-1002 is shipped. Its total is 94 €.'],
    ['Please cancel A-1001', 'The order is cancelled.'],
    ['A-1002 arrived broken', 'We paid back: {"refunded":47}'],
    ['Show me the revenue', 'The revenue of 2025 was 127982 €.'],
    ['Hello', 'I can look up and cancel orders, settle complaints and build reports. Try "Where is A-1002?"'],
  ])('answers %j', async (text, answer) => {
    const { status, result } = await support.run(text, options)
    expect([status, result?.text]).toEqual(['completed', answer])
  })

  it('hides the address of the customer from events', async () => {
    const { events, outcomes } = await support.run('Where is A-1002?', options)
    expect(JSON.stringify(outcomes)).toContain('a-1002@customers.example')
    expect(JSON.stringify(events)).not.toContain('a-1002@customers.example')
  })

  it('is recorded and replayed, the returns desk included', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'shop-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const play = async (mode: 'record' | 'replay') => {
      const cassette = await openCassette(join(folder, 'shop.jsonl'), { mode })
      const config = runConfig().layer(cassette.toolLayer()).modelLayer(cassette.modelLayer())
      const run = await support.run('A-1002 arrived broken', { ...options, config })
      await cassette.close()
      return run
    }
    const recorded = await play('record')
    expect(recorded.status).toBe('completed')
    expect((await play('replay')).messages).toEqual(recorded.messages)
  })
})
