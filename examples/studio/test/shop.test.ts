import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunEvent, runConfig } from '@toolgen/runtime'
import { openCassette } from '@toolgen/runtime/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openShop } from '../src/shop.js'

const approval = { approve: async () => 'approve' as const }

describe('the shop of the studio example', () => {
  it('asks the warehouse agent, which orders more pieces after an approval', async () => {
    const [support] = openShop()
    const events: RunEvent[] = []
    const onEvent = (event: RunEvent): number => events.push(event)
    const run = await support.run('Is LAMP-1 available?', { env: { approval }, deepTracing: true, onEvent })
    expect(run.status).toBe('completed')
    const ended = events.flatMap((event) => (event.type === 'call_ended' ? [event.call.tool] : []))
    expect(ended).toEqual(['stock.stockLevel', 'stock.reorder', 'supply.checkSupply'])
  })

  it('cancels an order, and tells models which orders do not exist', async () => {
    const [support] = openShop()
    const cancelled = await support.run('Please cancel A-1001.', { env: { approval } })
    expect(cancelled.outcomes[0]?.status).toBe('completed')
    const unknown = await support.run('Where is A-9999?', { env: { approval } })
    expect(unknown.outcomes[0]).toMatchObject({ status: 'failed', error: { reason: 'unknown_order' } })
  })

  it('hides the address of the customer from models', async () => {
    const [support] = openShop()
    const { messages } = await support.run('Where is A-1002?', { env: { approval } })
    expect(JSON.stringify(messages)).toContain('redacted.invalid')
    expect(JSON.stringify(messages)).not.toContain('alan@example.com')
  })

  it('reports the progress of an export', async () => {
    const [support] = openShop()
    const { events } = await support.run('Export the year.', { env: { approval } })
    expect(events.filter(({ type }) => type === 'call_updated')).toHaveLength(5)
  })

  it('is recorded and replayed, the warehouse included', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'shop-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const play = async (mode: 'record' | 'replay') => {
      const cassette = await openCassette(join(folder, 'shop.jsonl'), { mode })
      const config = runConfig().layer(cassette.toolLayer()).modelLayer(cassette.modelLayer())
      const run = await openShop()[0].run('Is LAMP-1 available?', { config, env: { approval } })
      await cassette.close()
      return run
    }
    const recorded = await play('record')
    expect(recorded.status).toBe('completed')
    expect((await play('replay')).messages).toEqual(recorded.messages)
  })
})
