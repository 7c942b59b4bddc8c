import { readFile } from 'node:fs/promises'
import { type BoundAgent, Runtime, tool, toolset } from '@toolgen/runtime'
import { answer, callTools, type Planner } from '@toolgen/runtime/agents'
import { memoryStore, SessionRegistry } from '@toolgen/runtime/sessions'
import { calls, says } from '@toolgen/runtime/testing'
import { serveStudio } from '@toolgen/studio'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runFileName } from '../../packages/studio/src/file-name.js'
import { chromiumPath, launchOptions } from '../../scripts/lib/chromium.mjs'
import { demoProject, demoTools } from './demo.js'
import { skipped, Tab } from './page.fixture.js'
import { Client, projectOf, shop } from './shop.fixture.js'

const where = 'Where is my order A-1001?'

describe.skipIf(chromiumPath === undefined)(`replays on the page of the studio${skipped}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch(launchOptions)
  })
  afterAll(() => browser?.close())

  async function opened(project = demoProject(demoTools().tools), path = '') {
    const server = await serveStudio(project, { port: 0 })
    onTestFinished(() => server.close())
    const client = new Client(server)
    const tab = await Tab.open(browser, server.url)
    await tab.show(path)
    return { client, tab, page: tab.page, server }
  }

  /** Opens a file on the page Replay. */
  const open = (page: Page, name: string, text: string): Promise<void> =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(text) })

  it('downloads the cassette of a run, opens it, and continues after a changed result', async () => {
    const { client, tab, page } = await opened()
    const { run } = await client.post('api/runs', { agent: 'support', input: where })
    await client.until(run, 'completed')
    await tab.show(`#/runs/${run}`)
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download cassette' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^support-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[\da-f]{8}\.jsonl$/)
    const text = await readFile(await download.path(), 'utf8')
    expect(text).toBe(await (await client.fetch(`api/runs/${run}/cassette`)).text())

    await tab.show('#/replay')
    await open(page, 'run.jsonl', text)
    const messages = page.getByRole('list', { name: 'Messages' }).getByRole('listitem')
    await expect.poll(() => messages.count()).toBeGreaterThan(3)
    const roles = (await messages.allTextContents()).map((each) => each.match(/^\d+(system|user|assistant|tool)/)?.[1])
    expect(roles.filter((role) => role !== 'system')).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
    const result = page.getByLabel('Result that the model reads')
    await result.fill((await result.inputValue()).replace('"open"', '"lost"'))
    await page.getByRole('button', { name: 'Continue from here' }).click()
    await page.getByText('I am sorry: your order is lost.').first().waitFor()
    expect(tab.errors).toEqual([])
  })

  it('a replay is compared message by message: the changed result, then both answers', async () => {
    const { client, tab, page } = await opened()
    const { run } = await client.post('api/runs', { agent: 'support', input: where })
    await client.until(run, 'completed')
    await tab.show(`#/replay/${run}`)
    const result = page.getByLabel('Result that the model reads')
    await result.fill((await result.inputValue()).replace('"open"', '"lost"'))
    await page.getByRole('button', { name: 'Continue from here' }).click()
    await page.getByText('I am sorry: your order is lost.').first().waitFor()
    await page.getByText('The first difference is in step 1.').waitFor()
    const titles = page.locator('.compare-step-title')
    await expect.poll(() => titles.allTextContents()).toEqual(['Step 1 different', 'Step 2 different'])
    const sides = page.locator('.compare-step')
    const shown = (side: number) => sides.nth(side).locator('.compare-entry b').allTextContents()
    const changed = (side: number) => sides.nth(side).locator('.changed').allTextContents()
    expect([await shown(0), await shown(1)]).toEqual(Array(2).fill(['user', 'Get order', 'Search orders']))
    for (const [side, status, answer] of [
      [0, 'open', 'Order A-1001 is open. It contains two lamps and costs 49 euros.'],
      [1, 'lost', 'I am sorry: your order is lost.'],
    ] as const) {
      expect(await changed(side)).toEqual([expect.stringContaining(`"status":"${status}"`)])
      expect(await changed(side + 2)).toEqual([`assistant${answer}`])
    }
    // The runs differ only in these messages, and no entry is empty.
    expect(await page.locator('.changed').count()).toBe(4)
    expect(await page.locator('.compare-entry pre').allTextContents()).not.toContain('')
    expect(await page.locator('.compare-step').getByText('—', { exact: true }).count()).toBe(0)
    expect([await tab.accessibilityProblems(), tab.errors]).toEqual([[], []])
  })

  it('a replay that needs an approval shows the approval, and the comparison shows its changed arguments', async () => {
    const refund = calls({ tool: 'refund', arguments: { paymentId: 'P-1', amount: 90 }, toolCallId: 'c-1' })
    const { ran, support } = shop({ steps: [refund, says('Paid back.'), refund, says('Paid back.')] })
    const context = () => ({ labels: { tenant: 'acme' } })
    const { client, tab, page } = await opened(projectOf([support], { context }))
    const { run } = await client.post('api/runs', { agent: 'support', input: 'Pay back' })
    await tab.show(`#/runs/${run}`)
    await page.getByRole('button', { name: 'Approve' }).click()
    await client.until(run, 'completed')
    await tab.show(`#/replay/${run}`)
    await page.getByRole('list', { name: 'Messages' }).getByRole('button').first().click()
    await page.getByLabel('Text', { exact: true }).fill('Pay 20 back')
    await page.getByRole('button', { name: 'Continue from here' }).click()
    await page.getByRole('heading', { name: 'Comparison' }).waitFor()
    const card = page.getByRole('region', { name: 'Approval needed' })
    await card.waitFor()
    const later = page.locator('.compare-step').nth(1)
    await expect.poll(() => later.locator('pre').allTextContents()).toHaveLength(2)
    expect(await later.locator('pre').last().textContent()).not.toContain('→')
    await card.getByRole('button', { name: 'Edit arguments' }).click()
    await card.getByLabel('amount').fill('20')
    await card.getByRole('button', { name: 'Approve with these arguments' }).click()
    await card.waitFor({ state: 'detached' })
    await later.getByText('approved with changes: amount 90 → 20').waitFor()
    expect(ran).toEqual([
      { paymentId: 'P-1', amount: 90 },
      { paymentId: 'P-1', amount: 20 },
    ])
    const changed = await page.locator('.compare-step').first().locator('.changed').allTextContents()
    expect(changed).toEqual(['userPay back', expect.stringMatching(/^refundcompletedapproved by studio/)])
    await expect
      .poll(() => page.locator('.compare-step-title').allTextContents())
      .toEqual(['Step 1 different', 'Step 2 '])
  })

  it('continues after a changed answer of the model', async () => {
    const { client, tab, page } = await opened()
    const { run } = await client.post('api/runs', { agent: 'support', input: where })
    await client.until(run, 'completed')
    await tab.show('#/replay')
    await open(page, 'run.jsonl', await (await client.fetch(`api/runs/${run}/cassette`)).text())
    await page.getByRole('list', { name: 'Messages' }).getByRole('button').last().click()
    await page.getByLabel('Text', { exact: true }).fill('Your order is on the moon.')
    await page.getByLabel('Further message of the user').fill('Thanks')
    await page.getByRole('button', { name: 'Continue from here' }).click()
    await page.getByText('You wrote: Thanks').first().waitFor()
    const [{ id }] = (await client.get('api/runs')).runs
    const texts = (await client.get(`api/runs/${id}`)).messages.map(({ content }: any) => content)
    expect(texts).toContain('Your order is on the moon.')
  })

  it('shows the last step of a run that ended after its calls, and names files that it cannot open', async () => {
    const { page } = await opened(demoProject(demoTools().tools), '#/replay')
    const tools = { orders_getOrder: { tool: 'orders.getOrder', hash: 'x' } }
    const asked = { name: 'orders_getOrder', arguments: '{"orderId": "A-1"}' }
    const call = { id: 'c-1', type: 'function', function: asked }
    const lines = [
      { cassette: 1, recordedAt: '2026-01-01T00:00:00.000Z' },
      {
        ...{ type: 'model', agent: 'support', asked: 1 },
        request: { messages: [{ role: 'user', content: 'Where?' }], tools },
        answer: { message: { role: 'assistant', content: null, tool_calls: [call] }, calls: [] },
      },
      {
        ...{ type: 'tool', agent: 'support', tool: 'orders.getOrder', hash: 'x', asked: 2, after: 1 },
        ...{ arguments: '{"orderId":"A-1"}', outcome: { status: 'completed', json: '{"status":"late"}' } },
      },
    ].map((line) => `${JSON.stringify(line)}\n`)
    await open(page, 'run.jsonl', lines.join(''))
    await expect.poll(() => page.getByLabel('Result that the model reads').inputValue()).toBe('{"status":"late"}')
    const items = page.getByRole('list', { name: 'Messages' }).getByRole('listitem')
    expect(await items.count()).toBe(3)
    // Without the result, the conversation ends before the call.
    await open(page, 'run.jsonl', lines.slice(0, 2).join(''))
    await expect.poll(() => items.count()).toBe(1)
    for (const [text, message] of [
      ['{"cassette":2}\n', 'run.jsonl has version 2 of cassettes. Update the studio.'],
      [`${lines[0]}{"type":"other"}\n`, 'run.jsonl, line 2: the line is not an exchange with a model or a tool.'],
      [`${lines[0]}`, 'run.jsonl has no request to a model'],
      ['[]', 'run.jsonl is neither an exported run nor a cassette.'],
    ] as const) {
      await open(page, 'run.jsonl', text)
      await page.getByText(message).waitFor()
    }
  })

  it.each([
    ["Where's `A-1001`?\n$HOME", `-- support 'Where'\\''s \`A-1001\`?\n$HOME'`],
    ['-v', "-- support '-v'"],
  ])('shows the command that repeats a run: %j', async (text, words) => {
    const { client, tab, page } = await opened()
    const { run } = await client.post('api/runs', { agent: 'support', input: text })
    const { summary } = await client.until(run, 'completed')
    await tab.show(`#/runs/${run}`)
    await page.getByText('Use of the cassette').click()
    const command = page.locator('details', { hasText: 'Use of the cassette' }).locator('pre')
    const file = runFileName(summary, 'jsonl')
    await expect.poll(() => command.textContent()).toBe(`npx toolgen run --cassette ${file} ${words}`)
    await page.getByText('The page Replay opens only cassettes of agents with a model.').waitFor()
  })

  it('shows no command for a run that the command line cannot repeat', async () => {
    const { client, tab, page } = await opened()
    const ended = async (start: object): Promise<string> => {
      const { run } = await client.post('api/runs', { agent: 'support', ...start })
      await client.until(run, 'completed')
      return run
    }
    const first = await ended({ input: where })
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: where },
    ]
    for (const [run, reason] of [
      [await ended({ input: 'Thanks', after: first }), 'it continues a conversation'],
      [await ended({ input: messages }), 'its input was not one text'],
      [await ended({ input: '-' }), 'its input was not one text'],
    ] as const) {
      await tab.show(`#/runs/${run}`)
      const help = page.locator(`[data-run="${run}"] details`, { hasText: 'Use of the cassette' })
      await help.locator('summary').click()
      await help.getByText(`cannot repeat this run, because ${reason}. Open the cassette on the page Replay`).waitFor()
      expect(await help.locator('pre').count()).toBe(0)
    }
  })

  it('opens the exported run of an agent without a model, but not its cassette', async () => {
    const two = tool({ name: 'two', description: 'Return 2.', parameters: { type: 'object' }, run: () => 2 })
    const planner: Planner = ({ outcomes }) =>
      outcomes.length === 0
        ? callTools({ tool: 'numbers.two', arguments: '{}', toolCallId: 'c-1' })
        : answer('It is 2.')
    const design = { name: 'planned', description: 'Plans.' }
    const agent = new Runtime().registerAgent(design, [toolset('numbers', two)], { planner })
    const { client, tab, page } = await opened(projectOf([agent]))
    const { run } = await client.post('api/runs', { agent: 'planned', input: 'Hello' })
    await client.until(run, 'completed')
    await tab.show('#/replay')
    await page.getByText('or the cassette of an agent with a model').waitFor()
    await open(page, 'run.jsonl', await (await client.fetch(`api/runs/${run}/cassette`)).text())
    await page.getByText('For an agent without a model, use "Export" on the page of the run.').waitFor()
    await open(page, 'run.json', JSON.stringify(await client.get(`api/runs/${run}`)))
    await page.getByRole('button', { name: 'Continue from here' }).waitFor()
  })

  it('opens a session of a store, and continues after a changed result', async () => {
    const store = memoryStore()
    const { tools } = demoTools()
    const [support] = tools as BoundAgent<any>[]
    if (support === undefined) throw new Error('The demo has no agent.')
    const sessions = new SessionRegistry({ agents: { support }, store, conversation: true })
    for (let index = 0; index < 21; index += 1) {
      const session = await sessions.open(`s-${index}`, { userId: 'u-1', namespaces: ['support'] })
      await session.run(support, where)
      await sessions.close(`s-${index}`)
    }
    const { tab, page } = await opened({ ...demoProject(tools), sessions: store }, '#/replay')
    const links = page.getByRole('region', { name: 'Sessions' }).getByRole('link')
    await expect.poll(() => links.count()).toBe(20)
    await page.getByRole('button', { name: 'More' }).click()
    await expect.poll(() => links.count()).toBe(21)
    expect([await tab.accessibilityProblems(), await tab.overflow()]).toEqual([[], 0])
    await links.last().click()
    const result = page.getByLabel('Result that the model reads')
    await result.fill((await result.inputValue()).replace('"open"', '"lost"'))
    await page.getByRole('button', { name: 'Continue from here' }).click()
    await page.getByText('I am sorry: your order is lost.').first().waitFor()
  })

  it('a timeline has the messages of nested agents below their steps', async () => {
    const refund = calls({ tool: 'refund', arguments: { paymentId: 'P-1', amount: 90 }, toolCallId: 'c-1' })
    const asks = calls({ tool: 'desk_ask', arguments: { question: 'Refund?' }, toolCallId: 'c-1' })
    const { support } = shop({ steps: [asks, says('All done.')], nestedSteps: [refund, says('I paid it back.')] })
    const context = () => ({ labels: { tenant: 'acme' }, env: { approval: { approve: async () => 'approve' } } })
    const { client, tab, page } = await opened(projectOf([support], { context }))
    const { run } = await client.post('api/runs', { agent: 'support', input: 'Pay back' })
    await client.until(run, 'completed')
    await tab.show(`#/runs/${run}`)
    await page.locator('[data-kind=message]', { hasText: 'All done.' }).waitFor()
    const rows = await page
      .locator('.timeline-slot .event')
      .evaluateAll((all) =>
        all.map((row) => `${row.dataset.depth} ${row.dataset.kind} ${row.querySelector('.event-title')?.textContent}`),
      )
    const shown = rows
      .filter((row) => / (step|message|call) /.test(row))
      .map((row) => row.split(' ').slice(0, 5).join(' '))
    expect(shown).toEqual([
      '0 step Step 1 support',
      '1 message assistant requests desk_ask',
      expect.stringMatching(/^1 call /),
      '2 step Step 1 clerk',
      '3 message assistant requests refund',
      expect.stringMatching(/^3 call /),
      '2 step Step 2 clerk',
      '3 message assistant I paid',
      '0 step Step 2 support',
      '1 message assistant All done.',
    ])
    // The text that a nested model reads is at its call.
    await page.locator('[data-kind=call][data-depth="3"] .event-main').click()
    await page.getByText('Text that the model reads').click()
    await page.getByText('{"refunded":90}').waitFor()
  })

  it('runs that the server discarded leave the list', async () => {
    const steps = Array.from({ length: 201 }, () => says('Done.'))
    const { client, tab, page } = await opened(projectOf([shop({ steps }).support]))
    const start = async (): Promise<string> => {
      const { run } = await client.post('api/runs', { agent: 'support', input: 'Hello', labels: { tenant: 'acme' } })
      await client.parts(run)
      return run
    }
    const first = await start()
    await tab.show('#/runs')
    const item = page.locator(`[data-run="${first}"]`)
    await item.waitFor()
    for (let count = 0; count < 200; count += 1) await start()
    await item.waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('.side-item').count()).toBe(200)
  })

  it('shows the reason if a run has no cassette', async () => {
    const { support } = shop({ steps: [new Error('no model')] })
    const config = {}
    const { client, tab, page } = await opened(projectOf([support], { context: () => ({ config }) }))
    const { run } = await client.post('api/runs', { agent: 'support', input: 'Hello' })
    await client.until(run, 'failed')
    await tab.show(`#/runs/${run}`)
    await page.getByText('The recording in memory failed: no model and no tool was called.').waitFor()
    expect(await page.getByRole('button', { name: 'Download cassette' }).isDisabled()).toBe(true)
  })
})
