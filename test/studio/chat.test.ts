import { Runtime, tool, toolset } from '@toolgen/runtime'
import { answer, ask, base, type Planner, usePlanner } from '@toolgen/runtime/agents'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { type StudioTools, serveStudio } from '@toolgen/studio'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { chromiumPath, launchOptions } from '../../scripts/lib/chromium.mjs'
import { createProject } from '../cli/project.fixture.js'
import { demoProject, demoTools } from './demo.js'
import { Dev } from './dev.fixture.js'
import { skipped, Tab } from './page.fixture.js'
import { Client } from './shop.fixture.js'

describe.skipIf(chromiumPath === undefined)(`conversations and approvals on the page of the studio${skipped}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch(launchOptions)
  })
  afterAll(() => browser?.close())

  async function opened(tools: readonly StudioTools[] = demoTools().tools) {
    const server = await serveStudio(demoProject(tools), { port: 0 })
    onTestFinished(() => server.close())
    const tab = await Tab.open(browser, server.url)
    return { server, tab, page: tab.page, client: new Client(server) }
  }

  /** Starts a refund of 49 euros, which waits for an approval. */
  async function refund(client: Client): Promise<string> {
    const call = { tool: 'payments.refund', agent: 'support', arguments: '{"paymentId":"P-7","amount":49}' }
    const { run } = await client.post('api/calls', call)
    await client.until(run, 'waiting')
    return run
  }

  it('a page whose server was started again names the new URL', async () => {
    const { tools } = demoTools()
    const first = await serveStudio(demoProject(tools), { port: 0 })
    const tab = await Tab.open(browser, first.url)
    const { page } = tab
    await first.close()
    const second = await serveStudio(demoProject(tools), { port: Number(new URL(first.url).port) })
    onTestFinished(() => second.close())
    const alert = page.getByRole('alert', { name: 'The server was started again with a new token.' })
    await alert.getByText('Open the new URL').waitFor()
    await page.locator('.connection', { hasText: 'disconnected' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'The server was started again with a new token.' }).waitFor()
    expect(await page.locator('p').textContent()).toBe('Open the new URL that toolgen dev printed.')
    expect(await tab.accessibilityProblems()).toEqual([])
    await page.goto(second.url)
    await page.locator('[data-connection=open]').waitFor()
    await page.locator('.side-item').first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('the link Chat returns to the last conversation, also while an approval waits', async () => {
    const { tab, page } = await opened()
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Chat' })
    await tab.show('#/chat/support')
    await tab.say('Refund payment P-7, please.')
    const pending = page.locator('[data-pending=approval]')
    await pending.waitFor()
    await tab.show('#/tools')
    await page.getByText('Select a tool').waitFor()
    await page.reload()
    await link.click()
    await pending.waitFor()
    await expect.poll(() => pending.evaluate((card) => card.matches(':focus'))).toBe(true)
    await pending.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('The refund is on its way.').waitFor()

    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.getByText('Talk to support').waitFor()
    await tab.show('#/runs')
    await link.click()
    await page.getByText('Talk to support').waitFor()
    await tab.show('#/runs')
    await page.locator('.side-item').click()
    await page.getByRole('link', { name: 'Open in Chat' }).click()
    await page.getByText('The refund is on its way.').waitFor()
    expect(tab.errors).toEqual([])
  })

  it('earlier turns keep the facts of their calls, and the nested calls', async () => {
    const { tab, page } = await opened()
    await tab.show('#/chat/support')
    await tab.say('Refund payment P-7, please.')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('The refund is on its way.').waitFor()
    await tab.say('Where is my order A-1001?')
    await page.getByText('It contains two lamps').waitFor()
    await tab.say('Thanks')
    await page.getByText('You wrote: Thanks').waitFor()
    const calls = page.locator('.chat-call > summary')
    const states = calls.locator('[data-status=completed]')
    await expect.poll(() => states.count()).toBe(4)
    const texts = ['Ask the clerk', 'Refund a payment', 'Order A-1001 is open', 'Searching orders of C-7']
    expect(await calls.allTextContents()).toEqual(texts.map((text) => expect.stringContaining(text)))
    // A new tab has loaded nothing before.
    await page.reload()
    await expect.poll(() => states.count()).toBe(4)
    expect(await calls.allTextContents()).toEqual(
      texts.map((text) => expect.stringMatching(new RegExp(`${text}.* (ms|s)`))),
    )
    expect(tab.errors).toEqual([])
  })

  it('a conversation with hidden values that cannot be continued offers a new one', async () => {
    const loaded = () => {
      const find = tool({
        name: 'find',
        description: 'Finds a customer.',
        parameters: { type: 'object' },
        sensitive: { result: { '/email': { events: 'omit', recording: 'omit' } } },
        run: () => ({ email: 'ada@secret.example' }),
      })
      const model = scriptedModel([calls({ tool: 'find' }), says('Found.'), says('Hello.')])
      const agent = { agent: base(model).build() }
      return new Runtime().registerAgent({ name: 'helper', description: 'Helps.' }, [toolset('crm', find)], agent)
    }
    const { server, tab, page } = await opened([loaded()])
    await tab.show('#/chat/helper')
    await tab.say('Who is it?')
    await page.getByText('Found.').waitFor()
    server.show(demoProject([loaded()], { generation: 2, name: 'v2' }))
    await page.getByRole('heading', { name: 'v2' }).waitFor()
    await tab.say('Sure?')
    const alert = page.getByRole('alert')
    await alert.getByText('but the module was loaded again').waitFor()
    await alert.getByRole('button', { name: 'Start a new conversation' }).click()
    await page.getByText('Talk to helper').waitFor()
    expect(await alert.count()).toBe(0)
    // The message is still there.
    const box = page.getByRole('textbox', { name: 'Message' })
    expect(await box.inputValue()).toBe('Sure?')
    await box.press('Enter')
    await page.getByText('Found.').waitFor()
    expect(await page.locator('.bubble-user').allTextContents()).toEqual(['Sure?'])
    expect(await page.locator('.bubble-agent').count()).toBe(1)
  })

  it('answers are shown as Markdown, without HTML, images and links to scripts', async () => {
    const text = [
      '# Your order',
      'It has **two** lamps:\nA-1 and A-2.',
      '- one\n- `two`\n- [x] done',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      '```ts\nconst a = 1 < 2\n```',
      '[shop](https://shop.example/a) [bad](javascript:window.broken=1) [own](#/tools) <https://auto.example/>',
      '![logo](https://evil.example/logo.png) ![x](data:text/html,1)',
      '<img src=x onerror="window.broken=1"><b>bold</b> <script>window.broken=1</script>',
      '<style>body{display:none}</style>',
    ].join('\n\n')
    const agent = { agent: base(scriptedModel([says(text)])).build() }
    const bound = new Runtime().registerAgent({ name: 'writer', description: 'Writes.' }, [], agent)
    const { tab, page } = await opened([bound])
    await tab.show('#/chat/writer')
    await tab.say('Go')
    const answer = page.locator('.bubble-agent')
    await answer.getByRole('heading', { name: 'Your order' }).waitFor()
    expect(await answer.locator('strong').allTextContents()).toEqual(['two'])
    expect(await answer.locator('li').allTextContents()).toEqual(['one', 'two', expect.stringMatching(/^☑\s*done$/)])
    expect(await answer.locator('td').allTextContents()).toEqual(['1', '2'])
    expect(await answer.locator('pre').allTextContents()).toEqual([expect.stringContaining('const a = 1 < 2')])
    const links = await answer.locator('a').evaluateAll((all) => all.map((each) => each.outerHTML))
    const [shop, auto, logo] = ['https://shop.example/a', 'https://auto.example/', 'https://evil.example/logo.png'].map(
      (href) => expect.stringContaining(`href="${href}" target="_blank" rel="noopener noreferrer"`),
    )
    expect(links).toEqual([shop, auto, logo])
    expect(await answer.locator('img, script, style, b, input, [id]').count()).toBe(0)
    await answer.getByText('<b>bold</b>').waitFor()
    expect(await page.evaluate('window.broken')).toBeUndefined()
    expect([await tab.accessibilityProblems(), tab.foreign, tab.errors]).toEqual([[], [], []])
  })

  it('answers that the Markdown parser cannot handle are shown as text, and declare no attributes', async () => {
    const fence = ['```html style="x" id="root" contenteditable aria-label="Approve"', 'a < b', '```'].join('\n')
    const nested = `${'*a **b '.repeat(1000)}${'c** d*'.repeat(1000)}`
    const long = `${'['.repeat(10_000)}a${'](x)'.repeat(10_000)}`
    const texts = [fence, '[![x](https://a.example/c)](https://b.example/d)', nested, long]
    const agent = { agent: base(scriptedModel(texts.map((text) => says(text)))).build() }
    const bound = new Runtime().registerAgent({ name: 'writer', description: 'Writes.' }, [], agent)
    const { tab, page } = await opened([bound])
    await tab.show('#/chat/writer')
    const answers = page.locator('.bubble-agent')
    for (const index of texts.keys()) {
      await tab.say(`Go ${index}`)
      await answers.nth(index).waitFor()
    }
    expect(
      await answers
        .nth(0)
        .locator('code')
        .evaluateAll((all) => all.map((each) => each.outerHTML)),
    ).toEqual(['<code>a &lt; b</code>'])
    expect(await answers.nth(1).locator('a').count()).toBe(1)
    expect(await answers.nth(2).textContent()).toContain('c')
    expect(await answers.nth(3).textContent()).toContain(long)
    expect(await page.locator('#root').count()).toBe(1)
  })

  it('the next message answers a question of the agent', async () => {
    const planner: Planner = ({ messages }) =>
      messages.length > 1 ? answer(`Cancelled ${messages.at(-1)?.content}.`) : ask('Which order?')
    const agent = base().with(usePlanner(planner)).build()
    const { tab, page } = await opened([
      new Runtime().registerAgent({ name: 'asking', description: 'Asks.' }, [], { agent }),
    ])
    await tab.show('#/chat/asking')
    await tab.say('Go')
    const pending = page.locator('[data-pending=clarification]')
    await pending.waitFor()
    await tab.say('A-1001')
    await page.getByText('Cancelled A-1001.').waitFor()
    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.getByText('Talk to asking').waitFor()
    await tab.say('Go')
    await pending.getByLabel('Answer').fill('A-1002')
    await page.keyboard.press('Enter')
    await page.getByText('Cancelled A-1002.').waitFor()
    expect(tab.errors).toEqual([])
  })

  it('a timeline shows the changes of an approver', async () => {
    const { tab, page, client } = await opened()
    const run = await refund(client)
    await tab.show(`#/runs/${run}`)
    const pending = page.locator('[data-pending=approval]')
    await pending.getByRole('button', { name: 'Edit arguments' }).click()
    const json = pending.getByRole('textbox', { name: 'JSON' })
    const approve = pending.getByRole('button', { name: 'Approve with these arguments' })
    await json.fill('{"paymentId":"P-7","amount":0}')
    await expect.poll(() => approve.isDisabled()).toBe(true)
    const tag = pending.getByText('invalid arguments')
    expect((await tag.boundingBox())?.width).toBeLessThan(200)
    await json.fill('{"paymentId":"P-7"')
    await expect.poll(() => approve.isDisabled()).toBe(true)
    await json.fill('{"paymentId":"P-7","amount":20}')
    await approve.click()
    const row = page.locator('[data-kind=call]')
    await row.getByText('approved with changes: amount 49 → 20').waitFor()
    expect(await row.textContent()).toMatch(/by studio at \d\d:\d\d:\d\d/)
    await row.locator('.event-main').click()
    const decision = page.getByText('approved with changes: amount 49 → 20').locator('visible=true')
    await expect
      .poll(() => decision.allTextContents())
      .toEqual([expect.stringContaining('amount 49 → 20 by studio at')])
    await row.getByRole('region', { name: 'arguments of the approver' }).getByText('20').waitFor()
    expect(tab.errors).toEqual([])
  })

  it('the decision about a call is shown once, before and after a person opens the call', async () => {
    const { tab, page, client } = await opened()
    const { run } = await client.post('api/runs', { agent: 'support', input: 'Refund payment P-7, please.' })
    const approver = page.getByText(/by studio at \d\d:\d\d:\d\d$/).locator('visible=true')
    const decision = page.getByText(/^approved/).locator('visible=true')
    const isShownOnce = async () => {
      await expect.poll(() => approver.count()).toBe(1)
      expect(await decision.count()).toBe(1)
    }
    await tab.show(`#/chat/support/${run}`)
    await page.getByRole('button', { name: 'Approve' }).click()
    await isShownOnce()
    await page.locator('.chat-call', { hasText: 'Refund a payment' }).last().locator('> summary').click()
    await page.locator('[data-approval]').waitFor()
    await isShownOnce()
    await tab.show(`#/runs/${run}`)
    await isShownOnce()
    await page.locator('[data-kind=call]', { hasText: 'Refund a payment' }).locator('.event-main').click()
    await page.locator('[data-approval]').waitFor()
    await isShownOnce()
    await tab.show('#/tools/payments.refund?agent=support')
    await page.getByRole('textbox', { name: 'JSON' }).fill('{"paymentId":"P-7","amount":49}')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await isShownOnce()
    expect(tab.errors).toEqual([])
  })

  it('a duration that contains the wait for an approver says so', async () => {
    const { tab, page, client } = await opened()
    const { run } = await client.post('api/runs', { agent: 'support', input: 'Refund payment P-7, please.' })
    await tab.show(`#/chat/support/${run}`)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('The refund is on its way.').waitFor()
    const facts = page.locator('.chat-call .fact', { hasText: /^[\d.]+ (ms|s), with the wait for approval$/ })
    await expect.poll(() => facts.count()).toBe(2)
    await tab.show(`#/runs/${run}`)
    const marked = page.locator('.event', { has: page.getByText(/^[\d.]+ (ms|s) with wait$/) })
    await expect
      .poll(() => marked.locator('.event-title b').allTextContents())
      .toEqual(['Step 1', 'Ask the clerk', 'Step 1', 'Refund a payment'])
    expect(await page.locator('.event-title b', { hasText: 'Step 2' }).count()).toBe(2)
    await marked.last().locator('.event-main').click()
    await page.getByText('The duration contains the wait for approval.').waitFor()
    const denied = await refund(client)
    await tab.show(`#/runs/${denied}`)
    await page.getByRole('button', { name: 'Deny…' }).click()
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await expect.poll(() => marked.locator('.event-title b').allTextContents()).toEqual(['Refund a payment'])
    expect(tab.errors).toEqual([])
  })

  it('the duration of a call that continues after a suspension does not contain the wait', async () => {
    const context = () => ({ env: { approval: { approve: async () => 'suspend' } } })
    const server = await serveStudio(demoProject(demoTools().tools, { context }), { port: 0 })
    onTestFinished(() => server.close())
    const tab = await Tab.open(browser, server.url)
    const { run } = await new Client(server).post('api/runs', { agent: 'clerk', input: 'Refund P-7' })
    await tab.show(`#/runs/${run}`)
    await tab.page.getByRole('button', { name: 'Approve' }).click()
    const row = tab.page.locator('[data-kind=call]')
    await row.getByText('approved', { exact: true }).waitFor()
    await row.getByText(/^[\d.<]+ (ms|s)$/).waitFor()
    expect(await row.getByText('with wait').count()).toBe(0)
  })

  it('a denied call is not called failed', async () => {
    const { tab, page, client } = await opened()
    const run = await refund(client)
    await tab.show(`#/runs/${run}`)
    const pending = page.locator('[data-pending=approval]')
    await pending.getByRole('button', { name: 'Deny…' }).click()
    expect(await pending.getByLabel('Reason').evaluate((input) => input.matches(':focus'))).toBe(true)
    await pending.getByText('"P-7"').waitFor()
    await pending.getByRole('button', { name: 'Back' }).click()
    const deny = pending.getByRole('button', { name: 'Deny…' })
    expect(await deny.evaluate((button) => button.matches(':focus'))).toBe(true)
    await deny.click()
    await page.keyboard.type('Too expensive')
    await page.keyboard.press('Enter')
    await page.locator('[data-kind=call] [data-status=denied]').waitFor()
    await expect.poll(() => page.locator('[data-status]').allTextContents()).toEqual(['denied', 'denied', 'denied'])
    expect(await page.locator('[data-kind=call]').textContent()).toMatch(/by studio at \d\d:\d\d:\d\d/)
    expect((await client.get(`api/runs/${run}`)).summary.status).toBe('denied')
  })

  it('waiting and cancelled calls have the state of their run, and a cancelled run has its reason', async () => {
    const { server, tab, page, client } = await opened()
    const { run } = await client.post('api/runs', { agent: 'support', input: 'Refund payment P-7, please.' })
    await client.until(run, 'waiting')
    await tab.show(`#/runs/${run}`)
    const states = page.locator('[data-status]')
    await expect.poll(() => states.count()).toBeGreaterThan(3)
    expect(new Set(await states.allTextContents())).toEqual(new Set(['waiting', 'running']))
    server.cancelRuns()
    await page.getByText('The run was cancelled: The module was loaded again.').waitFor()
    await expect.poll(async () => new Set(await states.allTextContents())).toEqual(new Set(['cancelled']))
    await tab.show(`#/chat/support/${run}`)
    await page.getByText('The run was cancelled. The module was loaded again.').waitFor()
  })

  it('the empty chat names the lines with which an agent of a new project can run', async () => {
    const project = createProject({}, ['@toolgen/studio', 'openai'])
    onTestFinished(() => project.remove())
    expect(project.toolgen('init', '--yes')).toMatchObject({ code: 0 })
    const dev = new Dev(project, '--port', '0')
    const { url = '' } = await dev.line()
    const tab = await Tab.open(browser, url)
    const { page } = tab
    await tab.show('#/chat')
    await page.getByText('add these lines to src/serve.ts:').waitFor()
    expect(await tab.accessibilityProblems()).toEqual([])
    const lines = await page.getByRole('region', { name: 'lines' }).textContent()
    const options = await page.getByRole('region', { name: 'options' }).textContent()
    const [start = '', end] = options?.split(' …') ?? []
    expect([start, end]).toEqual(['{ agent, toolsets:', ' }'])
    // The test sends no request to the model.
    const added = `process.env.OPENAI_API_KEY ??= 'test'\n${lines}\n`
    const serve = project
      .read('src/serve.ts')
      .replace(/^(?=\/\/)/m, added)
      .replace('{ toolsets:', start)
    project.write({ 'src/serve.ts': serve })
    expect(project.tsc('-p', '.', '--noEmit')).toMatchObject({ code: 0, stdout: '' })
    await page.getByText('Talk to support').waitFor()
    expect(tab.errors).toEqual([])
  })

  it('the empty chat of an application names the code that registers the agent', async () => {
    const idle = new Runtime().registerAgent({ name: 'idle', description: 'Waits.' }, [])
    const { tab, page, server } = await opened([idle])
    await tab.show('#/chat')
    await page.getByText('add these lines to the code that registers the agent:').waitFor()
    await page.getByText('and start the application again.').waitFor()
    server.show(demoProject([], { generation: 2 }))
    await page.getByText('The project has no agent. Define one with defineAgent,').waitFor()
    expect(tab.errors).toEqual([])
  })

  it('the list of tools has the same order in every project', async () => {
    const { tools } = demoTools()
    const { server, page } = await opened(tools)
    const groups = page.locator('.side-group')
    await expect.poll(() => groups.count()).toBe(4)
    const before = await groups.allTextContents()
    server.show(demoProject([...tools].reverse(), { generation: 2, canCall: false, name: 'v2' }))
    await page.getByText('no calls').waitFor()
    await expect.poll(() => groups.allTextContents()).toEqual(before)
    await page.getByRole('heading', { name: 'v2' }).waitFor()
    expect(await groups.allTextContents()).toEqual(before)
  })

  it('an invalid edit has a message without ids', async () => {
    const { client } = await opened()
    const run = await refund(client)
    const [{ id }] = (await client.get(`api/runs/${run}`)).pending
    const edit = { decision: 'approve', arguments: '{"paymentId":"P-7","amount":0}' }
    const { error } = await client.post(`api/runs/${run}/answers`, { answers: { [id]: edit } })
    expect(error.message).toBe('The edited arguments of `payments.refund` are invalid.')
    expect(error.next).toContain('amount')
    expect(JSON.stringify(error)).not.toContain(id)
  })
})
