import { approval, Runtime, tool, toolset } from '@toolgen/runtime'
import { base } from '@toolgen/runtime/agents'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { type DevProject, serveStudio } from '@toolgen/studio'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { chromiumPath, launchOptions } from '../../scripts/lib/chromium.mjs'
import { demoProject, demoTools } from './demo.js'
import { skipped, Tab, type TabOptions } from './page.fixture.js'
import { Client } from './shop.fixture.js'

const where = 'Where is my order A-1001?'
const orderLamp = 'Order a lamp for customer seven.'

describe.skipIf(chromiumPath === undefined)(`details of the page of the studio${skipped}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch(launchOptions)
  })
  afterAll(() => browser?.close())

  async function opened(options: TabOptions = {}, project: DevProject = demoProject(demoTools().tools)) {
    const server = await serveStudio(project, { port: 0 })
    onTestFinished(() => server.close())
    const tab = await Tab.open(browser, server.url, options)
    const client = new Client(server)
    const ran = async (input: string): Promise<string> => {
      const { run } = await client.post('api/runs', { agent: 'support', input })
      await client.until(run, 'completed')
      return run
    }
    return { client, tab, page: tab.page, ran }
  }

  it('a comparison shows the earlier run first, with the agent, the prompt and the time of both', async () => {
    const { tab, page, ran } = await opened()
    const first = await ran(where)
    const second = await ran(orderLamp)
    const heads = page.locator('.compare-head')
    for (const [selected, other, texts] of [
      [first, second, ['Earlier', 'Later']],
      [second, first, ['Earlier', 'Later']],
    ] as const) {
      await tab.show(`#/runs/${selected}?compare=${other}`)
      await page.getByText('The first difference is in step 1.').waitFor()
      expect(await heads.locator('b').allTextContents()).toEqual(texts)
      expect(await heads.locator('.compare-title').allTextContents()).toEqual([where, orderLamp])
      const marked = heads.nth(selected === first ? 0 : 1)
      await marked.getByText('selected').waitFor()
      expect(await heads.getByText('selected').count()).toBe(1)
      expect(await heads.getByText('support').count()).toBe(2)
      expect(await heads.getByText(/^\d\d:\d\d:\d\d$/).count()).toBe(2)
    }
    const titles = await page.locator('.compare-step-title').allTextContents()
    expect(titles.map((text) => text.trim().split(' ').slice(0, 2).join(' '))).toEqual(
      titles.map((_, index) => `Step ${index + 1}`),
    )
    expect(titles.length).toBeGreaterThan(2)
    // A narrow screen shows the sides of a step below each other.
    await page.setViewportSize({ width: 390, height: 800 })
    const steps = page.locator('.compare-step')
    const [left, right] = [await steps.nth(0).boundingBox(), await steps.nth(1).boundingBox()]
    expect(right?.x).toBe(left?.x)
    expect(right?.y).toBeGreaterThan(left?.y ?? 0)
    expect(await steps.nth(1).getByText('Later').isVisible()).toBe(true)
  })

  it('a number field keeps what a person types, and its issue is shown with the field', async () => {
    const { tab, page } = await opened()
    await tab.show('#/tools/orders.searchOrders?agent=support')
    const field = page.getByLabel('limit')
    const issues = page.getByRole('region', { name: 'Issues' })
    const json = async () => JSON.parse(await page.getByRole('textbox', { name: 'JSON' }).inputValue())
    for (const [typed, value, issue] of [
      ['500', 500, /50/],
      ['abc', 'abc', /integer/],
    ] as const) {
      await field.fill(typed)
      await field.blur()
      await issues.locator('li', { hasText: issue }).waitFor()
      expect(await issues.locator('li code').allTextContents()).toEqual(['limit'])
      expect(await field.inputValue()).toBe(typed)
      expect((await json()).limit).toBe(value)
    }
    await field.fill('20')
    await page.getByText('valid', { exact: true }).waitFor()
    expect((await json()).limit).toBe(20)
    // The editor alone shows the error of invalid JSON.
    await page.getByRole('textbox', { name: 'JSON' }).fill('{"limit": 2')
    await page.getByText('Text that the model would read').waitFor()
    expect(
      await page
        .getByText(/Expected ',' or '}'/)
        .locator('visible=true')
        .count(),
    ).toBe(1)
  })

  it('a field shows no value that the JSON lacks, and names its default', async () => {
    const { tab, page } = await opened()
    await tab.show('#/tools/orders.getOrder?agent=support')
    const json = page.getByRole('textbox', { name: 'JSON' })
    const field = page.getByLabel('orderId')
    await expect.poll(() => field.inputValue()).toBe('A-1001')
    await json.fill('{}')
    await expect.poll(() => field.inputValue()).toBe('')
    await tab.show('#/tools/orders.searchOrders?agent=support')
    await page.getByText('Default: 10').waitFor()
    expect(await page.getByLabel('limit').inputValue()).toBe('')
    await page.getByLabel('customerId').fill('C-8')
    await expect.poll(async () => JSON.parse(await json.inputValue())).toEqual({ customerId: 'C-8', status: 'open' })
    expect(await page.getByRole('combobox', { name: 'status' }).inputValue()).toBe('open')
    await json.fill('{}')
    await expect.poll(() => page.getByRole('combobox', { name: 'status' }).inputValue()).toBe('')
    expect(tab.errors).toEqual([])
  })

  it('every kind of field names its default, and a person changes only one field', async () => {
    const card = { type: 'object', properties: { kind: { const: 'card' }, last4: { type: 'string' } } } as const
    const search = tool({
      name: 'search',
      description: 'Search orders.',
      parameters: {
        type: 'object',
        $defs: { size: { type: 'integer', description: 'Orders of a page' } },
        properties: {
          text: { type: 'string' },
          open: { type: 'boolean', default: true },
          sort: { enum: ['newest', 'oldest'], description: 'Order of the result', default: 'newest' },
          tags: { type: 'array', items: { type: 'string' }, minItems: 1, default: ['lamp'] },
          area: { type: 'object', properties: { city: { type: 'string' } }, default: { city: 'Oslo' } },
          size: { $ref: '#/$defs/size', default: 5 },
          payment: { ...card, required: ['kind'] },
          lines: { type: 'array', items: { type: 'string' }, minItems: 1 },
        },
        required: ['text', 'lines'],
      },
      run: () => [],
    })
    const bound = new Runtime().registerToolset(toolset('orders', search))
    const { tab, page } = await opened({}, demoProject([bound]))
    await tab.show('#/tools/orders.search')
    const form = page.getByRole('region', { name: 'Form' })
    for (const text of [
      'Default: true',
      'Order of the result (default: "newest")',
      'Default: ["lamp"]',
      'Default: {"city":"Oslo"}',
      'Orders of a page (default: 5)',
    ]) {
      await form.getByText(text, { exact: true }).waitFor()
    }
    await form.getByLabel('text').fill('lamp')
    const json = async () => JSON.parse(await page.getByRole('textbox', { name: 'JSON' }).inputValue())
    await expect.poll(json).toEqual({ text: 'lamp' })
    await page.getByRole('textbox', { name: 'JSON' }).fill('{"size":7}')
    await expect.poll(() => form.getByLabel('size').inputValue()).toBe('7')
    expect(await form.getByLabel('text').inputValue()).toBe('')
    expect(await tab.accessibilityProblems()).toEqual([])
    expect(tab.errors).toEqual([])
  })

  it('a missing field has its issue at the field, and the list names each field once', async () => {
    const { tab, page } = await opened()
    await tab.show('#/tools/orders.placeOrder?agent=support')
    await page
      .getByRole('textbox', { name: 'JSON' })
      .fill('{"lines":[{"sku":"LAMP-1"}],"payment":{"kind":"invoice"},"customerID":"C-7"}')
    const form = page.getByRole('region', { name: 'Form' })
    const missing = 'The required field "customerId" is missing; expected a string.'
    await form.getByText(missing).locator('visible=true').waitFor()
    await form.getByText('The required field "quantity" is missing').locator('visible=true').waitFor()
    expect(await page.getByLabel('customerId').getAttribute('aria-invalid')).toBe('true')
    const items = page.getByRole('region', { name: 'Issues' }).locator('li')
    const texts = (await items.allTextContents()).map((text) => text.trim())
    expect(texts).toContain(missing)
    expect(texts).toContainEqual(expect.stringMatching(/^lines\[0\] The required field "quantity" is missing/))
    expect(texts).toContainEqual(expect.stringMatching(/^Unknown field "customerID"; did you mean "customerId"\?/))
  })

  it('an approval lists the issues of edited arguments', async () => {
    const { tab, page } = await opened()
    await tab.show('#/tools/payments.refund?agent=support')
    await page.getByRole('textbox', { name: 'JSON' }).fill('{"paymentId":"P-7","amount":49}')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const pending = page.locator('[data-pending=approval]')
    await pending.getByRole('button', { name: 'Edit arguments' }).click()
    const field = pending.getByLabel('paymentId')
    await expect.poll(() => field.inputValue()).toBe('P-7')
    await pending.getByRole('textbox', { name: 'JSON' }).fill('{"paymentID":5,"amount":49}')
    const items = pending.getByRole('region', { name: 'Issues' }).locator('li')
    await expect
      .poll(async () => (await items.allTextContents()).map((text) => text.trim()))
      .toEqual([
        'The required field "paymentId" is missing; expected a string.',
        'Unknown field "paymentID"; did you mean "paymentId"?',
      ])
    expect(await field.inputValue()).toBe('')
    const approve = pending.getByRole('button', { name: 'Approve with these arguments' })
    expect(await approve.isDisabled()).toBe(true)
    expect(await tab.accessibilityProblems()).toEqual([])
    await pending.getByRole('textbox', { name: 'JSON' }).fill('{"paymentId":"P-7","amount":20}')
    await expect.poll(() => approve.isDisabled()).toBe(false)
    expect(await items.count()).toBe(0)
  })

  it('the question of an approval is marked as that for the original arguments while a person edits them', async () => {
    const parameters = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } as const
    const spec = { confirmation: { prompt: 'Pay back {{amount}} euros?' } }
    const asking = registrationOf(toolOf('bank.refund', { arguments: parameters, spec }), async () => ({}))
    const pay = tool({ name: 'pay', description: 'Pays.', parameters, run: () => 1 }).layer(approval())
    const runtime = new Runtime()
    const bound = [runtime.registerToolset(asking), runtime.registerToolset(toolset('desk', pay))]
    const { tab, page, client } = await opened({}, demoProject(bound))
    const pending = page.locator('[data-pending=approval]')
    const note = pending.getByText('The question above is about the original arguments.')
    const waiting = async (id: string): Promise<void> => {
      const { run } = await client.post('api/calls', { tool: id, arguments: '{"amount":49}' })
      await client.until(run, 'waiting')
      await tab.show(`#/runs/${run}`)
      await page.locator(`article[data-run="${run}"] [data-pending]`).waitFor()
    }
    await waiting('bank.refund')
    await pending.getByText('Pay back 49 euros?').waitFor()
    expect(await note.count()).toBe(0)
    await pending.getByRole('button', { name: 'Edit arguments' }).click()
    await pending.getByRole('textbox', { name: 'JSON' }).fill('{"amount":20}')
    await note.waitFor()
    await pending.getByRole('button', { name: 'Discard edits' }).click()
    expect(await note.count()).toBe(0)
    // Without a question, there is nothing to mark.
    await waiting('desk.pay')
    expect(await pending.locator('.pending-prompt').count()).toBe(0)
    await pending.getByRole('button', { name: 'Edit arguments' }).click()
    await pending.getByRole('textbox', { name: 'JSON' }).waitFor()
    expect([await note.count(), tab.errors]).toEqual([0, []])
  })

  it('only tools with examples have the menu for examples', async () => {
    const { tab, page } = await opened()
    const menu = page.getByRole('combobox', { name: 'Use an example' })
    await tab.show('#/tools/orders.getOrder?agent=support')
    await menu.waitFor()
    await tab.show('#/tools/payments.refund?agent=support')
    await page.getByLabel('paymentId').waitFor()
    expect(await menu.count()).toBe(0)
  })

  it('small results are completely open, and large results show two levels', async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ place: { shelf: `S-${index}` } }))
    const stock = tool({
      name: 'stock',
      description: 'List the stock.',
      parameters: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
      run: ({ count }) => rows(count),
    })
    const bound = new Runtime().registerToolset(toolset('stores', stock))
    const { tab, page } = await opened({}, demoProject([bound]))
    await tab.show('#/tools/stores.stock')
    const result = page.getByRole('region', { name: 'result' })
    // A row has three lines, and the array one.
    for (const [count, shown] of [
      [6, 6],
      [7, 0],
    ] as const) {
      await page.getByLabel('count').fill(String(count))
      await page.getByText('valid', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Call', exact: true }).click()
      await result.getByText(`[${count}]`).waitFor()
      expect(await result.getByText('"S-0"').count()).toBe(shown === 0 ? 0 : 1)
      expect(await result.getByText(/"S-\d"/).count()).toBe(shown)
      expect(await result.getByText('place:').count()).toBe(count)
    }
  })

  it('the issues of a failed call name its fields as the form does', async () => {
    const { tab, page, client } = await opened()
    const lines = [
      { sku: 'LAMP-1', quantity: 2 },
      { sku: '', quantity: 1 },
    ]
    const sent = JSON.stringify({ customerId: 'C-7', lines, payment: { kind: 'invoice' } })
    const { run } = await client.post('api/calls', { tool: 'orders.placeOrder', agent: 'support', arguments: sent })
    await client.parts(run)
    await tab.show(`#/runs/${run}`)
    await page.locator('[data-kind=call] .event-main').click()
    const issues = page.locator('.event-detail .issues')
    await issues.waitFor()
    expect(await issues.locator('code').allTextContents()).toEqual(['lines[1].sku'])
    await tab.show('#/tools/orders.placeOrder?agent=support')
    await page.getByRole('textbox', { name: 'JSON' }).fill(sent)
    const live = page.getByRole('region', { name: 'Issues' }).locator('li code')
    await expect.poll(() => live.allTextContents()).toEqual(['lines[1].sku'])
  })

  it('an optional group is removed from the arguments', async () => {
    const placed = {
      type: 'object',
      properties: { from: { type: 'string' }, to: { type: 'string' } },
      required: ['from'],
    } as const
    const search = tool({
      name: 'search',
      description: 'Search orders.',
      parameters: { type: 'object', properties: { text: { type: 'string' }, placed }, required: ['text'] },
      run: () => [],
    })
    const bound = new Runtime().registerToolset(toolset('orders', search))
    const { tab, page } = await opened({}, demoProject([bound]))
    await tab.show('#/tools/orders.search')
    const group = page.locator('fieldset', { hasText: 'placed' })
    const star = group.locator('.mantine-InputWrapper-required')
    const json = async () => JSON.parse(await page.getByRole('textbox', { name: 'JSON' }).inputValue())
    await page.getByLabel('text').fill('lamp')
    expect(await star.isVisible()).toBe(false)
    expect(await json()).toEqual({ text: 'lamp' })
    await group.getByLabel('to').fill('2026-01-01')
    await star.waitFor()
    await group.getByLabel('to').fill('')
    await group.getByRole('button', { name: 'Remove placed' }).click()
    await expect.poll(json).toEqual({ text: 'lamp' })
    await star.waitFor({ state: 'hidden' })
    await page.getByLabel('text').fill('lamps')
    await expect.poll(json).toEqual({ text: 'lamps' })
    expect(tab.errors).toEqual([])
  })

  it('the tokens of a request are the sum of the rows', async () => {
    const { tab, page } = await opened()
    await tab.show('#/contract/tokens')
    const card = page.getByRole('region', { name: 'support' })
    await card.waitFor()
    const numbers = await card.locator('.bars-group .bars-number').allTextContents()
    const sum = numbers.reduce((total, number) => total + Number(number), 0)
    expect(await card.locator('.token-sum').textContent()).toBe(`${sum} tokens`)
    expect(await card.locator('thead').isVisible()).toBe(true)
    await page.getByText('in the format of OpenAI').waitFor()
  })

  it('a narrow screen shows one column, and scrolls tables and tabs on their own', async () => {
    const { tab, page, ran } = await opened({ width: 390 })
    await page.locator('.side-item').first().waitFor()
    expect(await page.getByText('Select a tool').isVisible()).toBe(false)
    await tab.show('#/runs')
    await page.getByRole('link', { name: 'talk to an agent' }).waitFor()
    const run = await ran(where)
    await page.locator('.side-item').first().waitFor()
    expect(await page.getByText('Select a run').isVisible()).toBe(false)

    await tab.show('#/contract/coverage')
    const table = page.getByRole('region', { name: 'Tools and methods' })
    await table.waitFor()
    expect(await table.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true)
    const boxes = await Promise.all((await page.getByRole('tab').all()).map((each) => each.boundingBox()))
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(1)
    expect(await tab.overflow()).toBe(0)

    await tab.show(`#/replay/${run}`)
    const editor = page.getByRole('heading', { name: /^Message \d/ })
    await page.getByRole('button', { name: where }).click()
    await expect
      .poll(async () => {
        const { y = Number.POSITIVE_INFINITY } = (await editor.boundingBox()) ?? {}
        return y
      })
      .toBeLessThan(400)
  })

  it('messages show code as code, and name no request of the API', async () => {
    const { tab, page } = await opened()
    await tab.show('#/runs/none')
    const alert = page.getByRole('alert')
    await alert.locator('code', { hasText: 'none' }).waitFor()
    expect(await alert.textContent()).not.toMatch(/`|api\//)
    await tab.show('#/contract/lint')
    await page.locator('.finding p code', { hasText: 'orders.cancelOrder' }).waitFor()
    expect(await page.locator('.findings').textContent()).not.toContain('`')
  })

  it('the problems of a project and the empty chat show code as code, and a problem its location separately', async () => {
    const problem = {
      severity: 'error',
      code: 'TG1004',
      message: 'The tool `find` is defined twice.',
      next: 'Remove one `find`.',
      place: 'design.ts:3:5',
    } as const
    const reason = 'Export the agent from `toolgen.module.ts`.'
    const { tab, page } = await opened({}, demoProject([], { canCall: false, reason, problems: [problem] }))
    await tab.show('#/chat')
    await page.getByText('No agent can run').waitFor()
    expect(await page.locator('.empty-text code').allTextContents()).toEqual(['toolgen.module.ts'])
    const shown = page.locator('.problems li')
    expect(await shown.locator('code').allTextContents()).toEqual(['TG1004', 'find', 'find'])
    expect(await shown.locator('div').allTextContents()).toEqual(['Location: design.ts:3:5', 'Remove one find.'])
    expect(await page.locator('main').textContent()).not.toContain('`')
    expect([await tab.accessibilityProblems(), tab.errors]).toEqual([[], []])
  })

  it('a replay names the calls of results, keeps results together and rejects broken JSON', async () => {
    const { tab, page, ran } = await opened()
    const run = await ran(where)
    await tab.show(`#/replay/${run}`)
    const results = page.locator('.replay-message', { has: page.locator('.tag', { hasText: /^tool$/ }) })
    await results.first().waitFor()
    expect(await results.locator('code').allTextContents()).toEqual(['orders_getOrder', 'orders_searchOrders'])
    const text = page.getByLabel('Result that the model reads')
    const start = page.getByRole('button', { name: 'Continue from here' })
    await page.getByText('because the model reads them together').waitFor()
    const recorded = await text.inputValue()
    await text.fill(recorded.slice(0, -1))
    await page.getByText('The text is no longer valid JSON.').waitFor()
    expect(await start.isDisabled()).toBe(true)
    await text.fill(recorded.replace('"open"', '"lost"'))
    const editor = page.getByRole('region', { name: 'Selected message' })
    await editor.getByRole('button', { name: /^message \d/ }).click()
    await page.getByLabel('Arguments of orders_getOrder').waitFor()
    await start.click()
    await page.getByText('Comparison').first().waitFor()
    await page.getByRole('link', { name: 'Run', exact: true }).click()
    await page.getByText('Replay of').getByRole('link').click()
    await page.locator(`article[data-run="${run}"]`).waitFor()
  })

  it('changes of the contract begin with the most important, without counts of zero', async () => {
    const change = (severity: string, id: string, more = {}) => ({
      ...{ rule: `rule-${severity}`, category: 'model', severity, certain: true, tool: id, ...more },
      message: `The tool '${id}' has changed: it changed from "old" to "new".`,
      ...{ before: 'old', after: 'new' },
    })
    const changes = [
      change('safe', 'orders.trackParcel'),
      change('visible', 'orders.getOrder'),
      change('breaking', 'orders.searchOrders', { certain: false }),
      change('breaking', 'orders.placeOrder'),
    ]
    const counts = { breaking: 1, possiblyBreaking: 1, visible: 0, safe: 1 }
    const { tab, page } = await opened(
      {},
      demoProject(demoTools().tools, { report: async () => ({ changes, counts }) }),
    )
    await tab.show('#/contract/diff')
    const shown = page.locator('.finding')
    await shown.first().waitFor()
    expect(await shown.locator('.tag').allTextContents()).toEqual(['breaking', 'possibly breaking', 'visible', 'safe'])
    expect(await page.getByText('0 visible changes').count()).toBe(0)
    expect(await shown.first().getByText('old').count()).toBe(1)
    expect(await shown.first().getByText("The tool 'orders.placeOrder' has changed.").count()).toBe(1)
    await shown.first().getByRole('link', { name: 'orders.placeOrder' }).click()
    await page.getByRole('heading', { name: 'Place order' }).waitFor()
  })

  it('a step shows the messages and tools of its request when the run has ended', async () => {
    const { tab, page, ran } = await opened()
    await tab.show(`#/runs/${await ran(where)}`)
    const steps = page.locator('[data-kind=step]')
    await steps.first().locator('.event-main').click()
    const request = steps.first().locator('[data-request]')
    await request.getByText('2 messages').waitFor()
    expect(await request.locator('summary b').allTextContents()).toEqual(['system', 'user'])
    expect(await request.locator('.tag').allTextContents()).toContain('orders_getOrder')
    await request.locator('summary', { hasText: where }).click()
    await request.locator('pre', { hasText: where }).waitFor()
    await steps.first().locator('.event-main').click()
    await steps.last().locator('.event-main').click()
    const roles = steps.last().locator('[data-request] summary b')
    await expect.poll(() => roles.allTextContents()).toEqual(['system', 'user', 'assistant', 'tool', 'tool'])
    expect(await tab.accessibilityProblems()).toEqual([])
    expect(tab.errors).toEqual([])
  })

  it('a step shows no request of a run whose recording has values that the page hides', async () => {
    const find = tool({
      name: 'find',
      description: 'Finds a customer.',
      parameters: { type: 'object' },
      sensitive: { result: { '/email': { events: 'omit' } } },
      run: () => ({ email: 'ada@secret.example' }),
    })
    const agent = { agent: base(scriptedModel([calls({ tool: 'find' }), says('Found.')])).build() }
    const bound = new Runtime().registerAgent({ name: 'helper', description: 'Helps.' }, [toolset('crm', find)], agent)
    const { tab, page, client } = await opened({}, demoProject([bound]))
    const { run } = await client.post('api/runs', { agent: 'helper', input: 'Who?' })
    await client.until(run, 'completed')
    await tab.show(`#/runs/${run}`)
    const step = page.locator('[data-kind=step]').first()
    await step.locator('.event-main').click()
    await step.getByText('The run has no cassette, because it would contain values that the page hides').waitFor()
    expect(await page.content()).not.toContain('ada@secret.example')
  })

  it('the keyboard shortcuts are listed', async () => {
    const { tab, page } = await opened({ width: 390 })
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await page.keyboard.press('?')
    await list.getByText('Search the tools or runs').waitFor()
    expect(await list.locator('dd').allTextContents()).toEqual(['/', 'CtrlEnter', 'Enter', 'ShiftEnter', '?'])
    expect(await tab.accessibilityProblems()).toEqual([])
    expect(await tab.overflow()).toBe(0)
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    await list.waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'hidden' })
    // A person who types a question mark opens nothing.
    await page.getByLabel('Search tools').fill('')
    await page.keyboard.type('?')
    expect([await page.getByLabel('Search tools').inputValue(), await list.count()]).toEqual(['?', 0])
    expect(tab.errors).toEqual([])
  })

  it('runs are found by the tools that they called', async () => {
    const { tab, page, ran } = await opened()
    await ran(where)
    const other = await ran(orderLamp)
    await tab.show('#/runs')
    await expect.poll(() => page.locator('.side-item').count()).toBe(2)
    await page.getByLabel('Search runs').fill('orders.placeOrder')
    await expect.poll(() => page.locator('.side-item').count()).toBe(1)
    await page.locator(`.side-item[data-run="${other}"]`).waitFor()
  })

  it('runs are found by texts inside them, and an empty result says what was searched', async () => {
    const { tab, page, ran } = await opened()
    const run = await ran(where)
    await ran(orderLamp)
    await tab.show('#/runs')
    const items = page.locator('.side-item')
    const search = page.getByLabel('Search runs')
    const inside = page.getByText('found inside the run')
    await search.fill('two LAMPS')
    await expect.poll(() => items.count()).toBe(1)
    await page.locator(`.side-item[data-run="${run}"]`, { has: inside }).waitFor()
    // The list marks only runs whose summary does not contain the words.
    await search.fill('a-1001')
    await expect.poll(() => items.count()).toBe(1)
    expect(await inside.count()).toBe(0)
    await search.fill('zebra lamp')
    const none = page.locator('.side-none')
    const searched = 'Searched: agents, tools, titles, messages, arguments, results and errors.'
    await none.getByText(`No run contains "zebra" and "lamp". ${searched}`).waitFor()
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'failed' }).click()
    await none.getByText('No run with the status failed contains "zebra" and "lamp".').waitFor()
    await search.fill('')
    await none.getByText('No run has the status failed.').waitFor()
    expect([await tab.accessibilityProblems(), tab.errors]).toEqual([[], []])
  })

  it('a search ignores the response to an earlier search, and shows an error of the server', async () => {
    const { tab, page, ran } = await opened()
    const run = await ran(where)
    await tab.show('#/runs')
    const items = page.locator('.side-item')
    await items.waitFor()
    let respond = (): void => undefined
    const held = new Promise<void>((resolve) => {
      respond = resolve
    })
    let isRequested = false
    await page.route('**/api/runs?search=lamps', async (route) => {
      isRequested = true
      const response = await route.fetch()
      await held
      await route.fulfill({ response })
    })
    const search = page.getByLabel('Search runs')
    const none = page.locator('.side-none')
    await search.fill('lamps')
    await expect.poll(() => isRequested).toBe(true)
    await none.getByText('Searching the messages and calls…').waitFor()
    await search.fill('zebra')
    await none.getByText('No run contains "zebra".').waitFor()
    respond()
    await page.unrouteAll({ behavior: 'wait' })
    expect(await none.textContent()).toContain('No run contains "zebra".')
    expect(await items.count()).toBe(0)
    const error = { message: 'The studio failed.', next: 'The terminal of the server shows the error.' }
    await page.route('**/api/runs?search=lamps', (route) => route.fulfill({ status: 500, json: { error } }))
    await search.fill('lamps')
    await page.getByRole('alert').getByText('The terminal of the server shows the error.').waitFor()
    await none.getByText('Searched: agents, tools, titles.').waitFor()
    await search.fill('support')
    await page.locator(`.side-item[data-run="${run}"]`).waitFor()
  })

  it('a message has no bar, so its text uses the whole width of the timeline', async () => {
    const answer = 'Your order has been shipped. '.repeat(40)
    const agent = { agent: base(scriptedModel([says(answer)])).build() }
    const bound = new Runtime().registerAgent({ name: 'helper', description: 'Helps.' }, [], agent)
    const { tab, page, client } = await opened({}, demoProject([bound]))
    const { run } = await client.post('api/runs', { agent: 'helper', input: 'Where?' })
    await client.until(run, 'completed')
    await tab.show(`#/runs/${run}`)
    const message = page.locator('[data-kind=message] .event-title')
    await message.waitFor()
    for (const width of [1280, 1600]) {
      await page.setViewportSize({ width, height: 800 })
      const edge = async (selector: string) => {
        const box = await page.locator(selector).boundingBox()
        return (box?.x ?? 0) + (box?.width ?? 0)
      }
      // 12 pixels of padding, and a gap for the empty facts.
      await expect
        .poll(async () => (await edge('.timeline')) - (await edge('[data-kind=message] .event-title')))
        .toBeLessThan(32)
      expect((await edge('.timeline')) - (await edge('[data-kind=step] .bar'))).toBeLessThan(16)
    }
  })

  it('the tab with the methods that tools call has a name that needs no explanation', async () => {
    const { tab, page } = await opened()
    await tab.show('#/contract')
    await page.getByRole('tab', { name: 'Service methods' }).click()
    const table = page.getByRole('region', { name: 'Tools and methods' })
    await table.getByRole('columnheader', { name: 'Service method' }).waitFor()
    await page.getByText('Each row shows the service method that a tool calls.').waitFor()
    expect(tab.errors).toEqual([])
  })

  it('a page that cannot be rendered says what to do next, and the other pages stay usable', async () => {
    const { client, tab, page, ran } = await opened()
    const run = await ran(where)
    const broken = page.getByRole('alert', { name: 'The page cannot be shown.' })
    // A newer server could send a record that this page does not understand.
    const record = await client.get(`api/runs/${run}`)
    await page.route(`**/api/runs/${run}`, (route) => route.fulfill({ json: { ...record, messages: null } }))
    await tab.show(`#/replay/${run}`)
    await broken.getByText('Open another page, or reload. The console of the browser shows the error.').waitFor()
    expect(tab.errors.join()).toContain('TypeError')
    expect(await tab.accessibilityProblems()).toEqual([])
    await page.getByRole('link', { name: 'Tools' }).click()
    await page.locator('.side-item').first().waitFor()
    expect(await broken.count()).toBe(0)
    await tab.show('#/tools/orders.getOrder?agent=support')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('region', { name: 'Outcome' }).locator('[data-status=completed]').waitFor()
    await tab.show(`#/replay/${run}`)
    await broken.waitFor()
    // The same page with another address.
    await page.getByRole('link', { name: 'Replay' }).click()
    await page.getByText('Open a run', { exact: true }).waitFor()
    expect(await broken.count()).toBe(0)
    await tab.show(`#/replay/${run}`)
    await broken.waitFor()
    await page.unrouteAll()
    await broken.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Continue from here' }).waitFor()
    expect(await broken.count()).toBe(0)
  })
})
