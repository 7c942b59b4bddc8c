import { fileURLToPath } from 'node:url'
import { mcpExecutor, Runtime, type ToolLayer, tool, toolset, toolsetRegistration, withContent } from '@toolgen/runtime'
import { answer, ask, base, callTools, type Planner, usePlanner } from '@toolgen/runtime/agents'
import { stdioCaller } from '@toolgen/runtime/mcp'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { type StudioTools, serveStudio } from '@toolgen/studio'
import { type Browser, chromium, type Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { chromiumPath, launchOptions } from '../../scripts/lib/chromium.mjs'
import { png, pngPart } from '../content-parts/charts.fixture.js'
import { importedAs } from '../mcp/served.fixture.js'
import { demoProject } from './demo.js'
import { skipped, Tab } from './page.fixture.js'
import { Client } from './shop.fixture.js'

/** Serves tools, and opens a page of them. */
async function opened(browser: Browser, tools: readonly StudioTools[]) {
  const server = await serveStudio(demoProject(tools), { port: 0 })
  onTestFinished(() => server.close())
  const tab = await Tab.open(browser, server.url)
  return { tab, page: tab.page, client: new Client(server) }
}

/** The first element that a person sees. Others can be in closed details. */
const visible = (locator: Locator): Locator => locator.locator('visible=true').first()

/** An agent whose planner calls one tool of an MCP server, and answers with its result. */
function travelAgent(name: string) {
  const script = fileURLToPath(new URL('../mcp/asking-server.mjs', import.meta.url))
  const caller = stdioCaller({ command: process.execPath, args: [script] })
  onTestFinished(() => caller.close())
  const imported = importedAs('asking', { book: {}, trip: {} })
  const executor = mcpExecutor(imported, caller, { onDrift: 'ignore' })
  const asking = toolsetRegistration({ toolset: imported.toolset, provider: 'mcp' }, executor)
  const planner: Planner = ({ outcomes: [outcome] }) =>
    outcome === undefined
      ? callTools({ tool: `asking.${name}`, arguments: '{}', toolCallId: name })
      : answer(outcome.status === 'completed' ? outcome.json : outcome.status)
  return new Runtime().registerAgent({ name: 'travel', description: 'Books.' }, [asking], { planner })
}

describe.skipIf(chromiumPath === undefined)(`answers on the page of the studio${skipped}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch(launchOptions)
  })
  afterAll(() => browser?.close())

  /** Starts a run on one of the pages on which its questions are answered. */
  async function started(at: 'Runs' | 'Chat', agent: string, tools: readonly StudioTools[]) {
    const studio = await opened(browser, tools)
    if (at === 'Chat') {
      await studio.tab.show(`#/chat/${agent}`)
      await studio.tab.say('Go')
    } else {
      const { run } = await studio.client.post('api/runs', { agent, input: 'Go' })
      await studio.tab.show(`#/runs/${run}`)
    }
    return studio
  }

  describe.each(['Runs', 'Chat'] as const)('in %s', (at) => {
    it('supply the result of an external call, or decline it', async () => {
      const external: ToolLayer = () => async (request: any) => request.suspend('external', 'Ship the parcel.')
      const ship = tool({
        name: 'ship',
        description: 'Ships.',
        parameters: { type: 'object', properties: { to: { type: 'string' } } },
        run: () => null,
      }).layer(external)
      const model = scriptedModel([
        calls({ tool: 'ship', arguments: { to: 'Oslo' } }, { tool: 'ship', arguments: { to: 'Bern' } }),
        ({ messages }) =>
          says(messages.flatMap(({ role, content }) => (role === 'tool' ? String(content) : [])).join()),
      ])
      const agent = new Runtime().registerAgent({ name: 'shop', description: 'Ships.' }, [toolset('post', ship)], {
        agent: base(model).build(),
      })
      const { tab, page } = await started(at, 'shop', [agent])
      const [oslo, bern] = ['Oslo', 'Bern'].map((city) => page.locator('[data-pending=external]', { hasText: city }))
      await oslo?.getByText('Ship the parcel.').waitFor()
      await oslo?.getByRole('textbox', { name: 'JSON' }).fill('{"parcel": 7')
      expect(await oslo?.getByRole('button', { name: 'Send result' }).isDisabled()).toBe(true)
      await oslo?.getByRole('textbox', { name: 'JSON' }).fill('{"parcel": 7}')
      await oslo?.getByRole('button', { name: 'Send result' }).click()
      await expect.poll(() => page.locator('[data-pending]').count()).toBe(1)
      await bern?.getByRole('button', { name: 'Decline' }).click()
      await visible(page.getByText(/"parcel":7.*A person declined the call/)).waitFor()
      expect(tab.errors).toEqual([])
    })

    it('answer a question of the agent', async () => {
      const planner: Planner = ({ messages }) =>
        messages.length > 1 ? answer(`Cancelled ${messages.at(-1)?.content}.`) : ask('Which order?')
      const agent = new Runtime().registerAgent({ name: 'asking', description: 'Asks.' }, [], {
        agent: base().with(usePlanner(planner)).build(),
      })
      const { tab, page } = await started(at, 'asking', [agent])
      const pending = page.locator('[data-pending=clarification]')
      await pending.getByText('Which order?').waitFor()
      expect(await pending.getByRole('button', { name: 'Send answer' }).isDisabled()).toBe(true)
      await pending.getByLabel('Answer').fill('A-1001')
      await pending.getByRole('button', { name: 'Send answer' }).click()
      await page.getByText('Cancelled A-1001.').first().waitFor()
      expect(tab.errors).toEqual([])
    })

    it('fill the form of an MCP server, and visit its page', async () => {
      const { tab, page } = await started(at, 'travel', [travelAgent('book')])
      const pending = page.locator('[data-pending=elicitation]')
      await pending.getByText('How many seats?').waitFor()
      await pending.getByRole('textbox', { name: 'JSON' }).fill('{"seats":0}')
      await pending.getByRole('button', { name: 'Accept' }).click()
      await pending.getByRole('alert').getByText('The content for book/form is invalid').waitFor()
      await pending.getByRole('textbox', { name: 'seats' }).fill('3')
      await pending.getByRole('button', { name: 'Accept' }).click()
      const link = pending.getByRole('link', { name: 'https://pay.example.com/1' })
      await link.waitFor()
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
      await pending.getByText('Pay.', { exact: true }).waitFor()
      expect(await pending.getByRole('textbox').count()).toBe(0)
      await pending.getByRole('button', { name: 'Accept' }).click()
      await visible(page.getByText('{"booked":3,"page":"accept"}')).waitFor()
      expect(tab.foreign).toEqual([])
    })

    it('continue a call after the answers to all its questions', async () => {
      const { tab, page } = await started(at, 'travel', [travelAgent('trip')])
      const pending = page.locator('[data-pending=elicitation]')
      const [from, to] = ['From where?', 'To where?'].map((text) => pending.filter({ hasText: text }))
      await to?.getByLabel('city').fill('Oslo')
      await from?.getByLabel('city').fill('Bern')
      await from?.getByRole('button', { name: 'Accept' }).click()
      await expect.poll(() => pending.count()).toBe(1)
      // The other answer is still there.
      expect(await to?.getByLabel('city').inputValue()).toBe('Oslo')
      await to?.getByRole('button', { name: 'Accept' }).click()
      await visible(page.getByText(/"city":"Bern".*"city":"Oslo"/)).waitFor()
      expect(tab.errors).toEqual([])
    })
  })

  it('an image in a result is shown in Runs and Chat', async () => {
    const draw = tool({
      name: 'draw',
      description: 'Draws a chart.',
      parameters: { type: 'object', properties: {} },
      run: () => withContent({ title: 'Sales' }, [pngPart]),
    })
    const model = scriptedModel([calls({ tool: 'draw', arguments: {} }), says('Here it is.')])
    const agent = new Runtime().registerAgent({ name: 'artist', description: 'Draws.' }, [toolset('charts', draw)], {
      agent: base(model).build(),
    })
    const { tab, page } = await started('Chat', 'artist', [agent])
    const image = visible(page.locator('.files img'))
    await image.waitFor()
    expect(await image.getAttribute('src')).toBe(`data:image/png;base64,${png}`)
    expect(await image.evaluate((element) => Reflect.get(element, 'naturalWidth'))).toBeGreaterThan(0)
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.locator('[data-kind=call] .event-main').first().click()
    await page.locator('.event-detail .files img').waitFor()
    expect(tab.errors).toEqual([])
  })

  it('an image is sent in Chat', async () => {
    const received: unknown[] = []
    const model = scriptedModel([
      ({ messages }) => {
        received.push(messages.at(-1)?.content)
        return says('A dot.')
      },
    ])
    const agent = new Runtime().registerAgent({ name: 'viewer', description: 'Looks.' }, [], {
      agent: base(model).build(),
    })
    const { tab, page } = await opened(browser, [agent])
    await tab.show('#/chat/viewer')
    const file = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from(png, 'base64') })
    await page.locator('input[type=file]').setInputFiles([file('dot.png'), file('other.png')])
    await page.getByRole('button', { name: 'Remove other.png' }).click()
    expect(await tab.accessibilityProblems()).toEqual([])
    await tab.say('What is this?')
    await page.getByText('A dot.').waitFor()
    const url = `data:image/png;base64,${png}`
    expect(received).toEqual([
      [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url } },
      ],
    ])
    expect(await page.locator('.bubble-user img').getAttribute('src')).toBe(url)
    expect(await page.getByRole('list', { name: 'Attachments' }).count()).toBe(0)
    expect(tab.errors).toEqual([])
  })
})
